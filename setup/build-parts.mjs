// What the build consists of: each part with its inputs. A part is made again only when their content has changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { at, capture, contentHash, tool } from './bootstrap.mjs';

const CLI_ENTRIES = ['cli/main.ts', 'cli/fetch-engines.ts'];
const ENTRIES = [
  'api/server.ts',
  'workers/agent-worker.ts',
  'demo/model-server.ts',
  'bench/main.ts',
  'bench/bare/worker.ts',
  'bench/live-watchers.ts',
  'bench/chaos/main.ts',
];
const ALWAYS = ['package.json', 'package-lock.json', 'tsconfig.json', 'setup/build-parts.mjs'];

/** Written aside and renamed: a process that starts meanwhile reads the old file or the new one. */
function place(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

/** Those of the command line are cut up by command, so that each reads only what it needs. */
async function buildPrograms() {
  const programs = await Promise.all([
    bundled(ENTRIES),
    bundled(CLI_ENTRIES, { splitting: true, chunkNames: `cli/${PARTS_PREFIX}[name]-[hash]` }),
  ]);
  const files = programs.flat();
  const isPart = ({ path }) => path.startsWith(at('dist', 'cli', PARTS_PREFIX));
  // What names others comes after them: a process that starts meanwhile finds all that it needs.
  for (const { path, contents } of [...files.filter(isPart), ...files.filter((file) => !isPart(file))]) {
    place(path, contents);
  }
  dropOldParts(new Set(files.map(({ path }) => path)));
}

const PARTS_PREFIX = 'part-';
/** Longer than a command that was begun before the build takes to read its parts. */
const KEEP_PARTS_MS = 3_600_000;

function dropOldParts(current) {
  for (const name of readdirSync(at('dist', 'cli'))) {
    const path = at('dist', 'cli', name);
    if (!name.startsWith(PARTS_PREFIX) || current.has(path)) continue;
    if (Date.now() - statSync(path).mtimeMs > KEEP_PARTS_MS) rmSync(path);
  }
}

async function bundled(entries, more = {}) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => at(entry)),
    outdir: at('dist'),
    outbase: at('.'),
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    // Held in memory by every process otherwise; lines and names are enough for a trace.
    sourcesContent: false,
    logLevel: 'silent',
    ...more,
  });
  return outputFiles;
}

async function buildWorkflows() {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = () => {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: at('workflows', 'index.ts'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error },
  });
  place(at('dist', 'workflows.js'), withoutSources(code));
}

/** The worker demands a source map, and holds it several times over; the sources in it are two thirds of that. */
function withoutSources(code) {
  const at = code.lastIndexOf('base64,') + 'base64,'.length;
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(code.slice(at), 'base64').toString());
  return code.slice(0, at) + Buffer.from(JSON.stringify(map)).toString('base64');
}

/** Packed once here rather than at every request; api/web-app.ts sends what the browser takes. */
function pack(dir) {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  for (const name of readdirSync(dir)) {
    const content = readFileSync(join(dir, name));
    if (!/\.(js|css|svg)$/.test(name) || content.length < 1024) continue;
    writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, brotli));
    writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
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
  pack(join(fresh, 'assets'));
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
      'bounded-patterns.ts',
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
