import { commandWords } from '../domain/command-words.ts';
import { domainArguments, domainNamed } from '../domain/tool-domains.ts';
import { plural } from './format.ts';
import type { CallItem } from './transcript-items.ts';

type Named = Pick<CallItem, 'name' | 'arguments'>;

const VERBS: Record<string, { now: string; many: (count: number) => string; argument: string }> = {
  read_file: { now: 'Read', many: (n) => `Read ${plural(n, 'file')}`, argument: 'path' },
  list_files: { now: 'List', many: (n) => `Listed ${plural(n, 'folder')}`, argument: 'path' },
  search_content: { now: 'Search', many: (n) => `Searched ${plural(n, 'time')}`, argument: 'query' },
  search_project: { now: 'Search', many: (n) => `Searched ${plural(n, 'time')}`, argument: 'query' },
  search_knowledge: {
    now: 'Search knowledge',
    many: (n) => `Searched the knowledge ${plural(n, 'time')}`,
    argument: 'query',
  },
  write_file: { now: 'Write', many: (n) => `Wrote ${plural(n, 'file')}`, argument: 'path' },
  create_file: { now: 'Create', many: (n) => `Created ${plural(n, 'file')}`, argument: 'path' },
  get_file_metadata: { now: 'Look at', many: (n) => `Looked at ${plural(n, 'file')}`, argument: 'path' },
  update_file_properties: {
    now: 'Set properties of',
    many: (n) => `Set properties of ${plural(n, 'file')}`,
    argument: 'path',
  },
  delete_file: { now: 'Delete', many: (n) => `Deleted ${plural(n, 'file')}`, argument: 'path' },
  'workspace.apply_patch': { now: 'Patch', many: (n) => `Applied ${plural(n, 'patch', 'patches')}`, argument: '' },
  'workspace.move': { now: 'Move', many: (n) => `Moved ${plural(n, 'file')}`, argument: 'from' },
  'git.status': { now: 'Git status', many: (n) => `Git status × ${n}`, argument: '' },
  'git.diff': { now: 'Git diff', many: (n) => `Git diff × ${n}`, argument: 'path' },
  'git.log': { now: 'Git log', many: (n) => `Git log × ${n}`, argument: 'path' },
  'git.branch': { now: 'Branch', many: (n) => `Changed branch ${plural(n, 'time')}`, argument: 'name' },
  'git.commit': { now: 'Commit', many: (n) => `Made ${plural(n, 'commit')}`, argument: 'message' },
  'git.push': { now: 'Push', many: (n) => `Pushed ${plural(n, 'time')}`, argument: 'branch' },
  'git.open_pr': { now: 'Open pull request', many: (n) => `Opened ${plural(n, 'pull request')}`, argument: 'title' },
};

/** The same as the tool of that name, on a checkout. */
const AS_FILE_TOOL: Record<string, string> = {
  'workspace.read': 'read_file',
  'workspace.list': 'list_files',
  'workspace.write': 'write_file',
  'workspace.search': 'search_project',
  'workspace.delete': 'delete_file',
};

/** What is called: of a domain that is one of its operations, whatever the model has made of its name. */
export function calledTool({ name, arguments: given }: Named): Named {
  const [base = '', named] = name.split('.');
  const domain = domainNamed(name) ?? (domainNamed(base) && named ? base : null);
  if (domain === null) return { name, arguments: given };
  const { operation, args } = domainArguments(given);
  const full = `${domain}.${base === domain && named ? named : operation}`;
  return { name: AS_FILE_TOOL[full] ?? full, arguments: args };
}

/** What a call does, as a verb and the one argument that matters; an unknown tool by its name. */
export function callWords(call: Named & Partial<Pick<CallItem, 'delegation'>>): { verb: string; object: string } {
  const command = commandWords(call.name, call.arguments);
  if (command) return { verb: command.operation === 'test' ? 'Test' : 'Run', object: command.command };
  if (call.name === 'approval') return { verb: 'Approve', object: 'this step' };
  const { name, arguments: args } = calledTool(call);
  const known = VERBS[name];
  const given = args[known?.argument ?? 'path'] ?? (known ? '' : Object.values(args)[0]);
  const object = typeof given === 'string' ? given : '';
  if (call.delegation) return { verb: call.delegation.agent_name, object };
  if (!known) return { verb: name, object };
  return { verb: known.now, object: object || (name === 'list_files' ? '/' : '') };
}

export const foldWords = (calls: readonly CallItem[]): string => {
  const [first] = calls;
  const name = first ? calledTool(first).name : '';
  return VERBS[name]?.many(calls.length) ?? `${name} × ${calls.length}`;
};
