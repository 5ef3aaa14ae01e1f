import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Script } from './doubles/scripted-model.ts';
import type { Answer, Served } from './served-system.ts';

export const AGENT_API = '/api/agent';

/** What tests of edits do over and over, through the API alone. */
export function editing(system: Served) {
  const post = (path: string, body: unknown = {}, more: object = {}): Promise<Answer> =>
    system.call('POST', `${AGENT_API}${path}`, { body, ...more });
  const get = (path: string, more: object = {}): Promise<Answer> => system.call('GET', `${AGENT_API}${path}`, more);
  const job = async (id: string) => (await get(`/jobs/${id}`)).body;
  const at = (path: string) => join(system.root, path);

  const until = async (id: string, status: string) => {
    const isThere = async () => expect((await job(id)).status, `${id} is ${status}`).toBe(status);
    await vi.waitFor(isThere, { timeout: 60_000, interval: 50 });
    return job(id);
  };

  return {
    post,
    get,
    job,
    until,
    at,
    lay: async (files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(at(path)), { recursive: true });
        await writeFile(at(path), text);
      }
    },
    disk: (path: string) => readFile(at(path), 'utf8'),
    open: async (more: object = {}) =>
      (await post('/sessions', { notebook_id: system.notebook.id, ...more })).body.session_id as string,
    start: async (session: string, script: string, more: object = {}) =>
      (await post('/run', { session_id: session, instruction: `[script:${script}] Do it.`, ...more })).body
        .job_id as string,
    /** A job of a new session that has proposed what the script says, and waits. */
    async proposed(script: string, turns: Script, more: object = {}) {
      system.model.script(script, turns);
      const session = await this.open(more);
      const id = await this.start(session, script);
      return { session, id, job: await until(id, 'awaiting_review') };
    },
    apply: (session_id: string, job_id: string, accepted_hunk_ids: string[], more: object = {}) =>
      post('/apply', { session_id, job_id, accepted_hunk_ids }, more),
    events: async (id: string) =>
      (await get(`/jobs/${id}/events?cursor=1`)).body.events as { type: string; data: Record<string, unknown> }[],
  };
}

export const propose = (...edits: object[]) => ({
  text: 'I propose this.',
  tool_calls: [{ name: 'propose_edits', arguments: { edits } }],
});

/** Puts one line in the place of another, which is said as it stands. */
export const replaceLine = (file_path: string, line: number, expected_text: string, new_text: string) => ({
  file_path,
  operation: 'replace',
  start_line: line,
  end_line: line,
  expected_text,
  new_text,
  rationale: `Line ${line}`,
});
