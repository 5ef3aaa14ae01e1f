import { join } from 'node:path';
import { type EngineKind, findOnPath, type Source } from './binary.ts';
import { run } from './commands.ts';
import { download, isReachable } from './download.ts';
import { seconds } from './progress.ts';

const CLI_VERSION = '1.5.1';

/** The publisher's checksums of the release archives (checksums.txt of the release). */
const ARCHIVES: Record<string, { query: string; sha256: string }> = {
  'linux-x64': {
    query: 'platform=linux&arch=amd64',
    sha256: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  },
  'linux-arm64': {
    query: 'platform=linux&arch=arm64',
    sha256: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  },
  'darwin-x64': {
    query: 'platform=darwin&arch=amd64',
    sha256: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  },
  'darwin-arm64': {
    query: 'platform=darwin&arch=arm64',
    sha256: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  },
};

export function archiveSource(title: string, url: string, sha256: string): Source {
  return {
    title,
    isOpen: () => isReachable(url),
    async get(stage, progress) {
      const archive = join(stage, 'archive.tar.gz');
      await download({ url, to: archive, title, sha256, progress });
      await run({ program: 'tar', args: ['-xzf', archive, '-C', stage, 'temporal'] });
      return join(stage, 'temporal');
    },
  };
}

function ordinaryDownload(): Source {
  const archive = ARCHIVES[`${process.platform}-${process.arch}`];
  const title = `download of release ${CLI_VERSION}`;
  if (archive) {
    return archiveSource(
      title,
      `https://temporal.download/cli/archive/v${CLI_VERSION}?${archive.query}`,
      archive.sha256,
    );
  }
  return {
    title,
    isOpen: async () => false,
    get: () => Promise.reject(new Error(`there is none for ${process.platform}-${process.arch}`)),
  };
}

/** Newer releases cannot be built this way: their go.mod has a replace line, which `go install` refuses. */
const goInstall: Source = {
  title: `go install github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION} (builds it, about 4 minutes)`,
  isOpen: async (path) => findOnPath('go', path) !== null,
  async get(stage, progress) {
    const since = Date.now();
    let modules = 0;
    let packages = 0;
    const tell = () => progress.update(`Temporal: ${modules} modules, ${packages} packages built, ${seconds(since)}`);
    const tick = setInterval(tell, 1_000);
    try {
      await run({
        program: 'go',
        args: [
          'install',
          '-v',
          '-ldflags',
          `-s -w -X github.com/temporalio/cli/temporalcli.Version=${CLI_VERSION}`,
          `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`,
        ],
        env: { GOBIN: stage, CGO_ENABLED: '0' },
        onLine: (line) => {
          if (line.startsWith('go: ')) modules++;
          else packages++;
        },
      });
    } finally {
      clearInterval(tick);
    }
    return join(stage, 'temporal');
  },
};

export const TEMPORAL: EngineKind & { engine: 'temporal' } = {
  engine: 'temporal',
  title: 'Temporal',
  // The server inside decides about the data, not the command around it.
  parseVersion: (printed) => /\(Server (\d+\.\d+\.\d+)/.exec(printed)?.[1] ?? null,
  accepts(version) {
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
    return major === 1 && (minor > 29 || (minor === 29 && patch >= 1));
  },
  accepted: 'the Temporal CLI with server 1.29.1 or newer',
  sources: [ordinaryDownload(), goInstall],
  advice:
    'Install the Temporal CLI so that `temporal` is on PATH (https://docs.temporal.io/cli), or Go, so that it can be ' +
    'built; or set TEMPORAL_ADDRESS to a server that runs already.',
};
