import { type Command, Option } from 'commander';
import { later } from './later.ts';

const SCHEDULES_HELP = `
A schedule runs an agent or a workflow at certain times. Times are those of a clock in its zone,
over summer and winter. What its runs ask comes to the inbox of the workspace.

Examples:
  longhaul schedules add "0 9 * * 1-5" --zone Europe/Berlin "sum up what was written yesterday"
  longhaul schedules add @daily --workflow nightly-report
  longhaul schedules run "Morning summary"
  longhaul schedules backfill "Morning summary" 2026-01-01 2026-01-07
`;

const HOOKS_HELP = `
A webhook is an address that other systems send signed events to; docs/triggers.md tells how.

Examples:
  longhaul hooks add tickets
  longhaul hooks subscribe tickets --agent triage --filter 'payload.action == "opened"'
  longhaul hooks deliveries tickets
`;

const json = (what: string) => new Option('--json', what);
const SCHEDULE = 'its id or name';

/** `longhaul schedules …` and `longhaul hooks …` */
export function addTriggersCommands(program: Command): void {
  const schedules = program
    .command('schedules')
    .description('list schedules; add, pause, run, backfill and remove them')
    .addOption(json('print every schedule as a JSON object on a line of its own'))
    .addHelpText('after', SCHEDULES_HELP)
    .action(later(async () => (await import('./schedules.ts')).schedulesCommand));
  schedules
    .command('add')
    .description('have an agent or a workflow run at certain times')
    .argument('<cron>', 'when: minute, hour, day of the month, month, day of the week')
    .argument('[input...]', 'what its runs are given: words, or JSON')
    .option('-a, --agent <slug>', 'agent to run, by slug, name or id')
    .option('--workflow <name>', 'workflow to run instead, by name or id')
    .option('--name <name>', 'what it is called')
    .option('-z, --zone <zone>', 'time zone, like Europe/Berlin (that of this machine)')
    .option('--tier <tier>', 'how much a run may use: simple, standard, complex or batch')
    .action(later(async () => (await import('./schedules.ts')).schedulesAddCommand));
  schedules
    .command('pause')
    .description('pause it')
    .argument('<schedule>', SCHEDULE)
    .action(later(async () => (await import('./schedules.ts')).schedulesPauseCommand));
  schedules
    .command('unpause')
    .description('let it go on')
    .argument('<schedule>', SCHEDULE)
    .action(later(async () => (await import('./schedules.ts')).schedulesUnpauseCommand));
  schedules
    .command('run')
    .description('run it now, also while it is paused')
    .argument('<schedule>', SCHEDULE)
    .action(later(async () => (await import('./schedules.ts')).schedulesRunCommand));
  schedules
    .command('backfill')
    .description('make up for its times between two moments in the past')
    .argument('<schedule>', SCHEDULE)
    .argument('<from>', 'the first moment')
    .argument('<to>', 'the last one')
    .action(later(async () => (await import('./schedules.ts')).schedulesBackfillCommand));
  schedules
    .command('rm')
    .description('delete it')
    .argument('<schedule>', SCHEDULE)
    .action(later(async () => (await import('./schedules.ts')).schedulesRemoveCommand));

  const hooks = program
    .command('hooks')
    .description('list webhooks; add them, subscribe agents, see and repeat deliveries')
    .addOption(json('print every webhook as a JSON object on a line of its own'))
    .addHelpText('after', HOOKS_HELP)
    .action(later(async () => (await import('./hooks.ts')).hooksCommand));
  hooks
    .command('add')
    .description('make an address; its secret is shown this once')
    .argument('<name>', 'what it is called')
    .option('-w, --workspace <name>', 'workspace it belongs to, by name or id (the first you may write in)')
    .action(later(async () => (await import('./hooks.ts')).hooksAddCommand));
  hooks
    .command('subscribe')
    .description('have an agent run for what it receives')
    .argument('<hook>', 'its id or name')
    .option('-a, --agent <slug>', 'agent to run, by slug, name or id')
    .option('--filter <condition>', 'only where this holds, like payload.action == "opened"')
    .option('--mapping <json>', 'what the run is given, with {{ payload… }} in it')
    .action(later(async () => (await import('./hooks.ts')).hooksSubscribeCommand));
  hooks
    .command('deliveries')
    .description('what was received, newest first, and what came of it')
    .argument('[hook]', 'of this one only')
    .addOption(json('print every delivery as a JSON object on a line of its own'))
    .action(later(async () => (await import('./hooks.ts')).hooksDeliveriesCommand));
  hooks
    .command('redeliver')
    .description('deliver once more: new runs start')
    .argument('<delivery>', 'its id')
    .action(later(async () => (await import('./hooks.ts')).hooksRedeliverCommand));
  hooks
    .command('rm')
    .description('delete it')
    .argument('<hook>', 'its id or name')
    .action(later(async () => (await import('./hooks.ts')).hooksRemoveCommand));
}
