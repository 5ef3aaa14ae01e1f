import { pathsIn } from '../instruction.ts';
import { explain, say, use } from '../job.ts';
import type { Skill } from './contract.ts';

/** What can be tidied without understanding a word: spaces, blank lines, headings. Fenced code is left alone. */
export function tidied(content: string): string {
  const eol = content.includes('\r\n') ? '\r\n' : '\n';
  let isCode = false;
  const lines = content.split(/\r?\n/).map((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) return line;
    // Two spaces at the end are a line break in Markdown.
    const trimmed = line.replace(/[ \t]+$/, (spaces) => (spaces === '  ' && line.trim() !== '' ? '  ' : ''));
    return trimmed.replace(/^(#{1,6})(?=[^#\s])/, '$1 ');
  });
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n').trimEnd()}\n`.replaceAll('\n', eol);
}

export const tidy: Skill = {
  example: 'tidy drafts/report.md',
  words: /\b(?:tidy|clean up|format)\b(?=[\s\S]*\.\w{1,5}\b)/i,
  next(instruction, job) {
    const problem = job.lacks('read', 'write');
    if (problem) return problem;
    const path = pathsIn(instruction)[0];
    if (!path) return say('Which file shall I tidy? Say for example: tidy drafts/report.md.');
    const written = job.of('write').at(-1);
    if (written) return say(written.ok ? `I tidied \`${path}\`: spaces, blank lines and headings only.` : `${explain(written)} ${path} is as it was.`);
    const [missing] = job.missing([path], 1);
    if (missing) return use(`I read ${path}.`, missing);
    const known = job.file(path);
    if (!known || known.failed) return say(known?.failed ? explain(known.failed) : `I could not read ${path}.`);
    const content = tidied(known.content);
    if (content === known.content) return say(`\`${path}\` is tidy already; nothing was changed.`);
    return use(`I tidy spaces, blank lines and headings of ${path}; no word changes.`, job.call('write', { path, content }));
  },
};
