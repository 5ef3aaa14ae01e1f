import { createTwoFilesPatch } from 'diff';
import type { Operation } from '../../domain/agent.ts';
import { Failure } from '../../domain/failures.ts';
import type { FileIntent, StagedIntent } from '../../domain/intents.ts';
import { contentHash, type NotebookFiles } from '../../files/notebook-files.ts';
import type { Preview, ToolContext } from './contract.ts';

const PREVIEW_CHARS = 64_000;

/** Where a path really leads, once it is certain that the agent may do this there; nothing behind a link is opened later. */
export async function guarded({ files, guard }: ToolContext, operation: Operation, path: string): Promise<string> {
  const at = await files.actual(path);
  guard(operation, at);
  return at;
}

/** A file as a change finds it; no hash where there is none. */
export interface Before {
  at: string;
  text: string;
  hash: string | null;
}

export async function existing(files: NotebookFiles, at: string): Promise<Before> {
  const { text, hash } = await files.read(at);
  return { at, text, hash };
}

function diff({ at, text, hash }: Before, after: string | null): string {
  const name = at.slice(1);
  const [from, to] = [hash === null ? '/dev/null' : `a/${name}`, after === null ? '/dev/null' : `b/${name}`];
  const patch = createTwoFilesPatch(from, to, text, after ?? '');
  return patch.length > PREVIEW_CHARS ? `${patch.slice(0, PREVIEW_CHARS)}\n… (${patch.length} characters)` : patch;
}

export const previewOf = (before: Before, after: string | null): Preview => ({
  path: before.at,
  preview: diff(before, after),
  base_hash: before.hash,
});

const changed = (at: string): Failure => new Failure('file_changed', `${at} has changed since it was shown.`);

/** An approval is for one place and what was there. A file that is already as it is wanted to be is no surprise. */
export function holdToApproved({ at, hash }: Before, approved: Preview | undefined, wanted?: string): void {
  if (!approved) return;
  if (approved.path !== at) throw changed(at);
  if (approved.base_hash !== hash && (wanted === undefined || hash !== contentHash(wanted))) throw changed(at);
}

/** The new content beside its target, and what is to become of it. */
export async function stageChange(
  files: NotebookFiles,
  before: Before,
  content: string,
  key: string,
  mode?: number,
): Promise<FileIntent> {
  const staged = await files.stage(before.at, content, key, mode);
  return { effect: before.hash === null ? 'create' : 'rename', ...staged };
}

async function happened(intent: FileIntent, files: NotebookFiles): Promise<boolean> {
  switch (intent.effect) {
    case 'rename':
      return (
        (await files.land(intent.staged, intent.target)) || (await files.hash(intent.target)) === intent.after_hash
      );
    case 'create':
      return (
        (await files.create(intent.staged, intent.target)) || (await files.hash(intent.target)) === intent.after_hash
      );
    case 'remove':
      return (await files.remove(intent)) || (await files.hash(intent.target)) === null;
  }
}

/** Once, also where it is called again after a crash: what happened before is found out, not repeated. */
export async function performIntent(intent: StagedIntent, context: ToolContext): Promise<unknown> {
  if (intent.effect !== 'several') return performOne(intent, context);
  const changed = [];
  for (const change of intent.changes) changed.push(await performOne(change, context));
  return { changed };
}

async function performOne(intent: FileIntent, { files }: ToolContext) {
  if (!(await happened(intent, files))) {
    throw new Failure('interrupted', `${intent.target} is not as this call would have left it.`);
  }
  const { target: path } = intent;
  switch (intent.effect) {
    case 'rename':
      return { path, hash: intent.after_hash, written: true };
    case 'create':
      return { path, hash: intent.after_hash, written: true, created: true };
    case 'remove':
      return { path, deleted: true };
  }
}
