import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildProgram } from '../../cli/program.ts';
import { at, codeIn, DOCUMENTS, shellOf, tableUnder, textOf } from './documents.ts';

const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(textOf('package.json')));
const commands = new Map(buildProgram('0').commands.map((command) => [command.name(), command]));

/** Commands as they stand in blocks and between backticks, without what comes before a pipe or after a comment. */
const linesOf = (path: string): string[] =>
  [...shellOf(path).flatMap((block) => block.split('\n')), ...codeIn(textOf(path))]
    .flatMap((line) => line.replace(/ #.*$/, '').split('|'))
    .map((line) => line.trim());

const flagsOf = (line: string): string[] => line.replace(/"[^"]*"|'[^']*'/g, '').match(/(?<=\s)--?[a-z][\w-]*/g) ?? [];

const knows = (command: Command, flag: string): boolean =>
  flag === '--help' ||
  command.options.some(({ short, long }) => short === flag || long === flag) ||
  command.commands.some((below) => knows(below, flag));

describe.each(DOCUMENTS)('%s', (path) => {
  const lines = linesOf(path);

  it('names commands and flags of the command line that there are', () => {
    for (const line of lines) {
      const [, name, rest = ''] = /^longhaul ([a-z]+)(.*)$/.exec(line) ?? [];
      if (!name) continue;
      const command = commands.get(name);
      expect(command, line).toBeDefined();
      for (const flag of flagsOf(rest)) expect(command && knows(command, flag), `${flag} of ${line}`).toBe(true);
    }
  });

  it('names flags of npm start that there are', () => {
    const start = commands.get('start');
    for (const line of lines.filter((each) => each.startsWith('npm start -- '))) {
      for (const flag of flagsOf(line.replace(' -- ', ' '))) expect(start && knows(start, flag), line).toBe(true);
    }
  });

  it('names npm scripts that there are', () => {
    for (const line of lines) {
      const [, name] = /^npm run ([\w-]+)/.exec(line) ?? /^npm (start|test)\b/.exec(line) ?? [];
      if (name) expect(Object.keys(scripts)).toContain(name);
    }
  });

  it('links to files and headings that there are', () => {
    for (const [, target = ''] of textOf(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', heading] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      expect(existsSync(at(linked)), target).toBe(true);
      if (heading === undefined) continue;
      const headings = [...textOf(linked).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(' ', '-')
          .replace(/[^\w-]/g, ''),
      );
      expect(headings, target).toContain(heading);
    }
  });

  it('names files of ours that there are', () => {
    const named = codeIn(textOf(path)).filter((code) => /^(\w+\/)+[\w.-]+\.(ts|mjs|md)$/.test(code));
    for (const file of named.filter((each) => existsSync(at(each.split('/')[0] ?? '')))) {
      expect(existsSync(at(file)), file).toBe(true);
    }
  });

  it('names no place of the machine it was written on', () => {
    expect(textOf(path)).not.toMatch(/\/(root|work|tmp|home)\//);
  });
});

it('the data directory is described as it is', () => {
  const sources = ['engines', 'cli', 'api', 'workers', 'activities/sandbox'].flatMap((folder) =>
    readdirSync(at(folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => textOf(`${folder}/${name}`)),
  );
  const names = tableUnder('docs/operations.md', 'The data directory')
    .slice(1)
    .flatMap(([cell = '']) => codeIn(cell));
  for (const name of names) {
    const written = `'${name.replace(/\/$/, '')}'`;
    expect(
      sources.some((text) => text.includes(written)),
      name,
    ).toBe(true);
  }
});
