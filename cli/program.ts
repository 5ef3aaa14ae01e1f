import { Command, Option } from 'commander';
import { runStatusSchema } from '../domain/run.ts';
import { addAgentsCommands } from './agents-program.ts';
import { answerCommand } from './answer.ts';
import { approveCommand } from './approve.ts';
import { auditCommand } from './audit.ts';
import { cancelCommand } from './cancel.ts';
import { chatCommand } from './chat.ts';
import { credentialsListCommand, credentialsRemoveCommand, credentialsSetCommand } from './credentials.ts';
import { doctorCommand } from './doctor.ts';
import { filesCatCommand, filesListCommand } from './files.ts';
import {
  knowledgeAddCommand,
  knowledgeListCommand,
  knowledgeRemoveCommand,
  knowledgeSearchCommand,
} from './knowledge.ts';
import { forkCommand, pauseCommand, resumeCommand, unpauseCommand } from './lifecycle.ts';
import { notebooksAddCommand, notebooksListCommand, notebooksRemoveCommand } from './notebooks.ts';
import { runCommand } from './run.ts';
import { runsCommand } from './runs.ts';
import { sessionsCommand } from './sessions.ts';
import { START_FLAGS, startCommand } from './start.ts';
import {
  tasksAddCommand,
  tasksAssignCommand,
  tasksListCommand,
  tasksRemoveCommand,
  tasksShowCommand,
} from './tasks.ts';
import { treeCommand } from './tree.ts';
import { watchCommand } from './watch.ts';

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

const CHAT_HELP = `
On a terminal it goes on until you say nothing more: what you say is answered as \`longhaul run\`
does it, and what the agent asks is asked here. Elsewhere one message is sent and answered.
The conversation is kept: each message is heard with all that was said before.

Examples:
  longhaul chat
  longhaul chat --agent reviewer "what is left to do in the draft?"
  longhaul chat --session ses_…                      goes on where it was
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

const KNOWLEDGE_HELP = `
Agents whose knowledge_sources name a document, or "*" for all of their workspace, can search it.

Examples:
  longhaul knowledge add handbook.md report.pdf
  longhaul knowledge search "soak time"
`;

const NOTEBOOKS_HELP = `
A notebook is a folder on the server, below one of its LONGHAUL_NOTEBOOK_ROOTS, or a git repository.
Removing one takes it from the lists; its files are never touched.

Examples:
  longhaul notebooks
  longhaul notebooks add /srv/letters --name Letters
  longhaul notebooks add git@example.org:team/handbook.git --branch main
  longhaul notebooks rm Letters
`;

const CREDENTIALS_HELP = `
api_key and api_base are what the agent's model is called with, before the installation's own.
On a terminal the value is asked for and not shown; in a script it is read from the standard
input. It is never an argument: those are seen by everybody on the machine and kept in histories.

Examples:
  longhaul credentials set reviewer api_key
  pass show openai | longhaul credentials set reviewer api_key
  longhaul credentials list reviewer
`;

const AUDIT_HELP = `
Admins see all of their workspaces, others what they did and what was done for them.

Examples:
  longhaul audit --denied --since 7d
  longhaul audit --agent reviewer --action tool
  longhaul audit --export csv > audit.csv
`;

const TASKS_HELP = `
Assigning a task starts a run; when the run ends, the task is done or says why it failed.

