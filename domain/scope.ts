import type { Agent, Operation, Scope } from './agent.ts';
import { Failure } from './failures.ts';
import { globMatcher } from './glob.ts';
import { trickIn } from './path-tricks.ts';

/** The rule says in words, with its number, by what it is allowed or refused. */
export type ScopeVerdict = { allowed: true; rule: string } | { allowed: false; rule: string };

/**
 * A path as the notebook knows it: `/a/b`, always from the notebook root. Whatever could mean another place than it
 * seems to (dot-dot, NUL, backslash, encodings, look-alikes) is refused instead of being cleaned up.
 */
export function notebookPath(path: string): string {
  const trick = trickIn(path);
  if (trick !== null) {
    const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
    throw new Failure('scope_violation', `The path ${shown} ${trick}.`, { scope_violation: true });
  }
  return rooted(path);
}

const rooted = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;

export const CAPABILITY = {
  read: 'can_read',
  write: 'can_write',
  create: 'can_create',
  delete: 'can_delete',
  execute: 'can_execute_code',
} as const satisfies Record<Operation, keyof Agent>;

const isGlob = (pattern: string): boolean => /[*?[\]{}]/.test(pattern);

const rootedRule = (pattern: string): string => `/${pattern.normalize('NFC')}`.replace(/\/+/g, '/');
/** What `/x`, `/x/` and `/x/*` have in common. */
const folderOf = (pattern: string): string => rootedRule(pattern).replace(/\/\*?$/, '');

function inFolder(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === '/' || pattern === '/*') return true;
  const folder = folderOf(pattern);
  if (!isGlob(folder)) return path === folder || path.startsWith(`${folder}/`);
  return globMatcher(rootedRule(pattern))(path);
}

/** `*.md` is a glob; `md` and `.md` mean the ending, as everybody expects. */
function hasType(path: string, type: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const wanted = type.normalize('NFC');
  return isGlob(wanted) ? globMatcher(wanted)(name) : name === wanted || name.endsWith(`.${wanted.replace(/^\./, '')}`);
}

const MOST_NAMED = 5;

/** `folder rule 2 (/drafts/*)`, or which there are where none covers the path; an empty list covers nothing. */
function byRules(
  kind: string,
  rules: string[],
  path: string,
  covers: (path: string, rule: string) => boolean,
): ScopeVerdict {
  const named = (rule: string, index: number) => `${index + 1} (${rule})`;
  const found = rules.findIndex((rule) => covers(path, rule));
  const rule = rules[found];
  if (rule !== undefined) return { allowed: true, rule: `${kind} rule ${named(rule, found)}` };
  const listed = rules.slice(0, MOST_NAMED).map(named).join(', ');
  const more = rules.length > MOST_NAMED ? ` and ${rules.length - MOST_NAMED} more` : '';
  return { allowed: false, rule: `no ${kind} rule covers ${path}: there is ${listed || 'none'}${more}` };
}

/** Whether anything in a folder, however deep, may be covered by the folder rules: then it may be listed, name by name. */
export const mayHold = ({ folders }: Scope, folder: string): boolean =>
  !folders ||
  folder === '/' ||
  folders.some((rule) => inFolder(folder, rule) || isGlob(folderOf(rule)) || folderOf(rule).startsWith(`${folder}/`));

/**
 * Whether no folder is left out, or no file: neither by its folder nor by its kind. What cannot be held to a part of the
 * notebook may be done only then.
 */
export function coversEvery(what: 'folder' | 'file', { folders, file_types }: Scope): boolean {
  if (what === 'file' && file_types) return false;
  return !folders || folders.some((rule) => rule === '*' || rule === '/' || rule === '/*');
}

/** Whether there is any place where the agent may do this. */
export const mayAnywhere = (agent: Agent, operation: Operation): boolean =>
  agent[CAPABILITY[operation]] && (agent.scope.operations?.includes(operation) ?? true);

function notebookVerdict(agent: Agent, notebookId: string, operation: Operation): ScopeVerdict {
  const { notebooks = [], operations }: Scope = agent.scope;
  const no = (rule: string): ScopeVerdict => ({ allowed: false, rule });
  if (!notebooks.includes('*') && !notebooks.includes(notebookId)) return no('the notebook is not in its scope');
  if (operations && !operations.includes(operation)) return no(`its scope does not list the operation ${operation}`);
  if (!agent[CAPABILITY[operation]]) return no(`${CAPABILITY[operation]} is off`);
  return { allowed: true, rule: `${CAPABILITY[operation]} is on` };
}

/** Deny by default: notebook, operation, capability, folder and file type must all allow. */
export function scopeVerdict(
  agent: Agent,
  notebookId: string,
  operation: Operation,
  path: string | null,
): ScopeVerdict {
  const general = notebookVerdict(agent, notebookId, operation);
  if (!general.allowed || path === null) return general;
  const no = (rule: string): ScopeVerdict => ({ allowed: false, rule });
  const trick = trickIn(path);
  if (trick !== null) return no(`the path ${trick}`);
  if (rooted(path) !== path) return no('the path does not begin at the root of the notebook');
  // What is in the root is told by the rules, name by name.
  if (path === '/' && operation === 'read') return general;
  // Hooks and settings of git are run as commands by whoever uses git there.
  if (operation !== 'read' && /\/\.git(?:\/|$)/i.test(path)) return no('the files of git itself are left to git');
  const { folders, file_types } = agent.scope;
  const asked = [
    ...(folders ? [byRules('folder', folders, path, inFolder)] : []),
    ...(file_types ? [byRules('file type', file_types, path, hasType)] : []),
  ];
  const refused = asked.find(({ allowed }) => !allowed);
  if (refused) return refused;
  return {
    allowed: true,
    rule: asked.map(({ rule }) => rule).join(' and ') || 'its scope has no folder or file type rules',
  };
}
