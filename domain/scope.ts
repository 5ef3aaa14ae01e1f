import type { Agent, Operation } from './agent.ts';
import { Failure } from './failures.ts';
import { globMatcher } from './glob.ts';

export type ScopeVerdict = { allowed: true } | { allowed: false; rule: string };

/**
 * A path as the notebook knows it: `/a/b`, always from the notebook root. Whatever could mean another place than it
 * seems to (dot-dot, NUL, backslash, percent-encoded separators) is refused instead of being cleaned up.
 */
export function notebookPath(path: string): string {
  const refuse = (why: string): never => {
    throw new Failure('scope_violation', `The path ${JSON.stringify(path)} ${why}.`, { scope_violation: true });
  };
  if (path.includes('\0')) refuse('holds a NUL');
  if (path.includes('\\')) refuse('holds a backslash');
  if (/%(2e|2f|5c|00)/i.test(path)) refuse('holds encoded separators');
  if (path !== path.normalize('NFC')) refuse('is not in normal form (NFC)');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) refuse('leaves the notebook');
  return `/${parts.join('/')}`;
}

export const CAPABILITY = {
  read: 'can_read',
  write: 'can_write',
  create: 'can_create',
  delete: 'can_delete',
  execute: 'can_execute_code',
} as const satisfies Record<Operation, keyof Agent>;

function inFolder(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === '/' || pattern === '/*') return true;
  const rooted = pattern.startsWith('/') ? pattern : `/${pattern}`;
  const folder = rooted.endsWith('/*') ? rooted.slice(0, -2) : rooted.replace(/\/$/, '');
  if (!/[*?[\]{}!]/.test(folder)) return path === folder || path.startsWith(`${folder}/`);
  return globMatcher(rooted)(path);
}

/** `*.md` is a glob; `md` and `.md` mean the ending, as everybody expects. */
const hasType = (name: string, type: string): boolean =>
  /[*?[\]{}!]/.test(type) ? globMatcher(type)(name) : name === type || name.endsWith(`.${type.replace(/^\./, '')}`);

/** Deny by default: notebook, operation, capability, folder and file type must all allow. */
export function scopeVerdict(
  agent: Agent,
  notebookId: string,
  operation: Operation,
  path: string | null,
): ScopeVerdict {
  const { notebooks = [], operations, folders, file_types } = agent.scope;
  const no = (rule: string): ScopeVerdict => ({ allowed: false, rule });
  if (!notebooks.includes('*') && !notebooks.includes(notebookId)) return no('the notebook is not in its scope');
  if (operations && !operations.includes(operation)) return no(`its scope does not list the operation ${operation}`);
  if (agent[CAPABILITY[operation]] !== true) return no(`${CAPABILITY[operation]} is off`);
  if (path === null || path === '/') return { allowed: true };
  if (folders && !folders.some((pattern) => inFolder(path, pattern))) return no('no folder rule covers the path');
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (file_types && !file_types.some((type) => hasType(name, type))) {
    return no('no file type rule covers the name');
  }
  return { allowed: true };
}
