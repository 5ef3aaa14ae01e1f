import type { Job } from '../domain/edits/wire.ts';
import { hasEnded } from '../domain/run.ts';
import type { Client } from '../sdk/client.ts';
import { everyItem } from '../sdk/client.ts';
import { type Desk, openDesk } from './desk.ts';
import { askAnswer } from './prompts.ts';
import { reviewJob } from './review.ts';
import { conflictShown, summaryLine } from './review-view.ts';
import { brief, harmless } from './style.ts';
import { Trouble } from './trouble.ts';

export interface EditOptions {
  notebook?: string;
  agent?: string;
  session?: string;
  maxToolCalls?: string;
  detach?: boolean;
  json?: boolean;
}

const WAIT_S = 20;

async function notebookNamed(client: Client, wanted: string): Promise<string> {
  for await (const { id, name } of everyItem((cursor) =>
    client.notebooks.list(cursor === undefined ? {} : { cursor }),
  )) {
    if (id === wanted || name === wanted) return id;
  }
  throw new Trouble(`There is no notebook "${wanted}".`, 'See which there are: longhaul notebooks list');
}

async function sessionFor(client: Client, { session, notebook, agent }: EditOptions): Promise<string> {
  if (session !== undefined) return session;
  const made = await client.edits.sessions.create({
    ...(notebook === undefined ? {} : { notebook_id: await notebookNamed(client, notebook) }),
    ...(agent === undefined ? {} : { agent_id: agent }),
  });
  return made.session_id;
}

/** Says what happens until somebody is needed, or it is over. */
async function followJob({ client, print, style, prompting }: Desk, id: string): Promise<Job> {
  let cursor = 1;
  for (;;) {
    const page = await client.edits.events(id, { cursor, wait: WAIT_S });
    cursor = page.next_cursor;
    for (const { type, data } of page.events) {
      if (type === 'tool.call.completed') print(style('dim', `  ${String(data.tool)} ${data.ok ? '' : '✗'}`.trimEnd()));
    }
    const job = await client.edits.job(id);
    if (hasEnded(job.status) || job.status === 'awaiting_review') return job;
    if (job.status !== 'waiting_for_user' || !job.question) continue;
    print(style('yellow', `? ${harmless(job.question.question)}`));
    if (!prompting) return job;
    const answer = await askAnswer();
    if (answer === null) return job;
    if (answer === '') await client.edits.skip(id, job.question.question_id);
    else await client.edits.clarify(id, job.question.question_id, answer);
  }
}

/** `longhaul edit "…"`: from the instruction to the review, which goes on here on a terminal. */
export async function editCommand(words: string[], options: EditOptions): Promise<void> {
  const instruction = words.join(' ').trim();
  if (instruction === '') throw new Trouble('The instruction is empty.', 'Say what is to be changed.');
  const desk = await openDesk({ json: options.json ?? false });
  const { client, print, style } = desk;
  const session_id = await sessionFor(client, options);
  const max_tool_calls = options.maxToolCalls === undefined ? undefined : Number(options.maxToolCalls);
  const { job_id } = await client.edits.run({
    session_id,
    instruction,
    ...(max_tool_calls === undefined ? {} : { tool_config: { max_tool_calls } }),
  });
  if (options.detach) {
    print(
      options.json
        ? JSON.stringify(await client.edits.job(job_id))
        : `${job_id} has started. Review it with: longhaul review ${job_id}`,
    );
    return;
  }
  if (!options.json) print(style('dim', `${job_id} · ${session_id}`));
  const job = await followJob(options.json ? { ...desk, print: () => undefined } : desk, job_id);
  if (options.json) {
    print(JSON.stringify(job));
    return;
  }
  if (job.status === 'awaiting_review') {
    if (!desk.prompting) for (const line of conflictShown(job, style)) print(line);
    print(summaryLine(job));
    if (desk.prompting) return reviewJob(desk, job_id);
    print(`Nothing is written yet. Review it with: longhaul review ${job_id}`);
    return;
  }
  if (job.error) print(harmless(job.error.message));
  if (typeof job.output === 'string') print(brief(job.output, 2_000));
  if (job.status === 'waiting_for_user') print(`It waits for an answer: longhaul answer ${job_id}`);
  process.exitCode = job.status === 'failed' ? 1 : 0;
}
