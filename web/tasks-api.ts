import type { Task } from '../domain/task.ts';
import { at, call, type Page, tell } from './http.ts';

export interface TaskDraft {
  title: string;
  description: string;
  notebook_id: string | null;
  assigned_to: string | null;
}

export const tasksApi = {
  list: (workspace_id: string, cursor: string | null) =>
    call<Page<Task>>('/tasks', { query: { workspace_id, cursor, limit: 100 } }),
  create: (workspace_id: string, draft: TaskDraft, idempotency_key: string) =>
    call<Task>('/tasks', { method: 'POST', body: { workspace_id, ...draft }, idempotency_key }),
  change: (id: string, draft: Partial<TaskDraft>, idempotency_key: string) =>
    call<Task>(`/tasks/${at(id)}`, { method: 'PUT', body: draft, idempotency_key }),
  remove: (id: string) => tell(`/tasks/${at(id)}`, { method: 'DELETE' }),
};
