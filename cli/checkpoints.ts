import { createInterface } from 'node:readline/promises';
import { openDesk } from './desk.ts';
import { wholeNumber } from './runs.ts';
import { brief, harmless } from './style.ts';
import { tableLines } from './table.ts';
import { Trouble } from './trouble.ts';
import { ago, counted } from './words.ts';

const idOf = (word: string): string => {
  if (/^ckp_[0-9a-z]{26}$/.test(word)) return word;
  throw new Trouble(`"${word}" is not the id of a checkpoint.`, 'See which there are: longhaul checkpoints');
};

export async function checkpointsCommand(given: string | undefined, options: { limit: string; json?: boolean }) {
  const { client, print, style } = await openDesk({ json: options.json ?? false });
  if (given !== undefined) {
    const checkpoint = await client.edits.checkpoints.get(idOf(given));
    if (options.json) {
      print(JSON.stringify(checkpoint));
      return;
    }
    for (const { file_path, hunks } of checkpoint.affected_files) {
      print(style('bold', harmless(file_path)));
      for (const { hunk_id, status, origin } of hunks)
        print(`  ${hunk_id} ${status}${origin === 'user' ? ', by hand' : ''}`);
    }
    return;
  }
  const { items } = await client.edits.checkpoints.list({ limit: wholeNumber('limit', options.limit, 100) });
  if (options.json) {
    for (const item of items) print(JSON.stringify(item));
    return;
  }
  if (items.length === 0) {
    print('There is no checkpoint yet: one is made when the edits of a job are applied.');
    return;
  }
  const rows = items.map(({ checkpoint_id, files, instruction, created_at, rollback }) => [
    checkpoint_id,
    ago(created_at, Date.now()),
    counted(files, 'file'),
    rollback?.state === 'saved' ? 'rolled back' : '',
    brief(instruction, 50),
  ]);
  for (const line of tableLines(['checkpoint', 'made', 'files', '', 'instruction'], rows)) print(line);
}

export interface RollbackOptions {
  hunks?: string;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

async function agreed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim().toLowerCase().startsWith('y');
  } finally {
    terminal.close();
  }
}

/** All of a job, later changes of its files included; or the hunks that are named, and nothing else. */
export async function rollbackCommand(given: string, { hunks, yes, dryRun, json }: RollbackOptions): Promise<void> {
  const id = idOf(given);
  const { client, print, prompting } = await openDesk({ json: json ?? false });
  const hunk_ids = hunks?.split(',').flatMap((hunk) => hunk.trim() || []) ?? [];
  const mode = hunk_ids.length > 0 ? 'scoped_selected' : 'hard_all';
  const back = await client.edits.checkpoints.rollback(id, { mode, hunk_ids });
  if (json && dryRun) {
    print(JSON.stringify(back));
    return;
  }
  for (const { file_path, working_buffer } of json ? [] : back.files) {
    print(`  ${harmless(file_path)}${working_buffer === null ? ' goes' : ''}`);
  }
  if (back.conflicts.length > 0) {
    const said = back.conflicts.map(({ file_path, hunk_id, message }) => `  ${file_path} ${hunk_id}: ${message}`);
    throw new Trouble('Some of it was changed since and cannot be taken back:', said.map(harmless).join('\n'));
  }
  if (dryRun) {
    print(`${counted(back.files.length, 'file')} would be changed; nothing was written.`);
    return;
  }
  const warning = mode === 'hard_all' ? ' Later changes of these files are lost.' : '';
  if (!yes) {
    if (!prompting) throw new Trouble('Nothing was written.', `Say that it is meant: longhaul rollback ${id} --yes`);
    if (!(await agreed(`Write this to disk?${warning} [y/n] `))) {
      print('Nothing was written.');
      return;
    }
  }
  const saved = await client.edits.checkpoints.save(id, { rollback_id: back.rollback_id });
  print(json ? JSON.stringify(saved) : `${counted(saved.saved_files.length, 'file')} written.`);
}
