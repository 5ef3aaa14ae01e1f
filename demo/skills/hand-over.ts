import { isRecord } from '../../domain/json-value.ts';
import type { ToolSchema } from '../../domain/model.ts';
import { quotedIn } from '../instruction.ts';
import { explain, type Job, type Move, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

/** Calls a tool with the text under its first required (or first) parameter, then tells what came back. */
function handOver(job: Job, tool: ToolSchema | undefined, text: string, verb: string): Move {
  if (!tool) return say('There is no tool for that.');
  const past = job.done.find((call) => call.name === tool.name);
  if (past) return say(past.ok ? `${tool.name} gave back:\n\n~~~~\n${past.text}\n~~~~` : explain(past));
  const { properties, required } = tool.parameters;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const first = Array.isArray(required) && typeof required[0] === 'string' ? required[0] : (names[0] ?? 'input');
  return use(verb, { name: tool.name, arguments: { [first]: text } });
}

export const delegate: Skill = {
  example: 'delegate "check the tables" to the reviewer',
  needs: ['delegate'],
  words: /\b(delegate|hand (?:it |this )?over|let the \S+ agent)\b/i,
  next(instruction, job) {
    const offered = job.tools.filter((tool) => tool.name.startsWith('delegate_to_'));
    const named = offered.find((tool) =>
      instruction.toLowerCase().includes(tool.name.slice('delegate_to_'.length).toLowerCase()),
    );
    return handOver(
      job,
      named ?? offered[0],
      quotedIn(instruction) ?? instruction,
      `I hand this over to another agent.`,
    );
  },
};

const hasOperations = ({ parameters: { properties } }: ToolSchema): boolean =>
  isRecord(properties) && 'operation' in properties;

/** What a command came to, for a person. */
function outcomeOf(value: unknown): string {
  if (!isRecord(value)) return 'It ran.';
  const { exit_code, cut, output, tests } = value;
  const how = typeof cut === 'string' ? `was ended (${cut})` : `ended with exit code ${exit_code}`;
  const said =
    typeof output === 'string' && output !== '' ? `\n\n~~~~\n${output.trimEnd()}\n~~~~` : ' and said nothing.';
  const counted = isRecord(tests) ? ` ${tests.passed} tests passed, ${tests.failed} failed.` : '';
  return `The command ${how}.${counted}${said}`;
}

export const command: Skill = {
  example: 'run `ls -l`',
  needs: ['command'],
  words: /\b(?:run|execute)\s+(?:the command\s+)?(?=[`"'])|\b(?:run|execute) the (?:tests?|command)\b/i,
  next(instruction, job) {
    const quoted = quotedIn(instruction);
    const tool = job.tool('command');
    if (!tool || !hasOperations(tool)) {
      return handOver(job, tool, quoted ?? 'npm test', `I run \`${quoted ?? 'npm test'}\`.`);
    }
    const past = job.done.find((call) => call.name === tool.name);
    if (past) return say(past.ok ? outcomeOf(past.value) : explain(past));
    return quoted
      ? use(`I run \`${quoted}\`.`, { name: tool.name, arguments: { operation: 'run', args: { command: quoted } } })
      : use('I run the tests.', { name: tool.name, arguments: { operation: 'test', args: {} } });
  },
};
