import { createInterface } from 'node:readline/promises';
import { afterReply } from '../domain/edits/job-after.ts';
import type { Job, ReviewBody, ReviewReply } from '../domain/edits/wire.ts';
import type { Client } from '../sdk/client.ts';
import { type Desk, openDesk } from './desk.ts';
import { editText } from './editing.ts';
import {
  conflictShown,
  hunkLinesShown,
  hunksIn,
  isRefused,
  proposalLines,
  REVIEW_KEYS,
  type ShownHunk,
  summaryLine,
} from './review-view.ts';
import { runId } from './run-id.ts';
import { Trouble, troubleLines } from './trouble.ts';
import { waitingRun } from './waiting-run.ts';
import { counted } from './words.ts';

export interface ReviewOptions {
  accept?: string;
  reject?: string;
  apply?: boolean;
  rerun?: string | boolean;
  json?: boolean;
}

type Decision = 'accept' | 'reject';
type Ask = (question: string) => Promise<string>;

/** `all` stands for what is undecided; what is too large to be accepted by the way is named, or asked about. */
function idsIn(given: string, job: Job, decision: Decision): string[] {
  if (given !== 'all') return given.split(',').flatMap((id) => id.trim() || []);
  return hunksIn(job).flatMap(({ hunk }) => (isByTheWay(hunk, decision) ? [hunk.hunk_id] : []));
}

const isByTheWay = ({ accepted, oversized_hunk }: ShownHunk['hunk'], decision: Decision): boolean =>
  accepted === null && !(decision === 'accept' && oversized_hunk);

const accepted = (job: Job): string[] => hunksIn(job).flatMap(({ hunk }) => (hunk.accepted ? [hunk.hunk_id] : []));

/** The job after a step, from what was replied; read again only where that does not tell all of it. */
async function after(client: Client, job: Job, reply: ReviewReply): Promise<Job> {
  const { job: next, stale } = afterReply(job, reply);
  return stale.length > 0 ? client.edits.job(job.job_id) : next;
}

async function decide(client: Client, job: Job, hunk_ids: string[], decision: Decision): Promise<Job> {
  if (hunk_ids.length === 0) return job;
  const asOne = decision === 'accept' ? { as_one: true } : {};
  const reply = await client.edits.review(job.job_id, { hunk_ids, decision, ...asOne });
  return after(client, job, reply);
}

async function applyAccepted({ client, print }: Desk, job: Job): Promise<void> {
  const { session_id, job_id, review } = job;
  const { applied_files, status, checkpoint_id } = await client.edits.apply({
    session_id,
    job_id,
    accepted_hunk_ids: accepted(job),
  });
  const written = applied_files.filter(({ applied_hunks }) => applied_hunks > 0);
  for (const { file_path, applied_hunks } of written) print(`  ${file_path}: ${counted(applied_hunks, 'change')}`);
  print(`${counted(written.length, 'file')} written. ${job_id} is ${status}.`);
  if (review && review.pending > 0) print(`${counted(review.pending, 'undecided change')} left out.`);
  if (checkpoint_id) print(`To take it back: longhaul rollback ${checkpoint_id}`);
}

async function sendBack({ client, print }: Desk, job: string, comment: string): Promise<void> {
  const next = await client.edits.rerun(job, comment === '' ? undefined : comment);
  print(`Sent back. Review what comes next with: longhaul review ${next.job_id}`);
}

/** Everything that can be said with options; nobody is asked. */
async function byOptions(desk: Desk, id: string, options: ReviewOptions): Promise<void> {
  const { client, print, style } = desk;
  let job = await client.edits.job(id);
  if (options.accept) job = await decide(client, job, idsIn(options.accept, job, 'accept'), 'accept');
  if (options.reject) job = await decide(client, job, idsIn(options.reject, job, 'reject'), 'reject');
  if (options.rerun !== undefined) {
    await sendBack(desk, id, typeof options.rerun === 'string' ? options.rerun : '');
    return;
  }
  if (options.apply) {
    await applyAccepted(desk, job);
    return;
  }
  if (options.json) {
    print(JSON.stringify(job));
    return;
  }
  for (const line of [...proposalLines(job, style), ...conflictShown(job, style)]) print(line);
  print(summaryLine(job));
  if (isRefused(job)) print(`Run it again with: longhaul review ${id} --rerun`);
  else print(`Decide with: longhaul review ${id} --accept all --apply, or on a terminal without options.`);
}

async function editByHand({ client, prompting, print }: Desk, job: Job, file_path: string): Promise<Job> {
  const { working_buffer, buffer_hash } = await client.edits.file(job.job_id, file_path);
  const name = file_path.slice(file_path.lastIndexOf('/') + 1);
  const content = await editText(prompting?.editor ?? 'vi', name, working_buffer ?? '');
  if (content === working_buffer) {
    print('Nothing was changed.');
    return job;
  }
  const based = buffer_hash === null ? {} : { buffer_hash };
  return after(client, job, await client.edits.change(job.job_id, { file_path, content, ...based }));
}

