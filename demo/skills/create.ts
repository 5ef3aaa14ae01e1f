import { unquote } from '../instruction.ts';
import { clean, explain, type Job, type Move, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

const FILE = /[`"']?(\/?(?:[\w-]+\/)*[\w-][\w.-]*\.\w{1,5})[`"']?/.source;
const CREATE = new RegExp(
  `\\b(?:create|write|make)\\s+(?:a |the )?(?:new )?(?:file |note )?(?:called |named |at )?${FILE}\\s*(?:with|saying|that says|containing|:)\\s*(?:the text )?(.+)`,
  'is',
);
const APPEND = new RegExp(
  `\\b(?:append|add)\\s+(?:the (?:line|text) )?("[^"]+"|'[^']+'|\`[^\`]+\`|“[^”]+”|.+?)\\s+to\\s+(?:the end of )?${FILE}`,
  'is',
);

function afterWriting(job: Job, path: string): Move | null {
  const written = [...job.of('create'), ...job.of('write')].at(-1);
  if (!written) return null;
  return say(written.ok ? `Done: \`${path}\` is written.` : `${explain(written)} Nothing was written.`);
}

export const create: Skill = {
  example: 'create notes/idea.md with "Try a longer soak"',
  needs: ['create'],
  words: CREATE,
  next(instruction, job) {
    const [, file = '', text = ''] = CREATE.exec(instruction) ?? [];
    const path = clean(file);
    return (
      afterWriting(job, path) ?? use(`I create ${path}.`, job.call('create', { path, content: `${unquote(text)}\n` }))
    );
  },
};

export const append: Skill = {
  example: 'add "Old seed was not tried." to notes/open-questions.md',
  needs: ['read', 'write'],
  words: APPEND,
  next(instruction, job) {
    const [, text = '', file = ''] = APPEND.exec(instruction) ?? [];
    const path = clean(file);
    const end = afterWriting(job, path);
    if (end) return end;
    const [missing] = job.missing([path], 1);
    if (missing) return use(`I read ${path} to add to its end.`, missing);
    const known = job.file(path);
    if (!known || known.failed) return say(known?.failed ? explain(known.failed) : `I could not read ${path}.`);
    const gap = known.content === '' || known.content.endsWith('\n') ? '' : '\n';
    return use(
      `I add the line to ${path}.`,
      job.call('write', { path, content: `${known.content}${gap}${unquote(text)}\n` }),
    );
  },
};
