import { isRecord } from '../domain/json-value.ts';
import type { RunEvent } from '../domain/run-events.ts';
import type { ShownAction, ShownQuestion } from './pending-view.ts';

/** Events are open-ended on the wire; a reader takes what it knows and does without the rest. */
export type Data = RunEvent['data'];

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
export const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const personOf = (data: Data): string => text(record(data.by).name) || 'somebody';

export const actionOf = (data: Data): ShownAction => ({
  id: text(data.action_id),
  type: text(data.type),
  path: typeof data.path === 'string' ? data.path : null,
  arguments: record(data.arguments),
  preview: text(data.preview),
  digest: text(data.digest),
  ...(typeof data.problem === 'string' ? { problem: data.problem } : {}),
  can_allow_for_session: data.can_allow_for_session === true,
});

export const conflictsIn = (data: Data): { file_path: string; reason: string }[] =>
  list(data.files).map(({ file_path, reason }) => ({ file_path: text(file_path), reason: text(reason) }));

export const questionOf = (data: Data): ShownQuestion => ({
  id: text(data.question_id),
  question: text(data.question),
});