/** Null where the person wants to stop. */
async function askAbout(desk: Desk, job: Job, shown: ShownHunk, ask: Ask): Promise<Job | null> {
  const { client, print } = desk;
  const { hunk, file_path } = shown;
  const { hunk_id } = hunk;
  const say = async (body: ReviewBody): Promise<Job> => after(client, job, await client.edits.review(job.job_id, body));
  const withRest = (decision: Decision): string[] => {
    const rest = hunksIn(job).filter((other) => other.file_path === file_path && isByTheWay(other.hunk, decision));
    return [...new Set([hunk_id, ...rest.map((other) => other.hunk.hunk_id)])];
  };
  for (;;) {
    const answer = (await ask(`Accept this change [y,n,a,d,e,s,c,q,?]? `)).trim();
    switch (answer) {
      case 'y':
        return decide(client, job, [hunk_id], 'accept');
      case 'n':
        return decide(client, job, [hunk_id], 'reject');
      case 'a':
        return decide(client, job, withRest('accept'), 'accept');
      case 'd':
        return decide(client, job, withRest('reject'), 'reject');
      case 'e':
        return editByHand(desk, job, file_path);
      case 's': {
        const lines = Number(await ask('After how many of its added lines? '));
        return say({ hunk_id, split_at: { new_lines: lines } });
      }
      case 'c':
        job = await say({ hunk_id, comment: await ask('What is to be said about it? ') });
        break;
      case 'q':
        return null;
      default:
        for (const line of REVIEW_KEYS) print(line);
    }
  }
}

/** Hunk by hunk, as `git add -p` does it; what was decided is kept at once, also where somebody stops in the middle. */
async function byHand(desk: Desk, id: string, ask: Ask): Promise<void> {
  const { client, print, style } = desk;
  let job = await client.edits.job(id);
  for (;;) {
    const next = hunksIn(job).find(({ hunk }) => hunk.accepted === null);
    if (!next) break;
    for (const line of hunkLinesShown(next, style)) print(line);
    try {
      const decided = await askAbout(desk, job, next, ask);
      if (!decided) break;
      job = decided;
    } catch (error) {
      for (const line of troubleLines(error)) print(line);
      // Somebody else may have been at it.
      job = await client.edits.job(id);
    }
  }
  job = await client.edits.job(id);
  for (const line of conflictShown(job, style)) print(line);
  print(summaryLine(job));
  if (isRefused(job)) {
    const again = (await ask('Run it again on what is there now (y), or leave it (n)? ')).trim() === 'y';
    return again ? sendBack(desk, id, '') : print(`It waits: longhaul review ${id}`);
  }
  if (!job.review || job.review.pending > 0) {
    print(`What is undecided waits: longhaul review ${id}`);
    return;
  }
  const what = (await ask('Apply what was accepted (y), send it back (r), or leave it (n)? ')).trim();
  if (what === 'y') await applyAccepted(desk, job);
  else if (what === 'r') await sendBack(desk, id, await ask('What is to be done otherwise? '));
  else print(`It waits: longhaul review ${id}`);
}

export async function reviewJob(desk: Desk, id: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    await byHand(desk, id, (question) => terminal.question(question));
  } finally {
    terminal.close();
  }
}

/** The job that is meant: the run itself, or the one below it whose edits wait. */
async function jobOf({ client }: Desk, given: string): Promise<string> {
  const id = runId(given);
  const { pending_reviews: waiting } = await client.runs.get(id);
  const [first] = waiting;
  if (!first || waiting.some(({ job_id }) => job_id === id)) return id;
  if (waiting.length === 1) return first.job_id;
  const each = waiting.map(({ job_id, agent_name }) => `  longhaul review ${job_id}   (${agent_name})`);
  throw new Trouble(`${waiting.length} runs below ${id} wait for a review; say which one is meant:`, each.join('\n'));
}

export async function reviewCommand(given: string | undefined, options: ReviewOptions): Promise<void> {
  const desk = await openDesk({ json: options.json ?? false });
  const id = given === undefined ? (await waitingRun(desk.client, 'review', undefined)).id : await jobOf(desk, given);
  const isSaid = [options.accept, options.reject, options.apply, options.rerun, options.json].some(
    (each) => each !== undefined,
  );
  if (isSaid || !desk.prompting) return byOptions(desk, id, options);
  const job = await desk.client.edits.job(id);
  if (job.status !== 'awaiting_review') {
    throw new Trouble(`${id} is ${job.status}: nothing of it waits for a review.`, `See it: longhaul watch ${id}`);
  }
  return reviewJob(desk, id);
}
