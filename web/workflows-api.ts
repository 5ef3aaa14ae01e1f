import type { FlowView } from '../domain/flow-view.ts';
import type { Run } from '../domain/run.ts';
import type { ResumeRun } from '../domain/run-requests.ts';
import type { WorkflowFile } from '../domain/workflow-file.ts';
import { at, call, type Page, tell } from './http.ts';

export interface Workflow extends WorkflowFile {
  id: string;
  workspace_id: string;
  is_active: boolean;
  version: number;
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface ToolName {
  id: string;
  name: string;
}

const one = (id: string): string => `/agents/workflows/${at(id)}`;
const MOST = 100;

export const workflowsApi = {
  list: (workspace_id: string, cursor: string | null = null) =>
    call<Page<Workflow>>('/agents/workflows', { query: { workspace_id, cursor, limit: MOST } }),
  one: (id: string) => call<Workflow>(one(id)),
  create: (workspace_id: string, file: WorkflowFile, idempotency_key: string) =>
    call<Workflow>('/agents/workflows', { method: 'POST', body: { ...file, workspace_id }, idempotency_key }),
  save: (id: string, file: WorkflowFile, version: number) =>
    call<Workflow>(one(id), { method: 'PUT', body: file, if_match: version }),
  remove: (id: string) => tell(one(id), { method: 'DELETE' }),
  restore: (id: string) => call<Workflow>(one(id), { method: 'PUT', body: { is_active: true } }),
  tools: (workspace_id: string) =>
    call<Page<ToolName>>('/agents/tools', { query: { workspace_id, limit: MOST } }).then(({ items }) => items),
  start: (body: { workflow_id: string; input: unknown; notebook_id?: string | undefined }, idempotency_key: string) =>
    call<Pick<Run, 'id' | 'status'>>('/runs', { method: 'POST', body, idempotency_key }),
  flow: (run_id: string) => call<FlowView>(`/runs/${at(run_id)}/workflow`),
  resume: (run_id: string, body: ResumeRun, idempotency_key: string) =>
    call<Pick<Run, 'id' | 'status'>>(`/runs/workflow/${at(run_id)}/resume`, { method: 'POST', body, idempotency_key }),
};
