import { unquote } from '../instruction.ts';
import { clean, explain, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

const FILE = /[`"']?(\/?(?:[\w-]+\/)*[\w-][\w.-]*\.\w{1,5})[`"']?/.source;
const APPEND = new RegExp(`\\b(?:append|add)\\s+(?:the (?:line|text) )?("[^"]+"|'[^']+'|\`[^\`]+\`|“[^”]+”|.+?)\\s+to\\s+(?:the end of )?${FILE}`, 'is');
const CREATE = new RegExp(
  `\\b(?:create|write|make)\\s+(?:a |the )?(?:new )?(?:file |note )?(?:called |named |at )?${FILE}\\s*(?:with|saying|that says|containing|:)\\s*(?:the text )?(.+)`,
  'is',
);

/** New files and new last lines; whether the file is there is the tool's to find out, not to be guessed. */
export const create: Skill = {
  example: 'create notes/idea.md with "Try a longer soak"',
  words: new RegExp(`${CREATE.source}|${APPEND.source}`, 'is'),
  next(instruction, job) {
    const append = APPEND.exec(instruction);
    const made = append ? null : CREATE.exec(instruction);
    const path = clean(append?.[2] ?? made?.[1] ?? '');
    const text = unquote(append?.[1] ?? made?.[2] ?? '');
    const problem = append ? job.lacks('read', 'write') : job.lacks('create');
    if (problem) return problem;

    const written = [...job.of('create'), ...job.of('write')].at(-1);
    if (written) return say(written.ok ? `Done: \`${path}\` is written.` : `${explain(written)} Nothing was written.`);
    if (!append) return use(`I create ${path}.`, job.call('create', { path, content: `${text}\n` }));

    const [missing] = job.missing([path], 1);
    if (missing) return use(`I read ${path} to add to its end.`, missing);
    const known = job.file(path);
    if (!known || known.failed) return say(known?.failed ? explain(known.failed) : `I could not read ${path}.`);
    const gap = known.content === '' || known.content.endsWith('\n') ? '' : '\n';
    return use(`I add the line to ${path}.`, job.call('write', { path, content: `${known.content}${gap}${text}\n` }));
  },
};
