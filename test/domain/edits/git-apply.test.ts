import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLog, withStatuses } from '../../../domain/edits/change-log.ts';
import { asGitPatch, gitPatch } from '../../../domain/edits/git-patch.ts';
import { applyPatch, parsePatch } from '../../../domain/edits/patch.ts';
import { replay } from '../../../domain/edits/replay.ts';
import { rollbackSelected } from '../../../domain/edits/rollback.ts';
import { linesOf } from '../../../domain/edits/text.ts';
import { anyProposal, anyRewriteOf, anyText, onDisk } from './any-edits.ts';
import { GitFolder } from './git-repository.ts';

const CASES = 250;

let git: GitFolder;
beforeEach(() => {
  git = new GitFolder();
});
afterEach(() => git.remove());

/** The same ones every time, so that a failure can be looked at; `fc.assert` would start git for each. */
const sample = <T>(what: fc.Arbitrary<T>, seed: number): T[] => fc.sample(what, { numRuns: CASES, seed });

describe('[5] git apply', () => {
  it('takes the patch between any two texts, gives exactly the second, and the first again with -R', () => {
    const pairs = [
      ...sample(fc.tuple(fc.option(anyText, { freq: 8 }), fc.option(anyText, { freq: 8 })), 1),
      ...sample(
        anyText.chain((text) => fc.tuple(fc.constant(text), anyRewriteOf(text))),
        2,
      ),
    ].filter(([before, after]) => before !== after);
    const names = ['plain.md', 'with space.md', 'ünïcode.md', 'quo"te.md', 'tab\there.md', 'deep/er/x.md'];
    const path = (n: number): string => `${n}/${names[n % names.length]}`;
    for (const [n, [before]] of pairs.entries()) git.write(path(n), before);
    const patch = pairs.map(([before, after], n) => gitPatch({ file_path: `/${path(n)}`, before, after })).join('');
    expect(git.apply(patch)).toEqual({ status: 0, stderr: '' });
    for (const [n, [, after]] of pairs.entries()) expect(git.read(path(n))).toEqual(onDisk(after));
    expect(git.apply(patch, '-R')).toEqual({ status: 0, stderr: '' });
    for (const [n, [before]] of pairs.entries()) expect(git.read(path(n))).toEqual(onDisk(before));
  });

  it('takes each hunk by itself, and its reverse patch, with the same bytes as ours', () => {
    const cases = sample(anyProposal, 3).flatMap(({ base, bundle }) =>
      openLog(base, bundle).changes.map((change) => ({ base, change })),
    );
    expect(cases.length).toBeGreaterThan(CASES);
    for (const [n, { base }] of cases.entries()) git.write(`${n}.md`, base);
    const forward = cases.map(({ base, change }, n) =>
      asGitPatch(`/${n}.md`, change.forward_patch, base === null ? 'created' : 'changed'),
    );
    expect(git.apply(forward.join(''))).toEqual({ status: 0, stderr: '' });
    for (const [n, { base, change }] of cases.entries()) {
      expect(git.read(`${n}.md`)).toEqual(onDisk(applyPatch(base, change.forward_patch)));
    }
    const reverse = cases.map(({ base, change }, n) =>
      asGitPatch(`/${n}.md`, change.reverse_patch, base === null ? 'removed' : 'changed'),
    );
    expect(git.apply(reverse.join(''))).toEqual({ status: 0, stderr: '' });
    for (const [n, { base }] of cases.entries()) expect(git.read(`${n}.md`)).toEqual(onDisk(base));
  });

  it('gives the working buffer of any choice of hunks from the base', () => {
    const cases = sample(fc.tuple(anyProposal, fc.array(fc.boolean(), { minLength: 1, maxLength: 9 })), 4).map(
      ([{ base, bundle }, choice]) => {
        const log = openLog(base, bundle);
        const rejected = log.changes.filter((_, n) => choice[n % choice.length]).map(({ id }) => [id, 'rejected']);
        return { base, after: replay(withStatuses(log, Object.fromEntries(rejected))).text };
      },
    );
    for (const [n, { base }] of cases.entries()) git.write(`${n}.md`, base);
    const patch = cases.map(({ base, after }, n) => gitPatch({ file_path: `/${n}.md`, before: base, after }));
    expect(git.apply(patch.join(''))).toEqual({ status: 0, stderr: '' });
    for (const [n, { after }] of cases.entries()) expect(git.read(`${n}.md`)).toEqual(onDisk(after));
  });
});

