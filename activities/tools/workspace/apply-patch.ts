import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import type { FileIntent } from '../../../domain/intents.ts';
import { mayAnywhere } from '../../../domain/scope.ts';
import { effectTool, type ToolContext } from '../contract.ts';
import { type Before, existing, guarded, performIntent, previewOf, stageChange } from '../file-changes.ts';

const MOST_FILES = 200;

/** A file as the patch finds it and as it leaves it; no text where it is not there any more. */
interface Change {
  before: Before;
  text: string | null;
  mode?: number;
}

const rejected = (why: string, details: Record<string, unknown> = {}): Failure =>
  new Failure('patch_rejected', why, details);

function parsed(patch: string): StructuredPatch[] {
  let files: StructuredPatch[];
  try {
    files = parsePatch(patch.endsWith('\n') ? patch : `${patch}\n`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw rejected(`The patch is not a unified diff: ${why}`, {});
  }
  if (files.length === 0) throw rejected('The patch holds no change.');
  if (files.length > MOST_FILES) throw rejected(`The patch changes more than ${MOST_FILES} files.`);
  if (files.some(({ isBinary }) => isBinary)) throw rejected('The patch holds a binary file; only text is patched.');
  return files;
}

/** `a/x`, as git writes it, is x; nothing stands for no file. */
function pathIn(name: string | undefined, prefix: 'a/' | 'b/'): string | null {
  if (name === undefined || name === '/dev/null') return null;
  return name.startsWith(prefix) ? name.slice(2) : name;
}

const isExecutable = (mode: string | undefined): boolean => mode?.endsWith('755') === true;

/** The whole patch in memory: whatever does not fit is found before anything is touched. */
class Patched {
  readonly changes = new Map<string, Change>();
  constructor(private readonly context: ToolContext) {}

  /** What is at a path by now; a file that is not there has no text. */
  private async at(path: string): Promise<Change> {
    const { files, may, guard } = this.context;
    const place = await files.actual(path);
    const known = this.changes.get(place);
    if (known) return known;
    // Who may do nothing there is not told by the refusal whether there is such a file.
    if (!may('create', place) && !may('delete', place)) guard('write', place);
    const exists = (await files.hash(place)) !== null;
    const before = exists ? await existing(files, place) : { at: place, text: '', hash: null };
    return { before, text: exists ? before.text : null };
  }

  private async set(change: Change, text: string | null, mode?: number): Promise<void> {
    const { before } = change;
    const operation = text === null ? 'delete' : before.hash === null ? 'create' : 'write';
    await guarded(this.context, operation, before.at);
    this.changes.set(before.at, { before, text, ...(mode === undefined ? {} : { mode }) });
  }

  async take(patch: StructuredPatch): Promise<void> {
    const from = pathIn(patch.oldFileName, 'a/');
    const to = pathIn(patch.newFileName, 'b/');
    if (from === null && to === null) throw rejected('The patch does not say which file it changes.');
    const source = from === null ? null : await this.at(from);
    const goal = to === null ? null : to === from ? source : await this.at(to);
    const old = source ?? goal;
    if (source?.text === null) throw rejected(`There is no file ${from} to change.`, { path: from });
    if (goal && goal !== source && goal.text !== null) throw rejected(`There is a file ${to} already.`, { path: to });
    const text = patched(old?.text ?? '', patch, to ?? from ?? '');
    const kept = old && source ? await this.context.files.mode(old.before.at) : null;
    const mode = patch.newMode ? (isExecutable(patch.newMode) ? 0o755 : 0o644) : (kept ?? undefined);
    if (goal) await this.set(goal, text, mode);
    if (source && source !== goal && !patch.isCopy) await this.set(source, null);
  }
}

/** A file without a final newline may be patched by one who thinks that it has one. */
function patched(text: string, patch: StructuredPatch, path: string): string {
  if (patch.hunks.length === 0) return text;
  const fitted = applyPatch(text, patch);
  if (fitted !== false) return fitted;
  const hunk = patch.hunks.find((one) => applyPatch(text, { ...patch, hunks: [one] }) === false);
  const where = hunk ? `, at line ${hunk.oldStart}` : '';
  throw rejected(`The patch does not fit ${path}${where}: the lines there are others.`, {
    path,
    ...(hunk ? { hunk: hunk.lines.slice(0, 20) } : {}),
  });
}

async function changesOf(patch: string, context: ToolContext): Promise<Change[]> {
  const result = new Patched(context);
  for (const file of parsed(patch)) await result.take(file);
  return [...result.changes.values()].filter(({ before, text }) => before.hash !== null || text !== null);
}

const shown = (changes: Change[]): string =>
  changes.map(({ before, text }) => previewOf(before, text).preview).join('\n');

async function stage({ before, text, mode }: Change, { files }: ToolContext, key: string): Promise<FileIntent> {
  if (text === null) return { effect: 'remove', ...(await files.stageRemoval(before.at, key)) };
  return stageChange(files, before, text, key, mode);
}

export const applyPatchTool = effectTool({
  name: 'apply_patch',
  description: 'Applies a unified diff (as git diff writes it) to any number of files: all of it, or nothing.',
  aliases: [],
  argument_aliases: { diff: 'patch' },
  operation: 'write',
  offered: (agent, notebook) => notebook !== null && (mayAnywhere(agent, 'write') || mayAnywhere(agent, 'create')),
  input: z.strictObject({
    patch: z.string().min(1).max(1_000_000).describe('Unified diff, paths from the root'),
  }),
  target: () => null,
  async preview({ patch }, context) {
    const changes = await changesOf(patch, context);
    const [first] = changes;
    return {
      path: changes.length === 1 && first ? first.before.at : null,
      preview: shown(changes),
      base_hash: null,
    };
  },
  async prepare({ patch }, context, key, approved) {
    const changes = await changesOf(patch, context);
    if (approved && approved.preview !== shown(changes)) {
      throw new Failure('file_changed', 'What the patch changes is no longer as it was shown.');
    }
    const staged: FileIntent[] = [];
    try {
      for (const change of changes) {
        staged.push(await stage(change, context, `${key}-${staged.length}`));
      }
    } catch (error) {
      await Promise.all(staged.map((one) => context.files.discard(one.staged, one.target).catch(() => undefined)));
      throw error;
    }
    return { effect: 'several', changes: staged };
  },
  perform: performIntent,
});
