import { lstat, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runGit } from '../../files/git-process.ts';
import type { Checkout } from '../checkout.ts';
import type { LaidOver } from './invocation.ts';
import type { CommandSpec } from './spec.ts';

const OWN_OBJECTS = '/run/longhaul/objects';
const MIRROR_OBJECTS = '/run/longhaul/mirror';

/** Said where a command would change what does not outlast it; without this a commit would seem to be made, and be lost. */
const REFUSAL =
  'In a command git works on a copy of the repository, which is gone afterwards. Commits, branches and tags are made with the tool git (operations branch, commit, push), not here.';

/** Lets through what leaves a branch where it is, and all that is no branch and no tag: a stash, a bisection. */
const REFUSE_BRANCHES = `#!/bin/sh
[ "$1" = prepared ] || exit 0
while read -r _ new ref; do
  case "$ref" in
    refs/heads/* | refs/tags/*)
      [ "$new" = "$(git rev-parse --verify --quiet "$ref")" ] && continue
      echo "${REFUSAL}" >&2
      exit 1
      ;;
  esac
done
`;

/** Nothing of it but the address comes from the host's own settings, and none of it is ever read out there. */
const configOf = (url: string): string =>
  [
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false',
    // In there the files have another owner than the index says; without this each command would read all of them anew.
    '\tcheckStat = minimal',
    // What would be refused is refused at once, and not for want of a name or of a branch to follow.
    '[user]\n\tname = Longhaul\n\temail = longhaul@localhost',
    '[push]\n\tdefault = current',
    '[gc]\n\tauto = 0',
    '[maintenance]\n\tauto = false',
    `[remote "origin"]\n\turl = ${JSON.stringify(url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*`,
    '\tpushurl = "commands do not push, the tool git does (operation push)"',
    '',
  ].join('\n');

const LIST = ['for-each-ref', '--format=%(objectname) %(refname)'];
const refsIn = (listed: Buffer): [name: string, commit: string][] =>
  listed
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);

/** Those of the run, and beside them the branches and tags of the remote as they were when it was last looked at. */
async function refsOf(checkout: Checkout, mirror: string): Promise<string> {
  const [own, others] = await Promise.all([
    checkout.git(LIST),
    runGit([...LIST, 'refs/heads', 'refs/tags'], { gitDir: mirror }),
  ]);
  const ofRemote = refsIn(others).map(([name, commit]): [string, string] => [
    name.replace(/^refs\/heads\//, 'refs/remotes/origin/'),
    commit,
  ]);
  const all = new Map([...ofRemote, ...refsIn(own)]);
  return [...all]
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, commit]) => `${commit} ${name}\n`)
    .join('');
}

/** Made before the command, which can neither move nor replace it: something lies over it from its first moment on. */
async function isFolder(path: string): Promise<boolean> {
  await mkdir(path).catch(() => undefined);
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * What git in a command finds at `.git`: history and index as they are, to look at and to work with, in memory and for
 * this command alone. Objects are read where they lie. The repository itself stays out of reach, with all that git out
 * here would run or believe: hooks, settings, filters.
 */
export async function gitCopyOf(checkout: Checkout): Promise<Pick<CommandSpec, 'shown' | 'over'>> {
  const { dir, git_dir } = checkout;
  if (!(await isFolder(join(dir, '.git')))) return {};
  const objects = join(git_dir, 'objects');
  const borrowed = (await readFile(join(objects, 'info', 'alternates'), 'utf8')).trim();
  const index = join(git_dir, 'index');
  const [head, refs, { mtime }] = await Promise.all([
    readFile(join(git_dir, 'HEAD'), 'utf8'),
    refsOf(checkout, dirname(borrowed)),
    stat(index),
  ]);
  const over: LaidOver = {
    path: '.git',
    folders: ['refs', 'objects', 'objects/info', 'hooks'],
    files: [
      { path: 'HEAD', content: head },
      { path: 'config', content: configOf(checkout.remote.url) },
      { path: 'packed-refs', content: refs },
      // By its age git knows which files to look into: those that were changed in the second it was written, or later.
      { path: 'index', content: { copy_of: index }, changed_at: mtime },
      { path: 'objects/info/alternates', content: `${OWN_OBJECTS}\n${MIRROR_OBJECTS}\n` },
      { path: 'hooks/reference-transaction', content: REFUSE_BRANCHES, runs: true },
    ],
    // It names the place on the host that the objects are borrowed from, which is another one in there.
    instead: [{ path: `${OWN_OBJECTS}/info/alternates`, content: '' }],
  };
  return {
    shown: [
      [objects, OWN_OBJECTS],
      [borrowed, MIRROR_OBJECTS],
    ],
    over,
  };
}
