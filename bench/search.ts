import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotebookFiles } from '../files/notebook-files.ts';
import { ripgrep } from '../files/ripgrep.ts';
import { filesWithText, searchText, type TextHit } from '../files/search.ts';
import { byTurns, numbers, prose, put } from './sample-text.ts';

const ROUNDS = 11;
const LIMIT = 20;

/** What `search_project` does with a query. */
async function firstHits(files: NotebookFiles, query: string): Promise<TextHit[]> {
  const search = { query, sees: () => true, signal: new AbortController().signal };
  const hits: TextHit[] = [];
  for await (const hit of searchText(files, await filesWithText(files, search), search)) {
    hits.push(hit);
    if (hits.length >= LIMIT) break;
  }
  return hits;
}

const TREE = 50_000;
const QUERIES = { rare: 'needle in the tray', some: 'pump pump pump', everywhere: 'water', nowhere: 'no such words' };

export async function searching(say: (line: string) => void, scale: number): Promise<Record<string, number>> {
  const program = await ripgrep();
  if (!program) throw new Error('there is no ripgrep for this system to compare with');
  const root = mkdtempSync(join(tmpdir(), 'longhaul-bench-search-'));
  try {
    const next = numbers(3);
    const count = Math.round(TREE * scale);
    for (let n = 0; n < count; n++) {
      const text = prose(next, 20) + (n % 5_000 === 17 ? 'a Needle in the Tray\n' : '');
      put(root, `d${n % 25}/e${n % 500}/f${n}.md`, text);
    }
    say(`${count} files to search`);
    const files = await NotebookFiles.at(root);
    const ratios: Record<string, number> = {};
    for (const [name, query] of Object.entries(QUERIES)) {
      const rg = () =>
        new Promise((ended) => {
          const child = spawn(program, ['--fixed-strings', '--ignore-case', query, './'], {
            cwd: root,
            stdio: ['ignore', 'pipe', 'ignore'],
          });
          child.stdout.resume();
          child.on('close', ended);
        });
      const took = await byTurns(ROUNDS, () => firstHits(files, query), rg);
      say(`search ${name}: ${took.ours.toFixed(0)} ms, rg ${took.theirs.toFixed(0)} ms`);
      ratios[`search_${name}_ratio`] = took.ratio;
    }
    return { ...ratios, search_ratio: Math.max(...Object.values(ratios)) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
