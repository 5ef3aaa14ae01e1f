import { commandWords } from '../domain/command-words.ts';
import type { PendingAction, PendingQuestion } from '../domain/pending.ts';
import { brief, harmless, type Style } from './style.ts';

export type ShownAction = Pick<
  PendingAction,
  'id' | 'type' | 'path' | 'arguments' | 'preview' | 'digest' | 'problem' | 'can_allow_for_session'
>;
export type ShownQuestion = Pick<PendingQuestion, 'id' | 'question'>;

function diffLine(text: string, style: Style): string {
  if (/^(---|\+\+\+) /.test(text)) return style('bold', text);
  if (text.startsWith('@@')) return style('cyan', text);
  if (text.startsWith('+')) return style('green', text);
  if (text.startsWith('-')) return style('red', text);
  return text;
}

/** Files are shown as the diff gives them, line ends of other systems included: those are a change, too. */
export function diffLines(preview: string, style: Style): string[] {
  const lines = preview.replace(/^(Index: .*\n)?=+\n/, '').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((text) => diffLine(harmless(text), style));
}

export const actionTitle = ({ type, path }: Pick<ShownAction, 'type' | 'path'>): string =>
  [type, path].filter((word) => word !== null).join(' ');

/** All that would be done: a diff where there is one, else the arguments. */
export function previewLines(action: ShownAction, style: Style): string[] {
  if (action.preview === '') return diffLines(JSON.stringify(action.arguments, null, 2), style);
  const lines = diffLines(action.preview, style);
  const isEmptyDiff = /^--- .*\n\+\+\+ /m.test(action.preview) && !/^@@/m.test(action.preview);
  return isEmptyDiff ? [...lines, style('dim', '(changes nothing)')] : lines;
}

/** What would be done, for a decision about it. `limit` cuts the preview and says so. */
export function actionLines(action: ShownAction, style: Style, limit = Number.POSITIVE_INFINITY): string[] {
  const lines = previewLines(action, style);
  const more = lines.length - limit;
  return [
    style('yellow', `? ${harmless(actionTitle(action))}`) + style('dim', ' waits to be allowed'),
    ...lines.slice(0, limit).map((text) => `  ${text}`),
    ...(more > 0 ? [style('dim', `  … ${more} more lines`)] : []),
    ...(action.problem === undefined ? [] : [style('red', `  Not with the changes: ${harmless(action.problem)}`)]),
  ];
}

export function questionLines({ question }: ShownQuestion, style: Style): string[] {
  const [first = '', ...rest] = harmless(question.trim()).split('\n');
  return [style('yellow', `? ${first}`), ...rest.map((text) => `  ${text}`)];
}

const ARGUMENTS_OF_NOTE = ['path', 'file_path', 'query', 'pattern', 'command', 'name'];

/** A call in a few words: its tool and what it is about. */
export function callTitle(tool: string, given: Record<string, unknown>, length = 80): string {
  const command = commandWords(tool, given);
  if (command) return brief(`${command.operation} ${command.command}`.trim(), length);
  const about = ARGUMENTS_OF_NOTE.map((name) => given[name]).find((value) => typeof value === 'string' && value !== '');
  return brief(typeof about === 'string' ? `${tool} ${about}` : tool, length);
}

const MOST_CONFLICTS = 10;

/** Files that are not what edits were made for, and what to do about it. */
export function conflictLines(files: { file_path: string; reason: string }[], style: Style, run = ''): string[] {
  const more = files.length - MOST_CONFLICTS;
  return [
    style('yellow', '! Files are not what the edits were made for: nothing was written. To run it again:') +
      style('dim', ` longhaul review ${run ? `${run} ` : ''}--rerun`),
    ...files.slice(0, MOST_CONFLICTS).map(({ file_path, reason }) => `  ${harmless(file_path)}: ${harmless(reason)}`),
    ...(more > 0 ? [style('dim', `  … ${more} more`)] : []),
  ];
}

/** What a proposal comes to; what it is in detail the review itself shows. */
export function reviewLines(data: Record<string, unknown>, style: Style): string[] {
  const about = `${String(data.hunks)} changes in ${String(data.file_count ?? data.files)} files`;
  return [
    style('yellow', `? ${about}`) +
      style('dim', ` wait to be reviewed: longhaul review ${String(data.run_id ?? '')}`.trimEnd()),
  ];
}
