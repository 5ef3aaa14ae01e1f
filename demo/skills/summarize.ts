import { type Digest, digest, digestTable, openPointList } from '../digest.ts';
import { isText, meant, pathsIn } from '../instruction.ts';
import { clean, explain, type Job, type Move, files as number, say, use, withProblems } from '../job.ts';
import type { Skill } from './contract.ts';

const AT_ONCE = 6;
const MOST_FILES = 60;
const DEFAULT_TARGET = 'drafts/summary.md';

/** `summarize notes into drafts/overview.md`, `… and create a summary.md file`: where the summary goes. */
const TARGET =
  /\b(?:into|to|as|in a file called|(?:create|write|make)(?: (?:a|the))?(?: new)?(?: file)?(?: called| named)?)\s+[`"']?(\/?[\w./-]*\w\.\w{1,5})[`"']?/gi;

function targetOf(instruction: string): { path: string; isNamed: boolean } {
  const named = [...instruction.matchAll(TARGET)][0]?.[1];
  return named ? { path: clean(named), isNamed: true } : { path: DEFAULT_TARGET, isNamed: false };
}

const WEEKLY = /\b(?:(?:last|past|this) week|weekly|week's)\b/i;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** There is no clock here: the last week is the one that ends with the newest date in a name. Without dates, all. */
function newestWeek(paths: string[]): string[] {
  const dated = paths.flatMap((path) => {
    const time = Date.parse(/\d{4}-\d{2}-\d{2}/.exec(path)?.[0] ?? '');
    return Number.isNaN(time) ? [] : { path, time };
  });
  const newest = Math.max(...dated.map(({ time }) => time));
  const recent = dated.filter(({ time }) => newest - time < WEEK_MS).map(({ path }) => path);
  return recent.length > 0 ? recent : paths;
}

function compose(digests: Digest[]): string {
  const open = openPointList(digests);
  return [
    '# Summary',
    '',
    `Made from ${number(digests.length)} by Longhaul's rule-based demo model, which is not an LLM.`,
    '',
    digestTable(digests),
    ...(open ? ['', '## Open points', '', open] : []),
    '',
  ].join('\n');
}

function finish(job: Job, text: string, count: number, target: string): Move {
  const write = [...job.of('create'), ...job.of('write')].at(-1);
  const problems = job.failures.filter((call) => call !== write);
  if (!write) return say(withProblems(text, problems));
  if (!write.ok)
    return say(
      withProblems(`${explain(write)} Nothing was written. This is what I would have written:\n\n${text}`, problems),
    );
  return say(withProblems(`I wrote a summary of ${number(count)} to \`${target}\`.`, problems));
}

export const summarize: Skill = {
  example: 'summarize the experiments into drafts/summary.md',
  needs: ['list', 'read'],
  words: /\b(summari[sz]e|sum up|summary|overview|digest)\b/i,
  next(instruction, job) {
    const target = targetOf(instruction);
    const listing = job.of('list').at(-1);
    if (!listing) return use('I list the files first, then read them.', job.call('list', { path: '/' }));
    if (!listing.ok) return say(explain(listing));

    const listed = job.listed ?? [];
    const sources = instruction.replace(TARGET, ' ');
    const texts = meant(sources, listed).filter((file) => isText(file) && clean(file) !== target.path);
    const files = (WEEKLY.test(sources) ? newestWeek(texts) : texts).slice(0, MOST_FILES);
    if (files.length === 0) return say('There is no text file I may see, so there is nothing to summarize.');
    const missing = job.missing(files, AT_ONCE);
    if (missing.length > 0) {
      const known = job.texts(files).length;
      return use(`I read ${number(missing.length)} (${known} of ${files.length} done).`, ...missing);
    }

    const digests = job.texts(files).map(digest);
    if (digests.length === 0) return say(withProblems('I could read none of the files.', job.failures));
    const text = compose(digests);
    const isOneFile = pathsIn(sources).length > 0 && files.length === 1;
    const isWanted =
      target.isNamed ||
      (!isOneFile && !/\b(do not|don't|without) (write|writing|saving|save)\b|\bhere\b/i.test(instruction));
    const exists = listed.some((file) => clean(file) === target.path);
    const family = exists ? 'write' : 'create';
    const hasWritten = job.of('write').length + job.of('create').length > 0;
    if (!isWanted || !job.tool(family) || hasWritten) return finish(job, text, digests.length, target.path);
    return use(
      `I have read ${number(digests.length)} and write the summary to ${target.path}.`,
      job.call(family, { path: target.path, content: text }),
    );
  },
};