/** How often the lines that a patch wants to find are in a text. */
function occurrences(patch: string, text: string): number {
  const { before, added, after } = parsePatch(patch.slice(patch.indexOf('@@')));
  const wanted = [...before, ...added, ...after];
  const lines = linesOf(text);
  return lines.filter((_, at) => wanted.every((line, i) => lines[at + i] === line)).length;
}

describe('[5] a scoped rollback', () => {
  it('is what git apply -R gives, wherever that finds one place for it', () => {
    const cases = sample(
      anyProposal.chain(({ base, bundle }) => {
        const open = openLog(base, bundle);
        const log = withStatuses(open, Object.fromEntries(open.changes.map(({ id }) => [id, 'accepted'])));
        const after = replay(log).text;
        return fc.record({
          log: fc.constant(log),
          after: fc.constant(after),
          current: fc.oneof(fc.constant(after ?? ''), anyRewriteOf(after ?? '')),
          which: fc.nat(),
        });
      }),
      5,
    ).flatMap(({ log, after, current, which }) => {
      const hunk = log.changes[which % Math.max(1, log.changes.length)];
      if (!hunk) return [];
      const without = replay(withStatuses(log, { [hunk.id]: 'rejected' })).text;
      return [{ log, hunk, current, without, after }];
    });
    for (const [n, { current }] of cases.entries()) git.write(`${n}.md`, current);
    const patches = cases.map(({ without, after }, n) =>
      gitPatch({ file_path: `/${n}.md`, before: without ?? '', after: after ?? '' }),
    );
    git.apply(patches.join(''), '-R', '--reject');
    let [clean, ours] = [0, 0];
    for (const [n, { log, hunk, current }] of cases.entries()) {
      const rolled = rollbackSelected(current, log, [hunk.hunk_id]);
      expect(rolled.reverted_hunk_ids.length + rolled.conflicts.length).toBe(1);
      if (rolled.conflicts.length > 0) expect(onDisk(rolled.text)).toEqual(onDisk(current));
      else ours++;
      const patch = patches[n] ?? '';
      if (git.refused(`${n}.md`) || occurrences(patch, current) !== 1) continue;
      clean++;
      expect({ n, conflicts: rolled.conflicts, bytes: onDisk(rolled.text ?? '') }).toEqual({
        n,
        conflicts: [],
        bytes: git.read(`${n}.md`),
      });
    }
    expect(clean).toBeGreaterThan(CASES / 4);
    // Where only the context has changed, git gives up and we need not.
    expect(ours).toBeGreaterThan(clean);
  });

  it('of all hunks together gives the base again where nothing has happened since', () => {
    fc.assert(
      fc.property(anyProposal, ({ base, bundle }) => {
        const open = openLog(base, bundle);
        const log = withStatuses(open, Object.fromEntries(open.changes.map(({ id }) => [id, 'accepted'])));
        const ids = bundle.hunks.map(({ hunk_id }) => hunk_id);
        const { text, conflicts, reverted_hunk_ids } = rollbackSelected(replay(log).text, log, ids);
        expect(conflicts).toEqual([]);
        expect(reverted_hunk_ids).toEqual(ids);
        expect(onDisk(text ?? '')).toEqual(onDisk(base ?? ''));
      }),
      { numRuns: 300 },
    );
  });
});
