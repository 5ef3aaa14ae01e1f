import type { Agent } from '../domain/agent.ts';
import type { Dispatched, PlanStep, UserSettings } from '../domain/dispatch.ts';
import type { ToolDefinition } from '../domain/tool-definition.ts';
import { everyPage } from './agents-api.ts';
import { call, type Page } from './http.ts';

export interface Question {
  query: string;
  workspace_id: string;
  notebook_id?: string | undefined;
  attachments: { name: string }[];
}

export interface Chosen {
  tools: string[];
  agents: string[];
}

export const dispatchApi = {
  ask: (
    body: Question & { chosen?: Chosen; execution_plan?: PlanStep[]; execute?: boolean },
    idempotency_key: string,
  ) => call<Dispatched>('/dispatch', { method: 'POST', body, idempotency_key }),
  settings: () => call<UserSettings>('/me/settings'),
  keepSettings: (body: UserSettings) => call<UserSettings>('/me/settings', { method: 'PUT', body }),
  /** Of every workspace, as the settings are. */
  tools: () => everyPage((cursor) => call<Page<ToolDefinition>>('/agents/tools', { query: { cursor, limit: 100 } })),
  agents: () => everyPage((cursor) => call<Page<Agent>>('/agents', { query: { cursor, limit: 100 } })),
};
