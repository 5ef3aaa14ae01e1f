import type { AuditLine } from '../domain/audit.ts';
import type { Caller } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';

/** Where something lies, and which agent, run or session it belongs to. */
export type AuditPlace = Pick<AuditLine, 'workspace_id' | 'agent_id' | 'agent_name' | 'run_id' | 'session_id'>;

export const NOWHERE: AuditPlace = {
  workspace_id: null,
  agent_id: null,
  agent_name: null,
  run_id: null,
  session_id: null,
};

/** The collection behind each kind of id that lies in a workspace. */
const COLLECTIONS: Record<string, string> = {
  agt: 'agents',
  ckp: 'checkpoints',
  dlv: 'event_deliveries',
  evl: 'definitions',
  int: 'definitions',
  kn: 'knowledge',
  mcp: 'mcp_servers',
  nb: 'notebooks',
  run: 'runs',
  sch: 'schedules',
  ses: 'sessions',
  src: 'event_sources',
  sub: 'event_subscriptions',
  tool: 'definitions',
  tsk: 'tasks',
  wf: 'definitions',
};

interface Placed {
  _id: string;
  org_id: string;
  workspace_id?: string;
  agent_id?: string;
  agent_name?: string;
  name?: string;
  conversation_id?: string | null;
}

/** For the audit log alone: it asks for what the caller may have been refused. */
export async function placeOf(caller: Caller, id: string): Promise<AuditPlace> {
  const [, kind = ''] = /^([a-z]+)_/.exec(id) ?? [];
  if (kind === 'ws') return { ...NOWHERE, workspace_id: id };
  const name = COLLECTIONS[kind];
  if (!name) return NOWHERE;
  const found = await nativeCollection<Placed>(name).findOne(
    { _id: id, org_id: caller.org_id },
    { projection: { workspace_id: 1, agent_id: 1, agent_name: 1, name: 1, conversation_id: 1 } },
  );
  if (!found) return NOWHERE;
  const isAgent = kind === 'agt';
  return {
    workspace_id: found.workspace_id ?? null,
    agent_id: isAgent ? id : (found.agent_id ?? null),
    agent_name: (isAgent ? found.name : found.agent_name) ?? null,
    run_id: kind === 'run' ? id : null,
    session_id: kind === 'ses' ? id : (found.conversation_id ?? null),
  };
}
