import { digest } from '../digest.ts';
import { keywords, pathsIn } from '../instruction.ts';
import { clean, explain, type Job, type Move, say, use, withProblems } from '../job.ts';
import type { Skill } from './contract.ts';

const SHOWN_LINES = 60;

/** A file that was not found under its name is looked for in the list, once. */
function elsewhere(wanted: string, job: Job): Move | string {
  const tried = job.of('list').at(-1);
  if (!tried && job.tool('list')) {
    return use(`I look for ${wanted} in the list of files.`, job.call('list', { path: '/' }));
  }
  const name = (wanted.split('/').at(-1) ?? wanted).toLowerCase();
  const found = job.listed?.find((file) => clean(file).toLowerCase().includes(name));
  return found ? clean(found) : say(withProblems(`I found no file like ${wanted}.`, job.failures));
}

export const read: Skill = {
  example: 'read README.md',
  needs: ['read'],
  words: /\b(read|show|open|print|display|cat)\b/i,
  next(instruction, job) {
    const named = pathsIn(instruction)[0];
    const wanted = named ?? keywords(instruction.replace(read.words, ' ')).split(' ')[0];
    if (!wanted) return say('Which file? Say for example: read README.md.');
    let path = wanted;
    const first = job.file(path);
    if (!named || (first?.failed && first.failed.code === 'no_such_file')) {
      const other = elsewhere(wanted, job);
      if (typeof other !== 'string') return other;
      path = other;
    }
    const known = job.file(path);
    if (!known) return use(`I read ${path}.`, job.call('read', { path }));
    if (known.failed) return say(explain(known.failed));
    const lines = known.content.split('\n');
    const more = lines.length > SHOWN_LINES || known.next_line !== null ? '\n…' : '';
    const { title, gist } = digest({ path, content: known.content });
    const shown = lines.slice(0, SHOWN_LINES).join('\n').trimEnd();
    return say(`**${title}** (\`${path}\`): ${gist}\n\n~~~~\n${shown}${more}\n~~~~`);
  },
};
