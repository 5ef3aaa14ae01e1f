import { meant } from '../instruction.ts';
import { clean, explain, files as number, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

export const list: Skill = {
  example: 'list the files in experiments',
  needs: ['list'],
  words: /\b(list|what files|which files|show (?:me )?(?:all |the )?files|what is (?:in|there))\b/i,
  next(instruction, job) {
    const tried = job.of('list').at(-1);
    if (!tried) return use('I list the files of the notebook.', job.call('list', { path: '/' }));
    if (!tried.ok) return say(explain(tried));
    const files = meant(instruction, job.listed ?? []);
    if (files.length === 0) return say('There are no files I may see.');
    const lines = files.map((file) => `- \`${clean(file)}\``).join('\n');
    return say(`${number(files.length)}:\n\n${lines}`);
  },
};
