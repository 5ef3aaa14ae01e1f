import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Binary, type EngineKind, findOnPath, type Source } from './binary.ts';
import { run } from './commands.ts';
import { obtain, type Wanted } from './obtain.ts';

/** The oldest that has `--size` and `--disable-userns`. */
const OLDEST = [0, 8] as const;

/** apt with lists of its own, so that neither root nor lists that somebody fetched before are needed. */
const privateApt = (stage: string): string[] => {
  const state = join(stage, 'apt-state');
  const cache = join(stage, 'apt-cache');
  for (const folder of [join(state, 'lists', 'partial'), join(cache, 'archives', 'partial')]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(state, 'status'), '');
  const options = {
    'Dir::State': state,
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': cache,
    // The folder is ours alone: apt's own user could not write there.
    'APT::Sandbox::User': process.getuid?.() === 0 ? 'root' : '',
    'Debug::NoLocking': '1',
  };
  return Object.entries(options).flatMap(([name, value]) => (value === '' ? [] : ['-o', `${name}=${value}`]));
};

/** apt has compared it with the hashes of a list that Debian has signed; nothing of the system is changed. */
const debianPackage: Source = {
  title: 'the Debian package, unpacked into the cache (apt-get download bubblewrap)',
  isOpen: async (path) => findOnPath('apt-get', path) !== null && findOnPath('dpkg-deb', path) !== null,
  async get(stage) {
    const folder = join(stage, 'package');
    mkdirSync(folder);
    const download = (options: string[]) =>
      run({ program: 'apt-get', args: ['-q', ...options, 'download', 'bubblewrap'], cwd: folder });
    await download([]).catch(async () => {
      const options = privateApt(stage);
      await run({ program: 'apt-get', args: ['-q', ...options, 'update'] });
      await download(options);
    });
    const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (file === undefined) throw new Error('apt-get download left no package');
    await run({ program: 'dpkg-deb', args: ['-x', join(folder, file), join(stage, 'unpacked')] });
    return join(stage, 'unpacked', 'usr', 'bin', 'bwrap');
  },
};

export const BUBBLEWRAP: EngineKind & { engine: 'bwrap' } = {
  engine: 'bwrap',
  title: 'bubblewrap',
  parseVersion: (printed) => /bubblewrap (\d+\.\d+(?:\.\d+)?)/.exec(printed)?.[1] ?? null,
  accepts(version) {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  },
  accepted: `bwrap ${OLDEST.join('.')} or newer`,
  sources: [debianPackage],
  advice:
    'Install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap …) so that `bwrap` is on PATH, ' +
    'or set LONGHAUL_BWRAP to its path. Until then commands of agents are refused.',
};

/** Where it cannot be had, everything but commands goes on: that is told, and no error. */
export async function obtainBubblewrap(wanted: Omit<Wanted, 'made_by'>): Promise<Binary | null> {
  if (process.platform !== 'linux') return null;
  try {
    return await obtain(BUBBLEWRAP, wanted);
  } catch (error) {
    wanted.progress.line(error instanceof Error ? error.message : String(error));
    return null;
  }
}
