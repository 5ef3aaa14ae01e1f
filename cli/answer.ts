import { NO_ANSWER } from '../domain/run-requests.ts';
import { openDesk } from './desk.ts';
import { questionLines } from './pending-view.ts';
import { askAnswer } from './prompts.ts';
import { looksLikeRun, runId } from './run-id.ts';
import { Trouble } from './trouble.ts';
import { waitingRun } from './waiting-run.ts';

/** The run may be left out, so the first word is one only where it looks like one. */
export function runAndText(words: string[]): { id: string | undefined; text: string } {
  const [first = '', ...rest] = words;
  return looksLikeRun(first) ? { id: runId(first), text: rest.join(' ') } : { id: undefined, text: words.join(' ') };
}

export async function answerCommand(words: string[], { skip = false }: { skip?: boolean }): Promise<void> {
  const { id, text } = runAndText(words);
  const { client, style, prompting, print } = await openDesk();
  const run = await waitingRun(client, 'question', id);
  const [question] = run.pending_questions;
  if (!question) throw new Trouble(`No question of ${run.id} waits.`, `See what it does: longhaul watch ${run.id}`);
  for (const shown of questionLines(question, style)) print(shown);
  let answer: string | null = skip ? '' : text.trim();
  if (answer === '' && !skip) {
    if (!prompting) throw new Trouble('The answer is missing.', `Give it: longhaul answer ${run.id} "…"`);
    answer = await askAnswer();
  }
  if (answer === null) {
    process.exitCode = 130;
    return;
  }
  await client.runs.answer(run.id, question.id, answer || NO_ANSWER);
  print(answer === '' ? `${run.id} goes on without an answer.` : `Answered. ${run.id} goes on.`);
}
