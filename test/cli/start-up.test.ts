import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DIST = new URL('../../dist/cli/', import.meta.url);
const STATIC = /^(?:import|export)(?:\s[^'"()]*?from)?\s*"([^"]+)"/gm;

/** All packages that are read before a command is known, whoever in the program asks for them. */
function packagesOf(file: URL, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file.href)) return packages;
  seen.add(file.href);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(STATIC)) {
    if (!name.startsWith('.')) packages.add(name);
    else for (const below of packagesOf(new URL(name, file), seen)) packages.add(below);
  }
  return packages;
}

it('[12] the manual is there before anything else is read: --version and --help wait for one package', () => {
  const packages = [...packagesOf(new URL('main.js', DIST))].filter((name) => !name.startsWith('node:'));
  expect(packages).toEqual(['commander']);
});
