import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
Agents whose knowledge_sources name a document, or "*" for all of their workspace, can search it.

Examples:
  longhaul knowledge add handbook.md report.pdf
  longhaul knowledge search "soak time"
`;

const json = (what: string) => new Option('--json', what);

/** `longhaul knowledge …` */
export function addKnowledgeCommands(program: Command): void {
  const knowledge = program
    .command('knowledge')
    .description('documents that agents can search: add, list, search, remove')
    .addHelpText('after', HELP);
  knowledge
    .command('add')
    .description('add text, Markdown or PDF files, at most 10 MB each')
    .argument('<file...>', 'files to upload')
    .option('-w, --workspace <name>', 'workspace they go to, by name or id (the first one you may write in)')
    .action(later(async () => (await import('./knowledge.ts')).knowledgeAddCommand));
  knowledge
    .command('list')
    .description('list the documents')
    .addOption(json('print every document as a JSON object on a line of its own'))
    .action(later(async () => (await import('./knowledge.ts')).knowledgeListCommand));
  knowledge
    .command('search')
    .description('search the documents, best passages first')
    .argument('<words...>', 'what to look for')
    .option('-w, --workspace <name>', 'only in this workspace, by name or id')
    .option('-l, --limit <number>', 'how many, at most 50', '5')
    .addOption(json('print every passage as a JSON object on a line of its own'))
    .action(later(async () => (await import('./knowledge.ts')).knowledgeSearchCommand));
  knowledge
    .command('rm')
    .description('remove a document')
    .argument('<document>', 'its id or name')
    .action(later(async () => (await import('./knowledge.ts')).knowledgeRemoveCommand));
}
