import { type Block, diffOfLines } from './line-diff.ts';
import { CONTEXT_LINES, formatBlocks } from './patch.ts';
import { linesOf } from './text.ts';

export interface FileChange {
  file_path: string;
  /** Null where there was, or is to be, no file. */
  before: string | null;
  after: string | null;
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '"': '\\"', '\\': '\\\\' };

/** As git writes names in headers: quoted where something in them would be misread. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be quoted
  const risky = /[\u0000-\u001f"\\\u007f]/g;
  if (name.search(risky) === -1) return name;
  const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return `"${name.replace(risky, (char) => ESCAPES[char] ?? octal(char))}"`;
}

/** After a name with a space in it, git wants a tab to know where it ends. */
const named = (prefix: '---' | '+++', name: string | null): string =>
  name === null ? `${prefix} /dev/null\n` : `${prefix} ${quoted(name)}${name.includes(' ') ? '\t' : ''}\n`;

type Kind = 'created' | 'changed' | 'removed';

function headers(file_path: string, kind: Kind, hasHunks: boolean): string {
  const path = file_path.replace(/^\/+/, '');
  const [a, b] = [`a/${path}`, `b/${path}`];
  const mode = kind === 'created' ? 'new file mode 100644\n' : kind === 'removed' ? 'deleted file mode 100644\n' : '';
  const names = named('---', kind === 'created' ? null : a) + named('+++', kind === 'removed' ? null : b);
  return `diff --git ${quoted(a)} ${quoted(b)}\n${mode}${hasHunks ? names : ''}`;
}

/** Blocks whose contexts would meet go into one hunk. */
function near(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1)?.at(-1);
    if (last && block.old_at - (last.old_at + last.old_count) <= 2 * CONTEXT_LINES) groups.at(-1)?.push(block);
    else groups.push([block]);
  }
  return groups;
}

/** A patch from one text to another that `git apply` takes, and that gives exactly the second one. Empty if equal. */
export function gitPatch({ file_path, before, after }: FileChange): string {
  if (before === after) return '';
  const [old, now] = [linesOf(before ?? ''), linesOf(after ?? '')];
  const hunks = near(diffOfLines(old, now)).map((blocks) => formatBlocks(old, now, blocks));
  const kind = before === null ? 'created' : after === null ? 'removed' : 'changed';
  return headers(file_path, kind, hunks.length > 0) + hunks.join('');
}

/** Headers before the patch of a hunk, so that `git apply` takes it. */
export const asGitPatch = (file_path: string, patch: string, kind: Kind = 'changed'): string =>
  headers(file_path, kind, true) + patch;
