import { readFile } from 'node:fs/promises';
import { applyChanges } from '../../files/journal.ts';
import { NotebookFiles } from '../../files/notebook-files.ts';

/** A process that changes many files as one, and is killed at some moment by whoever started it. */
const [, , root = '', plan = '', id = ''] = process.argv;
const files = await NotebookFiles.at(root);
const changes = JSON.parse(await readFile(plan, 'utf8'));
process.stdout.write('begun\n');
const outcome = await applyChanges(files, id, changes);
process.stdout.write(`${outcome.is}\n`);
if (outcome.is === 'applied') await outcome.forget();
process.stdout.write('forgotten\n');
