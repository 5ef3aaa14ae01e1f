import { Command, Option } from 'commander';
import { RUN_ORDERS } from '../domain/run-order.ts';
import { RUN_STATUSES, TRIGGERS } from '../domain/word-lists.ts';
import { addAgentsCommands } from './agents-program.ts';
import { addAskCommand } from './ask-program.ts';
import { addCredentialsCommands } from './credentials-program.ts';
import { addDefinitionsCommands } from './definitions-program.ts';
import { addEditsCommands } from './edits-program.ts';
import { addGithubCommand } from './github-program.ts';
import { addKnowledgeCommands } from './knowledge-program.ts';
import { later } from './later.ts';
import { addMcpCommands } from './mcp-program.ts';
import { addNotebooksCommands } from './notebooks-program.ts';
import { addSessionsCommands } from './sessions-program.ts';
import { START_FLAGS } from './start-flags.ts';
import { addStepsCommands } from './steps-program.ts';
import { addTasksCommands } from './tasks-program.ts';
import { addTriggersCommands } from './triggers-program.ts';
import { addWorkflowsCommands } from './workflows-program.ts';
import { addWorkspacesCommands } from './workspaces-program.ts';

const PROGRAM_HELP = `
A run goes on whether or not somebody watches it. What it asks waits until it is answered,
here, on the web page or through the API, over restarts and for days.

Where it connects to:
  LONGHAUL_URL       address of the server; without it the one that was started last
                     with the data in LONGHAUL_HOME (~/.longhaul)
  LONGHAUL_API_KEY   key to use there; the server on this machine needs none

Begin with:
  npm start                                  starts everything, in a terminal of its own
  longhaul run "summarize the notebook"      starts a run and watches it
  longhaul runs                              what there is and how it stands
`;

const RUN_HELP = `
On a terminal the answer is written as it comes, and what the run asks is asked here:
a question, or an action with its diff, to be allowed, denied with a reason, or edited.
Ctrl-C leaves the run running or cancels it, as you choose. Elsewhere (a pipe, a script)
nothing is ever asked: what waits is printed with the command that answers it.
A lost connection, or a server that restarts, is caught up with by itself.

Exit code: 0 completed, 1 failed, 2 cancelled or out of budget, 130 left running.

Examples:
  longhaul run "count the TODOs"
  longhaul run --agent reviewer --notebook "Release notes" "review the draft of 2.0"
  longhaul run --json "list the files" | tail -1 | jq -r .output
  git diff | longhaul run -
`;

const WATCH_HELP = `
Shows the run from its beginning, then live, and asks as \`longhaul run\` does.
Exit code: 0 completed, 1 failed, 2 cancelled or out of budget, 130 left running.
`;

const APPROVE_HELP = `
On a terminal the action is shown and asked for, unless --yes, --deny or --arguments says it.
In a script it is allowed at once. What was shown is what runs: had it changed meanwhile,
nothing happens and it is said.

Examples:
  longhaul approve                                   the only action that waits
  longhaul approve run_… --deny --reason "keep the old heading"
  longhaul approve run_… --arguments '{"path": "/a.md", "content": "# A"}'
`;

const ANSWER_HELP = `
Examples:
  longhaul answer "the second one"                   to the only question that waits
  longhaul answer run_… 2
  longhaul answer run_…                              asks for the answer on a terminal
`;

const json = (what: string) => new Option('--json', what);

