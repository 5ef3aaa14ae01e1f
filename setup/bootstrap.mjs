// What the commands share, with nothing but Node.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [20, 19];

export const say = (line) => process.stdout.write(`${line}\n`);
export const at = (...parts) => join(ROOT, ...parts);
export const tool = (name) => at('node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldMajor, oldMinor] = OLDEST_NODE;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return;
  say(
    `Longhaul needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org`,
  );
  process.exit(1);
}

/** Where nobody watches, lines are plain. */
const PLAIN = process.stdout.isTTY ? {} : { NO_COLOR: '1' };

/** Runs a command with its output shown; resolves with its exit code. Signals to us reach it too. */
export function show(program, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...PLAIN, ...env } });
    const pass = (signal) => child.kill(signal);
    process.on('SIGINT', pass).on('SIGTERM', pass);
    child.once('error', (error) => {
      say(`${program}: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      resolve(signal ? 1 : code);
    });
  });
}

/** Runs a command quietly; resolves with its exit code and all it printed. */
export function capture(program, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

export const secondsSince = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

export function findProgram(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** A hash over the content of files and folders, so that a touched or checked-out file does not count as changed. */
export function contentHash(paths) {
  const hash = createHash('sha256').update(process.version);
  const add = (path) => hash.update(relative(ROOT, path)).update('\0').update(readFileSync(path)).update('\0');
  const walk = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory()) walk(join(path, entry.name));
      else if (entry.isFile()) add(join(path, entry.name));
    }
  };
  for (const path of paths.map((path) => at(path)).filter((path) => existsSync(path))) {
    if (/\.\w+$/.test(path)) add(path);
    else walk(path);
  }
  return hash.digest('hex');
}

export async function installModules() {
  const stamp = at('node_modules', '.longhaul-lock');
  const wanted = contentHash(['package-lock.json']);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (!isInstalled()) {
    // npm would empty the folder it leads to, under the feet of whoever else uses it.
    if (lstatSync(at('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
      say('node_modules is a link to what other dependencies were installed for: remove the link, or install there.');
      process.exit(1);
    }
    const since = Date.now();
    say('Installing dependencies (npm ci) …');
    const code = await show('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
    if (code !== 0) {
      say('npm ci failed; see above. Is the package registry reachable?');
      process.exit(1);
    }
    say(`Dependencies installed (${secondsSince(since)})`);
  }
  writeFileSync(stamp, wanted);
}

/** Whether what npm says it installed is what the lock file asks for. */
function isInstalled() {
  try {
    const read = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;
    const there = read(at('node_modules', '.package-lock.json'));
    return Object.entries(read(at('package-lock.json'))).every(
      ([path, { version, optional }]) =>
        path === '' || there[path]?.version === version || (optional && there[path] === undefined),
    );
  } catch {
    return false;
  }
}
