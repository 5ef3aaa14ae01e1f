import type { Use } from '../domain/definition.ts';
import { nativeCollection } from './connection.ts';

/** What of a schedule says which definition it starts; the rest is its own. */
interface ScheduleRow {
  _id: string;
  org_id: string;
  agent_id?: string | null;
  workflow_id?: string | null;
  is_active: boolean;
  name?: string | null;
  cron_expression?: string;
}

const MOST = 100;

async function activeSchedules(filter: Partial<ScheduleRow>): Promise<Use[]> {
  const found = await nativeCollection<ScheduleRow>('schedules')
    .find({ ...filter, is_active: true })
    .project<Pick<ScheduleRow, '_id' | 'name' | 'cron_expression'>>({ name: 1, cron_expression: 1 })
    .limit(MOST)
    .toArray();
  return found.map(({ _id, name, cron_expression }) => ({
    kind: 'schedule',
    id: _id,
    name: name ?? cron_expression ?? _id,
  }));
}

/** Those that would start it again: while there are any, it can be neither changed nor deleted. */
export const activeSchedulesOf = (orgId: string, workflowId: string): Promise<Use[]> =>
  activeSchedules({ org_id: orgId, workflow_id: workflowId });

export const activeSchedulesOfAgent = (orgId: string, agentId: string): Promise<Use[]> =>
  activeSchedules({ org_id: orgId, agent_id: agentId });
