import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FileLog, openLog, recordUserEdit } from '../domain/edits/change-log.ts';
import type { BaseFile, ProposedEdit } from '../domain/edits/edit.ts';
import { type Composed, composeBundle } from '../domain/edits/hunks.ts';
import { replay } from '../domain/edits/replay.ts';
import { linesOf, rangeHash } from '../domain/edits/text.ts';
import { contentHash, textOf } from '../files/file-bytes.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import { severalAtOnce } from './measure.ts';
import { byTurns, numbers, prose, put } from './sample-text.ts';
import { searching } from './search.ts';

const ROUNDS = 9;
const run = promisify(execFile);

const FILES = 500;
const EDITS_A_FILE = 4;
const LINES = 300;
/** Files read at a time. */
const AT_ONCE = 16;

/** Four edits a file, each of a line or a few. */
function editsOf(path: string, text: string, next: (below: number) => number): ProposedEdit[] {
  return Array.from({ length: EDITS_A_FILE }, (_, n): ProposedEdit => {
    const start_line = 1 + n * Math.floor(LINES / EDITS_A_FILE) + next(40);
    const about = { edit_id: `${path}#${n}`, file_path: path, start_line, rationale: 'as asked' };
    if (n === 1) {
      const expected_hash = rangeHash(text, start_line, start_line);
      return { ...about, operation: 'insert', new_text: prose(next, 3), expected_hash };
    }
    const end_line = start_line + next(4);
    const expected_hash = rangeHash(text, start_line, end_line);
    if (n === 2) return { ...about, operation: 'delete', end_line, new_text: '', expected_hash };
    const new_text = linesOf(text)
      .slice(start_line - 1, end_line)
      .map((line) => line.replace(/\n$/, ' again\n'))
      .join('');
    return { ...about, operation: 'replace', end_line, new_text, expected_hash };
  });
}

async function bundle(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const home = mkdtempSync(join(tmpdir(), 'longhaul-bench-edits-'));
  const root = join(home, 'repository');
  try {
    const next = numbers(1);
    const paths = Array.from({ length: Math.max(1, Math.round(FILES * scale)) }, (_, n) => `/d${n % 20}/f${n}.md`);
    const texts = new Map(paths.map((path) => [path, prose(next, LINES)]));
    const edits = paths.flatMap((path) => editsOf(path, texts.get(path) ?? '', next));
    for (const [path, text] of texts) {
      put(root, path, text);
      put(join(home, 'before'), path, text);
    }
    const git = (...args: string[]) => run('git', args, { cwd: root, maxBuffer: 1 << 28 });
    await git('init', '-q');
    await git('add', '.');
    const files = await NotebookFiles.at(join(home, 'before'));
    const bytes = new Map([...texts].map(([path, text]) => [path, Buffer.from(text)]));
    /** From what the files hold, with their hashes. */
    const compose = async (): Promise<Composed> =>
      composeBundle(edits, (path) => {
        const content = bytes.get(path) ?? Buffer.alloc(0);
        return { text: textOf(content, path), hash: contentHash(content) };
      });
    /** From the disk, folder by folder and link by link as everything is read in a run. */
    const readAndCompose = async (): Promise<Composed> => {
      const read = new Map<string, BaseFile>();
      await severalAtOnce(paths.length, AT_ONCE, async (n) => {
        const path = paths[n] ?? '';
        read.set(path, await files.read(path));
      });
      return composeBundle(edits, (path) => read.get(path) ?? null);
    };
    const composed = await readAndCompose();
    const hunks = composed.files.reduce((sum, file) => sum + file.hunks.length, 0);
    if (composed.problems.length > 0 || hunks < edits.length) {
      throw new Error(`${hunks} hunks of ${edits.length} edits`);
    }
    for (const file of composed.files) {
      put(root, file.file_path, replay(openLog(texts.get(file.file_path) ?? '', file)).text ?? '');
    }
    const diff = () => git('diff', '--no-color');
    const took = await byTurns(ROUNDS, compose, diff);
    const read = await byTurns(ROUNDS, readAndCompose, diff);
    const [ours, theirs] = [took.ours.toFixed(1), took.theirs.toFixed(1)];
    say(`bundle of ${hunks} hunks in ${paths.length} files: ${ours} ms, git diff ${theirs} ms`);
    return { bundle_ms: took.ours, bundle_ratio: took.ratio, read_and_bundle_ratio: read.ratio };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const CHANGES = 5_000;

/** Half of the changes are an agent's hunks, half were made by hand on top of them. */
function longLog(count: number): FileLog {
  const next = numbers(2);
  const text = prose(next, count * 2);
  const lines = linesOf(text);
  const half = Math.floor(count / 2);
  const edits = Array.from({ length: half }, (_, n): ProposedEdit => {
    const start_line = 1 + n * 4;
    const expected_hash = rangeHash(lines[start_line - 1] ?? '', 1, 1);
    return {
      edit_id: `e_${n}`,
      file_path: '/long.md',
      operation: 'replace',
      start_line,
      end_line: start_line,
      new_text: `hunk ${n}`,
      expected_hash,
    };
  });
  const { files, problems } = composeBundle(edits, () => ({ text }));
  const [file] = files;
  if (!file) throw new Error(problems[0]?.message ?? 'no bundle');
  const log = openLog(text, file);
  const typed = linesOf(replay(log).text ?? '').map((line, n) =>
    n % 4 === 2 && n / 4 < count - half ? `by hand ${n}\n` : line,
  );
  let ids = 0;
  return recordUserEdit(log, typed.join(''), () => `u_${++ids}`).log;
}

async function replaying(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const log = longLog(Math.round(CHANGES * scale));
  // As it comes from the store, and not with everything at hand that making it has left.
  const stored = JSON.stringify(log);
  let kept: FileLog = log;
  const { ours: replay_ms } = await byTurns(
    ROUNDS,
    async () => replay(kept),
    async () => {
      kept = JSON.parse(stored);
    },
  );
  say(`replay of ${log.changes.length} changes: ${replay_ms.toFixed(1)} ms`);
  return { replay_ms };
}

/** Proposals, replay and search, beside git and ripgrep at the same work. */
export async function edits(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  return { ...(await bundle(say, scale)), ...(await replaying(say, scale)), ...(await searching(say, scale)) };
}
