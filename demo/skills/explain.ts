import { say } from '../job.ts';
import type { Skill } from './contract.ts';

const section = (text: string, title: string): string =>
  new RegExp(`^${title}:\\n([\\s\\S]*?)(?:\\n\\n[A-Z][a-z ]+:\\n|$(?![\\s\\S]))`, 'm').exec(text)?.[1]?.trim() ?? '';

const MOST_CHARS = 160;

const IN_WORDS: Record<string, string> = {
  llm_response: 'an answer of the model',
  tool_call: 'a call of',
  tool_result: 'the result of',
  clarification: 'a question to you',
  confirmation: 'an action put before you',
  budget_warning: 'a warning about the budget',
  error: 'a call that failed',
};

/** `4. tool_call: {"name":"read_file"…` as a phrase. */
function phrase(line: string | undefined): string {
  const [, number, type = '', content = ''] = /^(\d+)\. (\w+): (.*)$/.exec(line ?? '') ?? [];
  if (number === undefined) return 'nothing';
  const name = /"name":"([^"]+)"/.exec(content)?.[1];
  const said = /"(?:text|question|message|preview)":"((?:[^"\\]|\\.)+)"/.exec(content)?.[1];
  const what = [IN_WORDS[type] ?? type, ...(name ? [name] : [])].join(' ');
  return said ? `${what} (“${said.slice(0, MOST_CHARS)}”)` : what;
}

/** What the run itself shows around the step, put into sentences; there is no judgement in it. */
export const explainStep: Skill = {
  example: 'explain a step of a run (the button beside it does)',
  needs: [],
  words: /^Explain step \d+ of a run\./,
  next(instruction) {
    const step = section(instruction, 'The step').split('\n')[0];
    const before = section(instruction, 'Before it').split('\n').at(-1);
    const after = section(instruction, 'After it').split('\n')[0];
    return say(`The step was ${phrase(step)}. Just before it there was ${phrase(before)}; then came ${phrase(after)}.`);
  },
};
