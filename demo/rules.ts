import type { ModelMessage, ToolSchema } from '../domain/model.ts';
import { type Conversation, type Done, readConversation } from './conversation.ts';
import { digest } from './digest.ts';
import { clean, Job, type Move, say, withProblems } from './job.ts';
import { answeredInstruction, ask } from './skills/ask.ts';
import type { Skill } from './skills/contract.ts';
import { count } from './skills/count.ts';
import { append, create } from './skills/create.ts';
import { remove } from './skills/delete.ts';
import { explainStep } from './skills/explain.ts';
import { onBranch } from './skills/git.ts';
import { command, delegate } from './skills/hand-over.ts';
import { list } from './skills/list.ts';
import { read } from './skills/read.ts';
import { replace } from './skills/replace.ts';
import { search } from './skills/search.ts';
import { summarize } from './skills/summarize.ts';
import { tidy } from './skills/tidy.ts';
import { walk } from './skills/walk.ts';

/** Where two skills recognise the same words, the earlier one is taken. */
const SKILLS: Skill[] = [
  explainStep,
  onBranch,
  walk,
  replace,
  create,
  append,
  remove,
  count,
  command,
  delegate,
  search,
  summarize,
  list,
  read,
  tidy,
  ask,
];

const DISCLAIMER = "I am Longhaul's rule-based demo model, not an LLM: I follow fixed rules.";

const WRAP_UP = /\b(finish now|wrap (?:it |this )?up|no more tools|final answer (?:now|in this turn))\b/i;
const STOP = /^\W*(?:please\s+)?(?:stop|enough|that'?s enough|never ?mind|forget it)\b/i;

function recognise(instruction: string): Skill | null {
  const found = SKILLS.map((skill) => ({ skill, at: instruction.search(skill.words) })).filter(({ at }) => at >= 0);
  return (
    found.reduce<(typeof found)[number] | null>(
      (best, next) => (best === null || next.at < best.at ? next : best),
      null,
    )?.skill ?? null
  );
}

function help(tools: ToolSchema[]): Move {
  const job = new Job(tools, []);
  const examples = SKILLS.filter(({ needs }) => job.lacks(needs) === null).map(({ example }) => `- ${example}`);
  return say(`I know no rule for that. With the tools I am offered I can do this:\n\n${examples.join('\n')}`);
}

/** The end of a job that may go no further: what is known by now. */
function partial(why: string, tools: ToolSchema[], done: Done[]): Move {
  const job = new Job(tools, done);
  const paths = [
    ...new Set(job.of('read').map((call) => clean(String(call.arguments.path ?? call.arguments.file_path)))),
  ];
  const gists = job
    .texts(paths)
    .map(digest)
    .map(({ path, gist }) => `- \`${path}\`: ${gist}`);
  const hits = job.hits.map(({ path, line, text }) => `- \`${path}:${line}\` ${text}`);
  const written = [...job.of('write'), ...job.of('create')].filter((call) => call.ok);
  const known = [
    ...gists,
    ...hits,
    ...new Set(written.map((call) => `- wrote \`${clean(String(call.arguments.path))}\``)),
  ];
  const text =
    known.length > 0 ? `${why} This is how far I came:\n\n${known.join('\n')}` : `${why} I had found nothing yet.`;
  return say(withProblems(text, job.failures));
}

function work(instruction: string, tools: ToolSchema[], done: Done[]): Move {
  const skill = recognise(instruction);
  if (!skill) return help(tools);
  const answered = done.findIndex((call) => call.name === 'clarify_user');
  const answer = done[answered];
  if (skill === ask && answer) {
    const next = answeredInstruction(instruction, answer);
    const since = done.slice(answered + 1);
    // Asked once and no wiser: a second question would be answered the same way.
    if (next !== null) return recognise(next) === ask ? help(tools) : work(next, tools, since);
  }
  const job = new Job(tools, done);
  return job.lacks(skill.needs) ?? skill.next(instruction, job);
}

function decideFor({ requests, tools }: Conversation): Move {
  const last = requests.at(-1);
  if (!last) return help(tools);
  const since = (index: number): Done[] => requests.slice(index).flatMap(({ done }) => done);
  // Later messages steer: the newest one that means something to a rule is the job.
  for (let index = requests.length - 1; index >= 0; index--) {
    const request = requests[index];
    if (!request) break;
    const isLater = index > 0;
    const begun = Math.max(0, requests.slice(0, index).findLastIndex(({ answered }) => answered) + 1);
    if (isLater && WRAP_UP.test(request.text)) return partial('I was told to finish.', tools, since(begun));
    if (isLater && STOP.test(request.text)) return partial('I stopped, as you asked.', tools, since(begun));
    if (recognise(request.text)) return work(request.text, tools, since(index));
    if (requests[index - 1]?.answered) break;
  }
  return help(tools);
}

/** The whole model: the same conversation always gives the same next move. */
export function decide(messages: ModelMessage[], tools: ToolSchema[]): Move {
  const conversation = readConversation(messages, tools);
  const move = decideFor(conversation);
  return conversation.turns === 0 ? { ...move, text: `${DISCLAIMER} ${move.text}` } : move;
}
