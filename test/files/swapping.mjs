import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

// A thread of its own: a folder and a file of the notebook are links to the outside at one moment, and themselves at
// the next. JavaScript, since threads do not go through what turns the tests into it.
const { root, outside, times } = workerData;
const at = (name) => join(root, name);
const attempt = (work) => {
  try {
    work();
  } catch {
    // The other side was there first: the next round begins anew.
  }
};

for (let round = 0; round < times; round++) {
  attempt(() => renameSync(at('docs'), at('aside')));
  attempt(() => symlinkSync(outside, at('docs')));
  attempt(() => unlinkSync(at('docs')));
  attempt(() => renameSync(at('aside'), at('docs')));
  attempt(() => unlinkSync(at('plain.md')));
  attempt(() => symlinkSync(join(outside, 'b.md'), at('plain.md')));
  attempt(() => unlinkSync(at('plain.md')));
  attempt(() => writeFileSync(at('plain.md'), 'inside'));
  // Whoever wrote while the folder was away has made another one.
  if (round % 50 === 0) attempt(() => rmSync(at('aside'), { recursive: true }));
  attempt(() => mkdirSync(at('docs')));
  attempt(() => writeFileSync(at('docs/b.md'), 'inside', { flag: 'wx' }));
}
parentPort?.postMessage('done');
