/**
 * Paths that try to mean another place than they seem to. Each is refused by its looks alone, whatever the files and
 * whatever the scope: `attempts` is the whole table, by the kind of trick.
 */
const combine = <A, B>(as: readonly A[], bs: readonly B[], join: (a: A, b: B) => string): string[] =>
  as.flatMap((a) => bs.map((b) => join(a, b)));

const STARTS = ['', '/', './', '//', 'docs/', '/docs/', '/docs/deep/', '/docs/./'];
const TARGETS = ['secret.txt', 'etc/passwd', 'notebook-other/secret.txt'];
const CLIMBS = ['..', '../..', '..//..', '.././..', '../../../../../../../..'];

const traversal = combine(
  combine(STARTS, CLIMBS, (start, climb) => start + climb),
  TARGETS,
  (climb, target) => `${climb}/${target}`,
);

const ENCODED_DOTS = [
  '%2e%2e',
  '%2E%2E',
  '.%2e',
  '%2e.',
  '%252e%252e',
  '%25252e%25252e',
  '%2525252e%2525252e',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '%f0%80%80%ae',
  '%u002e%u002e',
  '%%32%65%%32%65',
  '%25%32%65%25%32%65',
  '%ef%bc%8e%ef%bc%8e',
  '%e2%80%a4%e2%80%a4',
];
const ENCODED_SLASHES = ['%2f', '%2F', '%252f', '%5c', '%255C', '%c0%af', '%c1%9c', '%u2215', '%u002f', '%ef%bc%8f'];
const encoding = [
  ...combine(STARTS.slice(0, 3), ENCODED_DOTS, (start, dots) => `${start}${dots}/secret.txt`),
  ...combine(ENCODED_DOTS, ENCODED_SLASHES, (dots, slash) => `/${dots}${slash}secret.txt`),
  ...combine(['/docs', '/..', 'a'], ENCODED_SLASHES, (start, slash) => `${start}${slash}secret.txt`),
  ...combine(['/a.md', 'docs/b.md'], ['%00', '%2500', '%0a', '%250d', '%u0000', '%00.md'], (path, end) => path + end),
];

const DOTS = ['\uff0e', '\u2024', '\u2025', '\ufe52', '\u3002', '\uff61'];
const SLASHES = ['\uff0f', '\u2044', '\u2215', '\u29f8', '\u27cb', '\u2571', '\uff3c', '\u2216', '\u29f5', '\ufe68'];
const UNSEEN = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202e',
  '\u2060',
  '\u2066',
  '\u2069',
  '\u00ad',
  '\ufeff',
  '\u061c',
  '\u3164',
  '\u115f',
  '\u180e',
  '\u{e0041}',
];
const unicode = [
  ...combine(DOTS, ['/', ...SLASHES], (dot, slash) => `/${dot}${dot}${slash}secret.txt`),
  ...SLASHES.map((slash) => `..${slash}secret.txt`),
  ...SLASHES.map((slash) => `/docs${slash}b.md`),
  ...DOTS.map((dot) => `/docs/b${dot}md`),
  ...combine(UNSEEN, ['/.X./secret.txt', '/docs/bX.md', '/Xdocs/b.md', '/b.mdX'], (char, path) =>
    path.replace('X', char),
  ),
  ...['/u\u0308ber.md', '/\u212b.md', '/e\u0301/a.md', '/\u1100\u1161.md', '/a\u0323\u0307.md', '/\u2126.md'],
  ...['/a\ud800.md', '/\udc00.md', '/\ud83d'],
  ...['/\u2100.md', '/\u2105.md', '/\u2488.md'],
];

const CONTROLS = ['\0', '\u0001', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029'];
const control = combine(CONTROLS, ['/a.mdX', '/Xa.md', '/a.mdX/../../secret.txt', '/docsX/b.md', 'X'], (char, path) =>
  path.replace('X', char),
);

const host = [
  ...['..\\secret.txt', '\\..\\secret.txt', '/docs\\..\\..\\secret.txt', '..\\/secret.txt', '/a\\b', '\\\\host\\share'],
  ...['C:\\Windows\\win.ini', 'C:/Windows/win.ini', 'c:/', 'Z:', '\\\\?\\C:\\x', '\\\\.\\pipe\\x'],
  ...['file:///etc/passwd', 'FILE://localhost/etc/passwd', 'http://127.0.0.1/', 'jar:file://x!/y', 'smb://host/x'],
];

const looseEnds = [
  ...combine(['.. ', '...', '....', '. .', '.. .', '..\u00a0', '..\u3000'], ['', '/docs/'], (name, start) =>
    start ? `${start}${name}/secret.txt` : `/${name}/secret.txt`,
  ),
  ...['/a.md.', '/a.md ', '/a.md..', '/a.md\u00a0', '/docs./b.md', '/docs /b.md', '/a. ', '/ ', 'a.md\u2003'],
];

const long = [
  `/${'x'.repeat(256)}`,
  `/${'ü'.repeat(128)}.md`,
  `/${'x'.repeat(5_000)}.md`,
  `/${'d/'.repeat(1_100)}a.md`,
  `${'./'.repeat(1_100)}a.md`,
  `/${'a/../'.repeat(500)}../secret.txt`,
];

const kept = ['/.longhaul-staged-x', '/docs/.longhaul-staged-run_1-1-c', '/.LONGHAUL-STAGED-x', '/.longhaul-staged-/a'];

export const attempts: Record<string, string[]> = {
  traversal,
  encoding,
  unicode,
  control,
  host,
  'loose ends': looseEnds,
  'too long': long,
  'names kept for files on their way': kept,
};

export const allAttempts: string[] = [...new Set(Object.values(attempts).flat())];

/** Odd, and honest: none of them may be refused for its looks. */
export const honest: [string, string][] = [
  ['notes.md', '/notes.md'],
  ['/notes.md', '/notes.md'],
  ['//notes.md', '/notes.md'],
  ['/a//b/./c/', '/a/b/c'],
  ['', '/'],
  ['.', '/'],
  ['./notes.md', '/notes.md'],
  ['/..a/b..c', '/..a/b..c'],
  ['/.env', '/.env'],
  ['/a b/ü.md', '/a b/ü.md'],
  ['/100%25.md', '/100%25.md'],
  ['/100%.md', '/100%.md'],
  ['/a%20b.md', '/a%20b.md'],
  ['/50%ab.md', '/50%ab.md'],
  ['/~/x', '/~/x'],
  ['/$HOME', '/$HOME'],
  ['/and so on….md', '/and so on….md'],
  ['/½ litre.md', '/½ litre.md'],
  ['/日本語/ノート.md', '/日本語/ノート.md'],
  ['/❤️.md', '/❤️.md'],
  ['/10:30.md', '/10:30.md'],
  ['/.longhaul', '/.longhaul'],
  [`/${'x'.repeat(255)}`, `/${'x'.repeat(255)}`],
];
