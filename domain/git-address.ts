export type GitAddress = { kind: 'remote' } | { kind: 'file'; path: string } | { kind: 'refused'; why: string };

const refused = (why: string): GitAddress => ({ kind: 'refused', why });

const FORMS = 'give an address like https://host/team/repo.git, ssh://git@host/team/repo.git or git@host:team/repo.git';
const SECRETS =
  'an address must not hold a password or token, which everybody would see; set it as the credential `token` of the notebook instead';

/** `git@host:team/repo.git`, as ssh and people write it. Neither side may begin with what a program takes for an option. */
const SHORT_SSH = /^[\w][\w.-]*@[a-z0-9][a-z0-9.-]*:[\w~][\w./~-]*$/i;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

function hasUnseen(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
  return /[\s\u0000-\u001f\u007f\\]/.test(text);
}

/** What an address leads to, or why nobody goes there: other protocols run programs or read whatever lies on the machine. */
export function gitAddress(url: string): GitAddress {
  if (hasUnseen(url) || url.startsWith('-')) return refused(FORMS);
  if (SHORT_SSH.test(url)) return { kind: 'remote' };
  if (!/^(https?|ssh|file):\/\//.test(url) || !URL.canParse(url)) return refused(FORMS);
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(url);
  if (password !== '' || (protocol.startsWith('http') && username !== '')) return refused(SECRETS);
  // On this machine nobody listens in.
  if (protocol === 'http:' && !LOOPBACK.has(hostname)) return refused(FORMS);
  if (search !== '' || hash !== '') return refused(SECRETS);
  if (hostname.startsWith('-') || username.startsWith('-') || pathname.length < 2) return refused(FORMS);
  if (protocol !== 'file:') return hostname === '' ? refused(FORMS) : { kind: 'remote' };
  if (hostname !== '') return refused('a file address has no host: file:///folder/repo.git');
  try {
    return { kind: 'file', path: decodeURIComponent(pathname) };
  } catch {
    return refused(FORMS);
  }
}

/** Names git itself would take for a branch, and none that a program could take for anything else. */
export const isBranchName = (name: string): boolean =>
  /^[A-Za-z0-9_][\w./-]*$/.test(name) && !/\.\.|\/\/|\/$|\.lock$|\.$/.test(name);
