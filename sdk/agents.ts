import type { z } from 'zod';
import type { Agent, changeAgentBody, createAgentBody } from '../domain/agent.ts';
import type { AgentBinding } from '../domain/agent-file.ts';
import type { AgentTemplate } from '../domain/agent-templates.ts';
import type { Credential, setAgentCredentialBody } from '../domain/credential.ts';
import type { Probe, probeBody } from '../domain/probe.ts';
import { at } from './address.ts';
import type { Http } from './http.ts';
import type { Page, PageQuery } from './queries.ts';

type NewAgent = z.input<typeof createAgentBody> & { template?: string };

const versionHeader = (version: number | undefined): Record<string, string> =>
  version === undefined ? {} : { 'If-Match': `"${version}"` };

/** Agents, and what they sign in with. */
export const agentCalls = (http: Http) => ({
  agents: {
    list: (query: PageQuery & { workspace_id?: string } = {}) =>
      http.get<Page<Agent>>('/agents', { query: { ...query } }),
    get: (id: string) => http.get<Agent>(at('agents', id)),
    create: (body: NewAgent) => http.post<Agent>('/agents', { body }),
    /** With `version`, only where nobody has changed it since. */
    change: (id: string, body: z.input<typeof changeAgentBody>, { version }: { version?: number } = {}) =>
      http.put<Agent>(at('agents', id), { body, headers: versionHeader(version) }),
    activate: (id: string, active = true) =>
      http.post<Agent>(at('agents', id, '/activate'), { query: { active: String(active) } }),
    delete: (id: string, { version }: { version?: number } = {}) =>
      http.delete(at('agents', id), { headers: versionHeader(version) }),
    templates: () => http.get<{ items: AgentTemplate[] }>('/templates'),
    /** As YAML, to keep or to take elsewhere. */
    export: (id: string) => http.text(at('agents', id, '/export')),
    import: (body: { workspace_id: string; yaml: string; binding?: AgentBinding }) =>
      http.post<Agent>('/agents/import', { body }),
    /** Whether it could do something to a path in a run of yours, and by which rule. */
    probe: (body: z.input<typeof probeBody>) => http.post<Probe>('/agents/probe', { body }),
  },
  /** Of agents. Values go in and never come out. */
  credentials: {
    list: (agentId: string) => http.get<Page<Credential>>(at('agents', agentId, '/credentials')),
    set: (agentId: string, body: z.input<typeof setAgentCredentialBody>) =>
      http.post<Credential>(at('agents', agentId, '/credentials'), { body }),
    remove: (agentId: string, key: string) =>
      http.delete(at('agents', agentId, `/credentials/${encodeURIComponent(key)}`)),
  },
});
