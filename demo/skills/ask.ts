import { isRecord } from '../../domain/json-value.ts';
import { NO_ANSWER } from '../../domain/run-requests.ts';
import type { Done } from '../conversation.ts';
import { pathsIn } from '../instruction.ts';
import { explain, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

const optionsFor = (file: string | undefined): string[] =>
  file
    ? [`tidy ${file}`, `summarize ${file}`, `count the TODOs in ${file}`]
    : ['summarize the notebook', 'count the TODOs', 'list the files'];

const answerText = (call: Done): string =>
  isRecord(call.value) ? String(call.value.answer ?? call.value.result ?? call.text) : String(call.value);

/** What the person's answer means as an instruction; null where there was none. */
export function answeredInstruction(asked: string, call: Done): string | null {
  const answer = answerText(call).trim();
  if (!call.ok || answer === NO_ANSWER || answer === '') return null;
  const chosen = /^\(?([1-3])\b/.exec(answer)?.[1];
  if (chosen) return optionsFor(pathsIn(asked)[0])[Number(chosen) - 1] ?? answer;
  const [path] = pathsIn(answer);
  return path === answer.replace(/^\//, '') ? `tidy ${path}` : answer;
}

/** Where an instruction can mean many things, a person is asked rather than guessed at. */
export const ask: Skill = {
  example: 'ask me what to do',
  needs: [],
  words: /\b(ask me|tidy|improve|polish|clean up|make \S+ (?:\S+ )?(?:better|nicer)|fix|refactor|do something)\b/i,
  next(instruction, job) {
    const options = optionsFor(pathsIn(instruction)[0]).map((option, index) => `${index + 1}. ${option}`);
    const question = `That can mean several things to me. What shall I do?\n${options.join('\n')}\n\nAnswer with a number or in your own words.`;
    const asked = job.of('ask').at(-1);
    if (asked) return say(asked.ok ? 'Nobody answered, so I changed nothing.' : explain(asked));
    return job.tool('ask') ? use('I ask before I do anything.', job.call('ask', { question })) : say(question);
  },
};
