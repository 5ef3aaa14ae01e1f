import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KnowledgeHit } from '../../domain/knowledge.ts';
import { type Api, startApi } from '../api/running-api.ts';
import { pdfOf } from '../doubles/pdf.ts';
import { startProgram } from './terminal-program.ts';

let api: Api;
let folder: string;
beforeAll(async () => {
  api = await startApi();
  folder = await mkdtemp(join(tmpdir(), 'longhaul-knowledge-'));
  await writeFile(join(folder, 'handbook.md'), '# Handbook\n\nThe valve opens at four bar.\n');
  await writeFile(join(folder, 'report.pdf'), pdfOf([['Cover'], ['The valve was leaking.']]));
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) =>
  startProgram({ url: api.url, key: api.ownerKey, home: folder }, ['knowledge', ...args]).ended;

it('[12] documents are added, listed, searched and removed on the command line', async () => {
  expect((await run('list')).out).toMatch(/^No document yet/);
  const added = await run('add', join(folder, 'handbook.md'), join(folder, 'report.pdf'));
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(added.out).toMatch(/^kn_\w{26} {2}handbook\.md \(markdown, 3 lines\)\nkn_.* \(pdf, 2 pages, 2 lines\)\n$/);

  const found = await run('search', 'leaking', 'valve');
  expect(found.out).toMatch(/^report\.pdf:2 \(page 2\) {2}[\d.]+\n {2}The valve was leaking\.\nhandbook\.md:3 /);
  const hits = (await run('search', '--json', '--limit', '1', 'valve')).out.trimEnd().split('\n');
  expect(hits.map((line) => (JSON.parse(line) as KnowledgeHit).line)).toHaveLength(1);
  expect(found.out).toMatch(/\nFound by words alone\. No embedding model is set \(LONGHAUL_EMBEDDING_MODEL\)\.\n$/);
  expect((await run('search', 'nowhere')).out).toMatch(/^No document has these words\.\nFound by words alone\./);

  expect((await run('rm', 'report.pdf')).out).toBe('Removed report.pdf.\n');
  expect((await run('list')).out).toMatch(/^ID +NAME +KIND +LINES +ADDED\nkn_\w+ +handbook\.md +markdown +3 +\S.*\n$/);
});

it('[12] what cannot be added says why', async () => {
  const missing = await run('add', join(folder, 'nowhere.md'));
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('ENOENT')]);
  await writeFile(join(folder, 'broken.pdf'), 'no PDF at all');
  expect((await run('add', join(folder, 'broken.pdf'))).err).toContain('cannot be read as a PDF');
  const elsewhere = await run('add', '--workspace', 'Nowhere', join(folder, 'handbook.md'));
  expect(elsewhere.err).toContain('There is no workspace "Nowhere"');
});
