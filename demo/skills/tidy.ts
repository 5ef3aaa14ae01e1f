import { pathsIn } from '../instruction.ts';
import { explain, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

/** What can be tidied without understanding a word: spaces, blank lines, headings. Fenced code is left alone. */
export function tidied(content: string): string {
  const eol = content.includes('\r\n') ? '\r\n' : '\n';
  const lines: string[] = [];
  let isCode = false;
  for (const line of content.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    // Two spaces at the end of a line of text are a line break in Markdown.
    const isBreak = /^(?!#).*\S {2}$/.test(line);
    const tidy = isCode ? line : line.trimEnd().replace(/^(#{1,6})(?=[^#\s])/, '$1 ') + (isBreak ? '  ' : '');
    if (isCode || tidy !== '' || lines.at(-1) !== '') lines.push(tidy);
  }
  return `${lines.join('\n').trimEnd()}\n`.replaceAll('\n', eol);
}

export const tidy: Skill = {
  example: 'tidy drafts/report.md',
  needs: ['read', 'write'],
  words: /\b(?:tidy|clean up|format)\b(?=[\s\S]*\.\w{1,5}\b)/i,
  next(instruction, job) {
    const path = pathsIn(instruction)[0];
    if (!path) return say('Which file shall I tidy? Say for example: tidy drafts/report.md.');
    const written = job.of('write').at(-1);
    if (written)
      return say(
        written.ok
          ? `I tidied \`${path}\`: spaces, blank lines and headings only.`
          : `${explain(written)} ${path} is as it was.`,
      );
    const [missing] = job.missing([path], 1);
    if (missing) return use(`I read ${path}.`, missing);
    const known = job.file(path);
    if (!known || known.failed) return say(known?.failed ? explain(known.failed) : `I could not read ${path}.`);
    const content = tidied(known.content);
    if (content === known.content) return say(`\`${path}\` is tidy already; nothing was changed.`);
    return use(
      `I tidy spaces, blank lines and headings of ${path}; no word changes.`,
      job.call('write', { path, content }),
    );
  },
};
