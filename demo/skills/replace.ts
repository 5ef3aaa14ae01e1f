import { pathsIn, unquote } from '../instruction.ts';
import { clean, explain, type Job, type Move, say, use, withProblems } from '../job.ts';
import type { Skill } from './contract.ts';
import { proposeReplacement } from './propose.ts';

const MOST_FILES = 10;
const WORD = /"[^"]+"|'[^']+'|`[^`]+`|“[^”]+”|\S+(?:\s+\S+){0,3}?/.source;
const PATTERN = new RegExp(
  `\\b(?:find and )?(?:replace|rename|change)\\s+(?:all |every |each )?(?:occurrences of )?(${WORD})\\s+(?:with|by|to|into)\\s+(${WORD})(?=\\s+(?:in|everywhere|throughout)\\b|[.!]?\\s*$)`,
  'i',
);

const count = (text: string, part: string): number => text.split(part).length - 1;

function report(job: Job, from: string, to: string): Move {
  const writes = job.of('write');
  const done = writes
    .filter((call) => call.ok)
    .map((call) => `\`${clean(String(call.arguments.path ?? call.arguments.file_path))}\``);
  const text = done.length > 0 ? `I replaced "${from}" with "${to}" in ${done.join(', ')}.` : 'Nothing was changed.';
  return say(withProblems(text, job.failures));
}

export const replace: Skill = {
  example: 'replace "Lamp B" with "Lamp C" in notes/equipment.md',
  needs: ['read', 'change'],
  words: PATTERN,
  next(instruction, job) {
    const match = PATTERN.exec(instruction);
    const from = unquote(match?.[1] ?? '');
    const to = unquote(match?.[2] ?? '');
    const named = pathsIn(instruction.slice((match?.index ?? 0) + (match?.[0].length ?? 0)));
    // In a job of edits nothing is written: what would be is proposed, and people decide.
    if (job.tool('propose')) return proposeReplacement(job, from, to, named);
    if (job.of('write').length > 0) return report(job, from, to);

    let files = named;
    if (files.length === 0) {
      const without = job.lacks(['search']);
      if (without) return without;
      const searched = job.of('search').at(-1);
      if (!searched) return use(`I look where "${from}" stands.`, job.call('search', { query: from, limit: 50 }));
      if (!searched.ok) return say(explain(searched));
      files = [...new Set(job.hits.map(({ path }) => path))].slice(0, MOST_FILES);
      if (files.length === 0) return say(`No file I may see holds "${from}", so there is nothing to replace.`);
    }

    const missing = job.missing(files, MOST_FILES);
    if (missing.length > 0) return use(`I read ${files.join(', ')} to see what changes.`, ...missing);
    const changes = job.texts(files).filter(({ content }) => content.includes(from));
    if (changes.length === 0)
      return say(withProblems(`"${from}" does not stand in ${files.join(', ')}; nothing was changed.`, job.failures));
    const places = changes.reduce((sum, { content }) => sum + count(content, from), 0);
    return use(
      `"${from}" stands ${places === 1 ? 'once' : `${places} times`} in ${changes.map(({ path }) => path).join(', ')}; I replace it with "${to}".`,
      ...changes.map(({ path, content }) => job.call('write', { path, content: content.replaceAll(from, () => to) })),
    );
  },
};
