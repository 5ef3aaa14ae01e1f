import { digest, digestTable } from '../digest.ts';
import { isText, meant } from '../instruction.ts';
import { clean, explain, say, use, withProblems } from '../job.ts';
import type { Skill } from './contract.ts';

/** Long on purpose: one file a turn, so that there is time to stop, steer or kill something in the middle. */
export const walk: Skill = {
  example: 'work through every file',
  needs: ['list', 'read'],
  words:
    /\b(?:work|go|walk|step|read)\s+(?:through\s+)?(?:every|each|all|the whole)\b|\b(?:one (?:file )?(?:at a time|by one|after (?:the other|another)))\b/i,
  next(instruction, job) {
    const listing = job.of('list').at(-1);
    if (!listing) return use('I list the files, then read one in each turn.', job.call('list', { path: '/' }));
    if (!listing.ok) return say(explain(listing));
    const files = meant(instruction, job.listed ?? []).filter(isText);
    const [next] = job.missing(files, 1);
    const digests = job.texts(files).map(digest);
    if (!next)
      return say(
        withProblems(`I read all ${files.length} files, one by one.\n\n${digestTable(digests)}`, job.failures),
      );
    const last = digests.at(-1);
    const path = clean(String(next.arguments.path ?? next.arguments.file_path));
    const so_far = last ? `${last.path}: ${last.gist}\n\n` : '';
    return use(
      `${so_far}File ${files.findIndex((file) => clean(file) === path) + 1} of ${files.length}: ${path}.`,
      next,
    );
  },
};
