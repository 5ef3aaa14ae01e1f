import { openPoints } from '../digest.ts';
import { isText, meant } from '../instruction.ts';
import { explain, type FileText, files as inFiles, say, use, withProblems } from '../job.ts';
import type { Skill } from './contract.ts';

const AT_ONCE = 8;

const UNITS: [RegExp, string, (file: FileText) => number][] = [
  [/\b(todos?|open (?:points|tasks|items))\b/i, 'open points', ({ content }) => openPoints(content).length],
  [/\blines\b/i, 'lines', ({ content }) => content.split('\n').length - (content.endsWith('\n') ? 1 : 0)],
  [/\bwords\b/i, 'words', ({ content }) => content.match(/\S+/g)?.length ?? 0],
];

export const count: Skill = {
  example: 'count the words in drafts/report.md',
  needs: ['list', 'read'],
  words: /\b(count|how many)\b/i,
  next(instruction, job) {
    const listing = job.of('list').at(-1);
    if (!listing) return use('I list the files to count in.', job.call('list', { path: '/' }));
    if (!listing.ok) return say(explain(listing));
    const files = meant(instruction, job.listed ?? []).filter(isText);
    const [, unit, measure] = UNITS.find(([words]) => words.test(instruction)) ?? [null, 'files', () => 1];
    const missing = unit === 'files' ? [] : job.missing(files, AT_ONCE);
    if (missing.length > 0) return use(`I read ${inFiles(missing.length)} to count their ${unit}.`, ...missing);
    if (unit === 'files') return say(`There are ${files.length} text files.`);

    const counted = job.texts(files).map((file) => ({ file, number: measure(file) }));
    const total = counted.reduce((sum, { number }) => sum + number, 0);
    const rows = counted
      .filter(({ number }) => number > 0)
      .map(({ file, number }) => `| \`${file.path}\` | ${number} |`);
    const points =
      unit === 'open points'
        ? counted.flatMap(({ file }) =>
            openPoints(file.content).map((point) => `- ${point.text} (${file.path}:${point.line})`),
          )
        : [];
    const table = [`| File | ${unit} |`, '|---|---:|', ...rows, `| **All** | **${total}** |`].join('\n');
    return say(
      withProblems(
        [`${total} ${unit} in ${inFiles(counted.length)}.`, table, points.join('\n')].filter(Boolean).join('\n\n'),
        job.failures,
      ),
    );
  },
};
