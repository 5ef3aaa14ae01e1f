import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
Assigning a task starts a run; when the run ends, the task is done or says why it failed.

Examples:
  longhaul tasks
  longhaul tasks add --agent summarizer "summarize last week's experiments"
  longhaul tasks assign tsk_… reviewer
`;

const AUDIT_HELP = `
Admins see all of their workspaces, others what they did and what was done for them.

Examples:
  longhaul audit --denied --since 7d
  longhaul audit --agent reviewer --action tool
  longhaul audit --export csv > audit.csv
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul tasks …`, and `longhaul audit`, which tells what became of them */
export function addTasksCommands(program: Command): void {
  const tasks = program
    .command('tasks')
    .description('list tasks, newest first; add, assign and remove them')
    .addOption(json('print every task as a JSON object on a line of its own'))
    .addHelpText('after', HELP)
    .action(later(async () => (await import('./tasks.ts')).tasksListCommand));
  tasks
    .command('add')
    .description('make a task, and assign it where an agent is named')
    .argument('<title...>', 'what is to be done')
    .option('-d, --description <text>', 'what more there is to say')
    .option('-a, --agent <slug>', 'agent that does it, by slug, name or id; its run starts at once')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the first one the agent may use)')
    .option('-w, --workspace <name>', 'workspace it belongs to, by name or id (that of the agent, else the first)')
    .action(later(async () => (await import('./tasks.ts')).tasksAddCommand));
  tasks
    .command('show')
    .description('show a task')
    .argument('<task>', 'its id')
    .addOption(json('print it as a JSON object'))
    .action(later(async () => (await import('./tasks.ts')).tasksShowCommand));
  tasks
    .command('assign')
    .description('give a task to an agent: its run starts at once')
    .argument('<task>', 'its id')
    .argument('<agent>', 'the agent, by slug, name or id')
    .action(later(async () => (await import('./tasks.ts')).tasksAssignCommand));
  tasks
    .command('rm')
    .description('remove a task')
    .argument('<task>', 'its id')
    .action(later(async () => (await import('./tasks.ts')).tasksRemoveCommand));

  program
    .command('audit')
    .description('show who did what, newest first, and whether it was allowed')
    .option('-a, --agent <slug>', 'only of this agent, by slug, name or id')
    .option('-r, --run <run>', 'only of this run')
    .option('--action <action>', 'only this action, or a family of them: tool, model, run, agents …')
    .option('--denied', 'only what was refused')
    .option('--since <time>', 'only since then: 90m, 24h, 7d or a time')
    .option('-l, --limit <number>', 'how many, at most 100', '30')
    .option('--export <format>', 'print all of them as ndjson or csv')
    .addOption(json('print every line as a JSON object on a line of its own'))
    .addHelpText('after', AUDIT_HELP)
    .action(later(async () => (await import('./audit.ts')).auditCommand));
}