Examples:
  longhaul tasks
  longhaul tasks add --agent summarizer "summarize last week's experiments"
  longhaul tasks assign tsk_… reviewer
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
  start.action(startCommand);

  program
    .command('doctor')
    .description('say what was found on this machine, what is missing and how to get it')
    .addOption(json('print one JSON object'))
    .action(doctorCommand);

  program
    .command('run')
    .description('start a run and watch it')
    .argument('<instruction...>', 'what is to be done; - reads it from the standard input')
    .option('-a, --agent <slug>', 'agent to run, by slug, name or id (the demo assistant, else the first one)')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the first one the agent may use)')
    .option('--max-iterations <number>', 'most model calls this run may make')
    .option('--max-tokens <number>', 'most tokens this run and all below it may use')
    .option('--max-cost <dollars>', 'most it may cost, with all below it')
    .option('--schema <json>', 'JSON Schema that its output must fit, or a file that holds one')
    .option('--quote', 'say what it would probably cost, and start nothing')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .addHelpText('after', RUN_HELP)
    .action(runCommand);

  program
    .command('chat')
    .description('talk with an agent; the conversation outlives its runs')
    .argument('[message...]', 'what to say first')
    .option('-a, --agent <slug>', 'agent to talk with, by slug, name or id (the demo assistant, else the first one)')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the first one the agent may use)')
    .option('-s, --session <id>', 'conversation to go on with')
    .addHelpText('after', CHAT_HELP)
    .action(chatCommand);

  program
    .command('sessions')
    .description('list your conversations, newest activity first')
    .option('--archived', 'only those in the archive')
    .option('-l, --limit <number>', 'how many, at most 100', '20')
    .addOption(json('print every session as a JSON object on a line of its own'))
    .action(sessionsCommand);

  program
    .command('runs')
    .description('list runs, newest first')
    .option('-s, --status <status>', `only these, with commas between them: ${runStatusSchema.options.join(', ')}`)
    .option('-l, --limit <number>', 'how many, at most 100', '20')
    .addOption(json('print every run as a JSON object on a line of its own'))
    .action(runsCommand);

  program
    .command('watch')
    .description('show a run from its beginning and follow it')
    .argument('[run]', 'its id; without it the newest')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .addHelpText('after', WATCH_HELP)
    .action(watchCommand);

  program
    .command('answer')
    .description('answer the question of a run')
    .argument('[run-and-text...]', 'id of the run, which may be left out where only one asks, and the answer')
    .option('--skip', 'let the agent go on without an answer')
    .addHelpText('after', ANSWER_HELP)
    .action(answerCommand);

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
    .action(approveCommand);

  program
    .command('resume')
    .description('go on where a run failed, as a new run that takes over what was done')
    .argument('<run>', 'its id')
    .option('-i, --input <text>', 'input to use instead, as JSON or in words')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .action(resumeCommand);

  program
    .command('fork')
    .description('take another turn at a step of an ended run, with the files as they were there')
    .argument('<run>', 'its id')
    .requiredOption('-s, --step <number>', 'the last step to take over; 0 begins anew')
    .option('-i, --input <text>', 'input to use instead, as JSON or in words')
    .option('-m, --model <model>', 'model to use instead')
    .option('-p, --prompt <text>', 'system prompt to use instead')
    .option('-d, --detach', 'start it and leave at once')
    .addOption(json('print every event as a JSON object on a line of its own, and the run as the last one'))
    .action(forkCommand);

  program
    .command('pause')
    .description('let a run and all below it finish what they are at, and begin nothing new')
    .argument('<run>', 'its id')
    .action(pauseCommand);

  program
    .command('unpause')
    .description('let a paused run and all below it go on')
    .argument('<run>', 'its id')
    .action(unpauseCommand);

  program
    .command('tree')
    .description('show all runs of the tree a run belongs to, and what the whole has used')
    .argument('<run>', 'its id')
    .addOption(json('print one JSON object'))
    .action(treeCommand);

  program
    .command('cancel')
    .description('cancel a run and all below it')
    .argument('[run]', 'its id; may be left out where only one is going on')
    .action(cancelCommand);

  addAgentsCommands(program);

  const credentials = program
    .command('credentials')
    .description('keys of an agent of its own, kept sealed: list, set, remove')
    .addHelpText('after', CREDENTIALS_HELP);
  credentials
    .command('list')
    .description('list their names; values are never shown')
    .argument('<agent>', 'the agent, by slug, name or id')
    .addOption(json('print every credential as a JSON object on a line of its own'))
    .action(credentialsListCommand);
  credentials
    .command('set')
    .description('set or replace one')
    .argument('<agent>', 'the agent, by slug, name or id')
    .argument('[key]', 'its name', 'api_key')
    .action(credentialsSetCommand);
  credentials
    .command('rm')
    .description('remove one')
    .argument('<agent>', 'the agent, by slug, name or id')
    .argument('<key>', 'its name')
    .action(credentialsRemoveCommand);

  const knowledge = program
    .command('knowledge')
    .description('documents that agents can search: add, list, search, remove')
    .addHelpText('after', KNOWLEDGE_HELP);
  knowledge
    .command('add')
    .description('add text, Markdown or PDF files, at most 10 MB each')
    .argument('<file...>', 'files to upload')
    .option('-w, --workspace <name>', 'workspace they go to, by name or id (the first one you may write in)')
    .action(knowledgeAddCommand);
  knowledge
    .command('list')
    .description('list the documents')
    .addOption(json('print every document as a JSON object on a line of its own'))
    .action(knowledgeListCommand);
  knowledge
    .command('search')
    .description('search the documents by words, best passages first')
    .argument('<words...>', 'what to look for')
    .option('-w, --workspace <name>', 'only in this workspace, by name or id')
    .option('-l, --limit <number>', 'how many, at most 50', '5')
    .addOption(json('print every passage as a JSON object on a line of its own'))
    .action(knowledgeSearchCommand);
  knowledge
    .command('rm')
    .description('remove a document')
    .argument('<document>', 'its id or name')
    .action(knowledgeRemoveCommand);

  const notebooks = program
    .command('notebooks')
    .description('notebooks, the files that runs work on: list, add, remove')
    .addHelpText('after', NOTEBOOKS_HELP);
  notebooks
    .command('list', { isDefault: true })
    .description('list the notebooks')
    .addOption(json('print every notebook as a JSON object on a line of its own'))
    .action(notebooksListCommand);
  notebooks
    .command('add')
    .description('add a folder on the server, or a git repository')
    .argument('<folder-or-address>', 'where it is')
    .option('-n, --name <name>', 'what it is called (the last part of where it is)')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you administer)')
    .option('-b, --branch <name>', 'branch of a git repository to show (its default one)')
    .action(notebooksAddCommand);
  notebooks
    .command('rm')
    .description('take a notebook from the lists; its files stay')
    .argument('<notebook>', 'its id or name')
    .action(notebooksRemoveCommand);

  const files = program.command('files').description('files of a notebook: list a folder, print a file');
  files
    .command('ls')
    .description('list a folder')
    .argument('<notebook>', 'its id or name')
    .argument('[path]', 'folder, from the root of the notebook')
    .addOption(json('print every entry as a JSON object on a line of its own'))
    .action(filesListCommand);
  files
    .command('cat')
    .description('print a text file')
    .argument('<notebook>', 'its id or name')
    .argument('<path>', 'file, from the root of the notebook')
    .action(filesCatCommand);

  const tasks = program
    .command('tasks')
    .description('list tasks, newest first; add, assign and remove them')
    .addOption(json('print every task as a JSON object on a line of its own'))
    .addHelpText('after', TASKS_HELP)
    .action(tasksListCommand);
  tasks
    .command('add')
    .description('make a task, and assign it where an agent is named')
    .argument('<title...>', 'what is to be done')
    .option('-d, --description <text>', 'what more there is to say')
    .option('-a, --agent <slug>', 'agent that does it, by slug, name or id; its run starts at once')
    .option('-n, --notebook <name>', 'notebook to work on, by name or id (the first one the agent may use)')
    .option('-w, --workspace <name>', 'workspace it belongs to, by name or id (that of the agent, else the first)')
    .action(tasksAddCommand);
  tasks
    .command('show')
    .description('show a task')
    .argument('<task>', 'its id')
    .addOption(json('print it as a JSON object'))
    .action(tasksShowCommand);
  tasks
    .command('assign')
    .description('give a task to an agent: its run starts at once')
    .argument('<task>', 'its id')
    .argument('<agent>', 'the agent, by slug, name or id')
    .action(tasksAssignCommand);
  tasks.command('rm').description('remove a task').argument('<task>', 'its id').action(tasksRemoveCommand);

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
    .action(auditCommand);

  return program;
}
