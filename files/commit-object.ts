import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const packed = promisify(deflate);

/** Nothing of whoever runs the worker, and no time: the same files always make the same snapshot. */
const BY = 'Longhaul <longhaul@localhost> 946684800 +0000';

/**
 * What `git commit-tree -p parent -m snapshot tree` writes, without the process: one is made after every step that
 * changes files, and starting git takes longer than the rest of it.
 */
export async function writeSnapshotCommit(gitDir: string, tree: string, parent?: string): Promise<string> {
  const after = parent ? `parent ${parent}\n` : '';
  const content = `tree ${tree}\n${after}author ${BY}\ncommitter ${BY}\n\nsnapshot\n`;
  const object = Buffer.from(`commit ${Buffer.byteLength(content)}\0${content}`);
  const id = createHash('sha1').update(object).digest('hex');
  const folder = join(gitDir, 'objects', id.slice(0, 2));
  await mkdir(folder, { recursive: true });
  // git passes over names like this one; whoever reads it finds all of it or nothing.
  const draft = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  await writeFile(draft, await packed(object), { mode: 0o444 });
  await rename(draft, join(folder, id.slice(2)));
  return id;
}
