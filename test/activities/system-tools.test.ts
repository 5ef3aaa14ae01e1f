import { describe, expect, it } from 'vitest';
import { toolbox } from '../../activities/tools/index.ts';
import type { Agent } from '../../domain/agent.ts';
import { isSystemTool } from '../../domain/system-tools.ts';
import { agentWith } from '../domain/told.ts';

const EVERYTHING: Partial<Agent> = {
  can_write: true,
  can_create: true,
  can_delete: true,
  can_execute_code: true,
  can_access_integrations: true,
  knowledge_sources: ['*'],
};
const offered = (more: Partial<Agent>): string[] =>
  toolbox(agentWith({ ...EVERYTHING, ...more }), 'folder').schemas.map(({ name }) => name);

describe('[2] system_tools', () => {
  it('may list every tool there is', () => {
    expect(offered({}).filter((name) => !isSystemTool(name))).toEqual([]);
    expect(offered({}).length).toBeGreaterThan(5);
  });

  it('are all that an agent is offered, but for reading on in what it was told', () => {
    expect(offered({ system_tools: ['read_file', 'write_file'] }).sort()).toEqual([
      'read_file',
      'read_result',
      'write_file',
    ]);
    expect(offered({ system_tools: [] })).toEqual(['read_result']);
    expect(
      toolbox(agentWith({ ...EVERYTHING, system_tools: ['read_file'] }), 'folder').find('write_file'),
    ).toBeUndefined();
  });

  it('give no right that is off', () => {
    expect(offered({ system_tools: ['read_file', 'write_file'], can_write: false, can_create: false })).not.toContain(
      'write_file',
    );
  });
});
