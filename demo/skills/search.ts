import { keywords, quotedIn } from '../instruction.ts';
import { explain, files, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

const CITED = 20;

export const search: Skill = {
  example: 'find "germination"',
  needs: ['search'],
  words: /\b(search|find|look (?:for|up)|grep|where (?:is|are|do|does))\b(?:\s+for\b)?/i,
  next(instruction, job) {
    const query =
      quotedIn(instruction) ?? keywords(instruction.slice(instruction.search(search.words)).replace(search.words, ' '));
    if (query === '') return say('What shall I look for? Put the words in quotes, for example: find "germination".');
    const searches = job.of('search');
    const last = searches.at(-1);
    if (!last) return use(`I search the notebook for "${query}".`, job.call('search', { query, limit: CITED }));
    if (!last.ok) return say(explain(last));
    const hits = job.hits;
    if (hits.length > 0) {
      const lines = hits.slice(0, CITED).map(({ path, line, text }) => `- \`${path}:${line}\` ${text}`);
      const found = new Set(hits.map(({ path }) => path)).size;
      return say(`Found in ${files(found)}:\n\n${lines.join('\n')}`);
    }
    // Several words rarely stand together; the longest of them may well be there.
    const longest = query.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), '');
    if (searches.length === 1 && longest !== query) {
      return use(
        `Nothing holds "${query}" word for word; I try "${longest}".`,
        job.call('search', { query: longest, limit: CITED }),
      );
    }
    return say(`No file I may see holds "${query}".`);
  },
};
