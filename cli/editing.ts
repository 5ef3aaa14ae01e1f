import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isRecord } from '../domain/json-value.ts';
import { Trouble } from './trouble.ts';

type Arguments = Record<string, unknown>;

/** The long text among the arguments is what people want to change; without one it is all of them, as JSON. */
export function editable(given: Arguments): { name: string; text: string; read: (text: string) => Arguments } {
  const file = basename(typeof given.path === 'string' ? given.path : 'text') || 'text';
  if (typeof given.content === 'string') {
    return { name: file, text: given.content, read: (content) => ({ ...given, content }) };
  }
  return { name: 'arguments.json', text: `${JSON.stringify(given, null, 2)}\n`, read: argumentsFrom };
}

export function argumentsFrom(json: string): Arguments {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Trouble(`The arguments are not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(value)) throw new Trouble('The arguments are not a JSON object.', 'Write them as {"name": value}.');
  return value;
}

/** Opens the text in an editor of its own; the file is readable by nobody else and gone afterwards. */
export async function editText(editor: string, name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-edit-'));
  try {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    const code = await new Promise<number | null>((resolve, reject) => {
      // By the shell, since EDITOR may hold arguments: `code --wait`.
      const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) {
      throw new Trouble(
        `The editor (${editor}) ended with code ${code}.`,
        'Set EDITOR to an editor that is installed.',
      );
    }
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
