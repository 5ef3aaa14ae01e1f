import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import type { CommandLimits } from './limits.ts';

/** Where the only writable place is, as a command sees it. */
export const WORKSPACE = '/workspace';
const UID = '1000';

/** What a file in there holds: text, or what a file of the host holds when the command begins. */
export type Content = string | { copy_of: string };

/** A folder in memory that lies over one of the workspace for as long as the command lasts. */
export interface LaidOver {
  /** Relative to the root; must be a folder there. */
  path: string;
  folders: readonly string[];
  /** Relative to it. They can be changed in there, and nothing is kept of that. */
  files: readonly { path: string; content: Content; runs?: true; changed_at?: Date }[];
  /** Files that stand where something shown would stand otherwise. */
  instead: readonly { path: string; content: Content }[];
}

export interface Place {
  /** Bound at /workspace, writable. */
  root: string;
  /** Relative to the root: `` or `a/b`. */
  cwd: string;
  /** Further places a command may read, under their own names. */
  readable: readonly string[];
  /** Further places it may also change, under their own names. */
  writable: readonly string[];
  /** Files under another name, to be read: `[outside, inside]`. */
  shown: readonly (readonly [string, string])[];
  over: LaidOver | null;
}

export interface Invocation {
  place: Place;
  env: Readonly<Record<string, string>>;
  limits: CommandLimits;
  /** Hands something over, and says through which descriptor. */
  give: (content: Content) => number;
}

/** Who is who in there: nobody of the host. */
const ETC = {
  passwd: 'agent:x:1000:1000:agent:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  group: 'agent:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost longhaul\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** What /etc has of the host, where it is there: nothing that is anybody's secret. */
const OF_ETC = ['/etc/ssl', '/etc/ca-certificates', '/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime'];

/** Links in the root on merged systems, folders on others. */
const OF_ROOT = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'];
const systemArguments = (): string[] =>
  OF_ROOT.filter((path) => existsSync(path)).flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  );

/**
 * Files of /proc that tell of the host. The rest is about processes in here, or the same for everybody. Nothing in
 * /proc can be written: as root outside, a command could otherwise set what the kernel runs (kernel.core_pattern).
 */
const HIDDEN = [
  ...['keys', 'key-users', 'kallsyms', 'kcore', 'kmsg', 'timer_list', 'sched_debug', 'latency_stats', 'iomem'],
  ...['ioports', 'kpagecount', 'kpageflags', 'kpagecgroup', 'modules', 'vmallocinfo', 'cmdline', 'config.gz'],
];

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  CI: 'true',
  NO_COLOR: '1',
};

export const environmentOf = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...ENVIRONMENT,
  ...env,
});

const ENCLOSED = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
  ...['--uid', UID, '--gid', UID, '--hostname', 'longhaul', '--cap-drop', 'ALL', '--clearenv'],
];

function laidOver(over: LaidOver, size: string[], give: Invocation['give']): string[] {
  const at = `${WORKSPACE}/${over.path}`;
  return [
    ...over.instead.flatMap(({ path, content }) => ['--ro-bind-data', String(give(content)), path]),
    ...['--perms', '0755', ...size, '--tmpfs', at],
    ...over.folders.flatMap((path) => ['--dir', `${at}/${path}`]),
    ...over.files.flatMap(({ path, content, runs }) => [
      ...['--perms', runs ? '0755' : '0644', '--file', String(give(content)), `${at}/${path}`],
    ]),
  ];
}

/** Dates the files that are to have one, then becomes what comes after them. */
const DATE = 'while [ "$1" != -- ]; do touch -m -d "$1" "$2"; shift 2; done; shift; exec "$@"';

/** bubblewrap makes files of this very moment: what is to be older is dated in there, before the command begins. */
export function dated({ over }: Place, argv: readonly string[]): readonly string[] {
  const dates = (over?.files ?? []).flatMap(({ path, changed_at }) =>
    changed_at ? [`@${Math.floor(changed_at.getTime() / 1000)}`, `${WORKSPACE}/${over?.path}/${path}`] : [],
  );
  return dates.length > 0 ? ['/bin/sh', '-c', DATE, 'date', ...dates, '--', ...argv] : argv;
}

/** What bubblewrap is told, in the order it does it: everything writable comes last and is named. */
export function bubblewrapArguments({ place, env, limits, give }: Invocation): string[] {
  const binds = (option: string, paths: readonly string[]) => paths.flatMap((path) => [option, path, path]);
  const size = ['--size', String(limits.tmp_bytes)];
  const cwd = place.cwd === '' ? WORKSPACE : `${WORKSPACE}/${place.cwd}`;
  return [
    ...ENCLOSED,
    ...Object.entries(environmentOf(env)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr', ...systemArguments()],
    ...['--perms', '0755', '--dir', '/etc'],
    ...OF_ETC.flatMap((path) => ['--ro-bind-try', path, path]),
    ...Object.entries(ETC).flatMap(([name, text]) => ['--perms', '0644', '--file', String(give(text)), `/etc/${name}`]),
    ...['--dev', '/dev', ...size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--proc', '/proc'],
    ...HIDDEN.flatMap((name) => (existsSync(`/proc/${name}`) ? ['--ro-bind', '/dev/null', `/proc/${name}`] : [])),
    ...['--remount-ro', '/proc'],
    ...['--perms', '1777', ...size, '--tmpfs', '/tmp'],
    ...binds('--ro-bind-try', place.readable),
    ...binds('--bind', place.writable),
    ...place.shown.flatMap(([outside, inside]) => ['--ro-bind', outside, inside]),
    ...['--bind', place.root, WORKSPACE],
    ...(place.over ? laidOver(place.over, size, give) : []),
    ...['--remount-ro', '/', '--chdir', cwd],
  ];
}
