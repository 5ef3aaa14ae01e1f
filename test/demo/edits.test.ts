import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemoModel } from '../../demo/chat-completions.ts';
import { editing } from '../edit-jobs.ts';
import { type Served, startServed } from '../served-system.ts';

const demo = createDemoModel({ delayMs: 0 });
let system: Served;
let edits: ReturnType<typeof editing>;
beforeAll(async () => {
  demo.listen(0, '127.0.0.1');
  await once(demo, 'listening');
  system = await startServed({ demoUrl: `http://127.0.0.1:${(demo.address() as AddressInfo).port}/v1` });
  edits = editing(system);
});
afterAll(async () => {
  await system.stop();
  demo.close();
  demo.closeAllConnections();
});

const FILES = 30;
/** More than one search shows, in more folders than a job has calls. */
const FOLDERS = 15;
const source = (n: number) =>
  `import { fetchUser } from './api';\r\n\r\nexport function page${n}(id) {\r\n  return fetchUser(id);\r\n}\r\n`;
const pathOf = (n: number) => `src/part-${n % FOLDERS}/page-${n}.js`;

it('[4] the demo model renames a function in 30 files, keeps to what is rejected, and leaves all line ends alone', async () => {
  await edits.lay(Object.fromEntries(Array.from({ length: FILES }, (_, n) => [pathOf(n), source(n)])));
  const session = await edits.open();
  const instruction = 'rename "fetchUser" to "loadUser" everywhere';
  const id = (await edits.post('/run', { session_id: session, instruction })).body.job_id;
  const job = await edits.until(id, 'awaiting_review');
  expect(job.tool_calls).toBeLessThanOrEqual(job.max_tool_calls);
  expect(job.diff_bundle.files).toHaveLength(FILES);
  expect(job.proposed_edits).toHaveLength(2 * FILES);

  const [first] = job.diff_bundle.files;
  await edits.post(`/jobs/${id}/review`, { file_path: first.file_path, decision: 'reject', comment: 'Leave it.' });
  expect((await edits.post(`/jobs/${id}/rerun`, {})).status).toBe(202);
  await expect.poll(async () => (await edits.job(id)).review?.proposal).toBe(2);
  const again = await edits.until(id, 'awaiting_review');
  expect(again.diff_bundle.files.map(({ file_path }: { file_path: string }) => file_path)).not.toContain(
    first.file_path,
  );

  const hunks = again.diff_bundle.files.flatMap((file: { hunks: { hunk_id: string }[] }) => file.hunks);
  const applied = await edits.apply(
    session,
    id,
    hunks.map(({ hunk_id }: { hunk_id: string }) => hunk_id),
  );
  expect(applied.body.status).toBe('completed');
  for (let n = 0; n < FILES; n++) {
    const wanted = pathOf(n) === first.file_path ? source(n) : source(n).replaceAll('fetchUser', 'loadUser');
    expect(await edits.disk(pathOf(n))).toBe(wanted);
  }
});
