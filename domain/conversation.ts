import type { Agent } from './agent.ts';
import { summaryText, summedUpTo } from './compaction.ts';
import type { ModelMessage } from './model.ts';
import type { RunState } from './run-state.ts';
import { ABOUT_TOOL_DATA, toolContent } from './tool-content.ts';

export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input === 'object' && input !== null && 'message' in input && typeof input.message === 'string')
    return input.message;
  return JSON.stringify(input, null, 2);
}

const CAN: [keyof Agent, string][] = [
  ['can_read', 'read, list and search files'],
  ['can_write', 'change files (a person may have to allow it first)'],
  ['can_create', 'create files (a person may have to allow it first)'],
  ['can_delete', 'delete files (a person may have to allow it first)'],
  ['can_execute_code', 'run commands'],
];

/** The agent's own prompt, or one made from what it may do. */
export function systemPrompt(agent: Agent): string {
  if (agent.system_prompt.trim() !== '') return agent.system_prompt;
  const abilities = CAN.filter(([flag]) => agent[flag] === true).map(([, words]) => `- ${words}`);
  const folders = agent.scope.folders ? `only in ${agent.scope.folders.join(', ')}` : 'in all folders of the notebook';
  const types = agent.scope.file_types ? `, only files like ${agent.scope.file_types.join(', ')}` : '';
  return [
    `You are ${agent.name}, an agent that works on a notebook of files. ${agent.description}`.trim(),
    'You can:',
    ...abilities,
    `You work ${folders}${types}. Paths begin at the notebook root.`,
    'Say what you are about to change before you change it. If something is outside what you may do, say so.',
    ABOUT_TOOL_DATA,
  ].join('\n');
}

const summaryMessage = (text: string): ModelMessage => ({
  role: 'user',
  content: `The conversation so far was long; this summary takes the place of its older part:\n\n${text}`,
});

/** The conversation up to the next model call: what was summed up is there as its summary. */
export function conversation(agent: Agent, input: unknown, state: RunState): ModelMessage[] {
  const own = inputText(input);
  const messages: ModelMessage[] = [
    { role: 'system', content: systemPrompt(agent) },
    { role: 'user', content: state.opening ? inputText(state.opening.input) : own },
  ];
  const summed = summedUpTo(state);
  const summary = summaryText(state);
  // What the run is for stays as it was said, whatever is summed up.
  if (state.injected.some(({ is_input, before_turn }) => is_input && before_turn <= summed)) {
    messages.push({ role: 'user', content: own });
  }
  if (summary !== null) messages.push(summaryMessage(summary));
  const pending = state.injected.filter((message) => message.before_turn > summed);
  let injected = 0;
  const inject = (upTo: number) => {
    for (let next = pending[injected]; next && next.before_turn <= upTo; next = pending[injected]) {
      messages.push({ role: 'user', content: next.is_input ? own : next.content });
      injected += 1;
    }
  };
  for (const turn of state.turns.slice(summed)) {
    inject(turn.turn);
    if (!turn.answered || turn.sums_up !== null) continue;
    messages.push({ role: 'assistant', content: turn.text, tool_calls: turn.calls.map((call) => call.call) });
    for (const call of turn.calls) {
      messages.push({
        role: 'tool',
        tool_call_id: call.call.tool_call_id,
        name: call.call.name,
        content: toolContent(call),
      });
    }
  }
  inject(Number.POSITIVE_INFINITY);
  return messages;
}
