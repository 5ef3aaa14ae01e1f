// What the build consists of: each part with its inputs. A part is made again only when their content has changed.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { at, capture, contentHash, tool } from './bootstrap.mjs';

const ENTRIES = [
  'cli/main.ts',
  'cli/fetch-engines.ts',
  'api/server.ts',
  'workers/agent-worker.ts',
  'demo/model-server.ts',
  'bench/main.ts',
  'bench/bare/worker.ts',
  'bench/live-watchers.ts',
];
const ALWAYS = ['package.json', 'package-lock.json', 'tsconfig.json', 'setup/build-parts.mjs'];

/** Written aside and renamed: a process that starts meanwhile reads the old file or the new one. */
function place(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

async function buildPrograms() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ENTRIES.map((entry) => at(entry)),
    outdir: at('dist'),
    outbase: at('.'),
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'silent',
  });
  for (const { path, contents } of outputFiles) place(path, contents);
}

async function buildWorkflows() {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = () => {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: at('workflows', 'index.ts'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error },
  });
  place(at('dist', 'workflows.js'), code);
}

async function buildWeb() {
  const fresh = at('dist', `.web-${process.pid}`);
  const { code, output } = await capture(
    tool('vite'),
    ['build', '--config', 'web/vite.config.ts', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'],
    { NODE_ENV: 'production' },
  );
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(output);
  }
  const old = at('dist', `.web-old-${process.pid}`);
  if (existsSync(at('dist', 'web'))) renameSync(at('dist', 'web'), old);
  renameSync(fresh, at('dist', 'web'));
  rmSync(old, { recursive: true, force: true });
}

const PARTS = [
  {
    name: 'programs',
    inputs: [
      'config.ts',
      'domain',
      'store',
      'activities',
      'files',
      'workflows',
      'workers',
      'api',
      'cli',
      'sdk',
      'engines',
      'demo',
      'bench',
    ],
    output: 'dist/cli/main.js',
    make: buildPrograms,
  },
  { name: 'workflows', inputs: ['workflows', 'domain'], output: 'dist/workflows.js', make: buildWorkflows },
  { name: 'web', inputs: ['web', 'domain'], output: 'dist/web/index.html', make: buildWeb },
];

const stampOf = ({ name }) => at('dist', `.${name}.hash`);
const hashOf = ({ inputs }) => contentHash([...ALWAYS, ...inputs]);

export const staleParts = () =>
  PARTS.filter(
    (part) =>
      !existsSync(at(part.output)) ||
      !existsSync(stampOf(part)) ||
      readFileSync(stampOf(part), 'utf8') !== hashOf(part),
  );

export async function makePart(part) {
  const hash = hashOf(part);
  await part.make();
  place(stampOf(part), hash);
}
