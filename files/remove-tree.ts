import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Removes a folder whatever a command has made of it: names longer than a path may be and folders that nobody may look
 * into would otherwise stay on the disk for ever. The programs go from folder to folder, and follow no link.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path]).catch(() => undefined);
    await run('rm', ['-rf', '--', path]);
  }
}
