import { pathsIn } from '../instruction.ts';
import { clean, explain, say, use, withProblems } from '../job.ts';
import type { Skill } from './contract.ts';

const MOST_FILES = 10;

export const remove: Skill = {
  example: 'delete drafts/poster-abstract.md',
  needs: ['delete'],
  words: /\b(?:delete|remove|erase)\b(?=[\s\S]*\.\w{1,5}\b)/i,
  next(instruction, job) {
    const paths = pathsIn(instruction).slice(0, MOST_FILES);
    if (paths.length === 0) return say('Which file shall I delete? Say for example: delete drafts/report.md.');
    const tried = job.of('delete');
    if (tried.length === 0) {
      return use(`I delete ${paths.join(', ')}.`, ...paths.map((path) => job.call('delete', { path })));
    }
    const [only] = job.failures;
    if (tried.length === 1 && only) return say(`${explain(only)} Nothing was deleted.`);
    const gone = tried.filter((call) => call.ok).map((call) => `\`${clean(String(call.arguments.path))}\``);
    const text =
      gone.length > 0
        ? `Done: ${gone.join(', ')} ${gone.length === 1 ? 'is' : 'are'} deleted.`
        : 'Nothing was deleted.';
    return say(withProblems(text, job.failures));
  },
};