/** The manual: every command with what it takes. */
export function buildProgram(version: string): Command {
  const program = new Command('longhaul')
    .description('Durable AI agents: long runs that survive restarts, wait for people and go on where they were.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help for a command')
    .helpCommand('help [command]', 'print help for a command')
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText('after', PROGRAM_HELP);

  const start = program
    .command('start')
    .description('start everything on this machine and keep it running (as npm start)');
  for (const [flags, meaning] of START_FLAGS) start.option(flags, meaning);
  start.action(later(async () => (await import('./start.ts')).startCommand));

  program
    .command('doctor')
    .description('say what was found on this machine, what is missing and how to get it')
    .addOption(json('print one JSON object'))
    .action(later(async () => (await import('./doctor.ts')).doctorCommand));

  program
    .command('run')
    .description('start a run and watch it')
    .argument('<instruction...>', 'what is to be done; - reads it from the standard input')
    .option('-a, --agent <slug>', 'agent to run, by slug, name or id (the demo assistant, else the first one)')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the first one the agent may use)')
    .option('--max-iterations <number>', 'most model calls this run may make')
    .option('--max-tokens <number>', 'most tokens this run and all below it may use')
    .option('--max-cost <dollars>', 'most it may cost, with all below it')
    .option('--max-duration <seconds>', 'most time it may be at work; waiting for people does not count')
    .option('--schema <json>', 'JSON Schema that its output must fit, or a file that holds one')
    .option('--quote', 'say what it would probably cost, and start nothing')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .addHelpText('after', RUN_HELP)
    .action(later(async () => (await import('./run.ts')).runCommand));

  addAskCommand(program);
  addSessionsCommands(program);
  addEditsCommands(program);

  program
    .command('runs')
    .description('list runs, newest first')
    .option('-s, --status <status>', `only these, with commas between them: ${RUN_STATUSES.join(', ')}`)
    .option('-a, --agent <slug>', 'only those of this agent, by slug, name or id')
    .addOption(new Option('-t, --trigger <trigger>', 'only those begun this way').choices(TRIGGERS))
    .option('--from <time>', 'only those begun since, like 2026-05-01 or 2026-05-01T08:00')
    .option('--to <time>', 'only those begun before')
    .option('--roots', 'leave out what other runs have begun')
    .addOption(new Option('--sort <order>', 'which come first').choices(RUN_ORDERS).default('newest'))
    .option('-l, --limit <number>', 'how many, at most 100', '20')
    .addOption(json('print every run as a JSON object on a line of its own'))
    .action(later(async () => (await import('./runs.ts')).runsCommand));

  program
    .command('watch')
    .description('show a run from its beginning and follow it')
    .argument('[run]', 'its id; without it the newest')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .addHelpText('after', WATCH_HELP)
    .action(later(async () => (await import('./watch.ts')).watchCommand));

  program
    .command('answer')
    .description('answer the question of a run')
    .argument('[run-and-text...]', 'id of the run, which may be left out where only one asks, and the answer')
    .option('--skip', 'let the agent go on without an answer')
    .addHelpText('after', ANSWER_HELP)
    .action(later(async () => (await import('./answer.ts')).answerCommand));

  program
    .command('approve')
    .description('allow or deny the action a run waits for')
    .argument('[run]', 'its id; may be left out where only one waits')
    .option('--action <id>', 'the action that is meant, where several wait')
    .option('-y, --yes', 'allow it without asking')
    .option('--for-session', 'allow it, and ask no more about this tool in this conversation')
    .option('--deny', 'deny it')
    .option('-r, --reason <text>', 'why; the agent is told (with --deny)')
    .option('--arguments <json>', 'allow it with these arguments instead of the proposed ones')
    .addHelpText('after', APPROVE_HELP)
    .action(later(async () => (await import('./approve.ts')).approveCommand));

  program
    .command('resume')
    .description('go on where a run failed, as a new run that takes over what was done')
    .argument('<run>', 'its id')
    .option('-i, --input <text>', 'input to use instead, as JSON or in words; of a workflow, that of the step')
    .option('-f, --from-step <step>', 'of a workflow: the step to go on from (the one that failed)')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .action(later(async () => (await import('./lifecycle.ts')).resumeCommand));

  program
    .command('fork')
    .description('take another turn at a step of an ended run, with the files as they were there')
    .argument('<run>', 'its id')
    .addOption(new Option('-s, --step <number>', 'the last step to take over; 0 begins anew').conflicts('fromStep'))
    .option('-f, --from-step <step>', 'of a workflow, instead: the first step to do again')
    .option('-i, --input <text>', 'input to use instead, as JSON or in words; with --from-step, that of the step')
    .option('-m, --model <model>', 'model to use instead')
    .option('-p, --prompt <text>', 'system prompt to use instead')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .action(later(async () => (await import('./lifecycle.ts')).forkCommand));

  program
    .command('pause')
    .description('let a run and all below it finish what they are at, and begin nothing new')
    .argument('<run>', 'its id')
    .action(later(async () => (await import('./lifecycle.ts')).pauseCommand));

  program
    .command('unpause')
    .description('let a paused run and all below it go on')
    .argument('<run>', 'its id')
    .action(later(async () => (await import('./lifecycle.ts')).unpauseCommand));

  program
    .command('tree')
    .description('show all runs of the tree a run belongs to, and what the whole has used')
    .argument('<run>', 'its id')
    .addOption(json('print one JSON object'))
    .action(later(async () => (await import('./tree.ts')).treeCommand));

  program
    .command('evidence')
    .description('what a run has executed, with exit codes; with a number, all that one of them said')
    .argument('<run>', 'its id')
    .argument('[number]', 'which of them')
    .addOption(json('print every command as a JSON object on a line of its own'))
    .action(later(async () => (await import('./evidence.ts')).evidenceCommand));

  addStepsCommands(program);

  program
    .command('cancel')
    .description('cancel a run and all below it')
    .argument('[run]', 'its id; may be left out where only one is going on')
    .action(later(async () => (await import('./cancel.ts')).cancelCommand));

  addAgentsCommands(program);
  addCredentialsCommands(program);
  addDefinitionsCommands(program);
  addGithubCommand(program);
  addKnowledgeCommands(program);
  addNotebooksCommands(program);
  addWorkspacesCommands(program);
  addMcpCommands(program);
  addTasksCommands(program);
  addTriggersCommands(program);
  addWorkflowsCommands(program);

  return program;
}
