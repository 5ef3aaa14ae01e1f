import { describe, expect, it } from 'vitest';
import { LIST_RESOURCES, type McpServer, mcpRunTools, NOT_LOOKED_AT, READ_RESOURCE } from '../../domain/mcp.ts';

const serverWith = (tools: string[], has_resources = false): McpServer => ({
  ...{ id: 'mcp_1', workspace_id: 'wsp_1', name: 'files', description: '', allowed_tools: null, timeout_s: 60 },
  transport: { kind: 'http', url: 'https://mcp.test/', headers: {}, allow_private: false },
  ...{ is_active: true, version: 1, created_by: 'usr_1' },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  findings: {
    ...NOT_LOOKED_AT,
    has_resources,
    tools: tools.map((name) => ({
      ...{ name, description: '', input_schema: { type: 'object' }, output_schema: null },
      ...{ read_only: true, idempotent: true },
    })),
  },
});

const named = (server: McpServer, entries = ['files']) =>
  Object.fromEntries(
    mcpRunTools(server, entries).map(({ name, source }) => [source.kind === 'mcp' ? source.tool : '', name]),
  );

describe('What a model calls the tools of an MCP server', () => {
  it('is the name of the server and theirs', () => {
    expect(named(serverWith(['read', 'write.all']))).toEqual({ read: 'files__read', 'write.all': 'files__write_all' });
  });

  it.each([
    { title: 'one that can be written as it is', tools: ['a.b', 'a_b'] },
    { title: 'none that can', tools: ['a.b', 'a b', 'a/b'] },
  ])('is never the same for two, with $title', ({ tools }) => {
    const names = named(serverWith(tools));
    expect(new Set(Object.values(names)).size).toBe(tools.length);
    for (const name of Object.values(names)) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    if (tools.includes('a_b')) expect(names.a_b).toBe('files__a_b');
  });

  it('is not that of our own for its resources', () => {
    const names = named(serverWith(['list_resources'], true));
    expect(names.list_resources).toBe('files__list_resources');
    expect(names[READ_RESOURCE]).toBe('files__read_resource');
    expect(names[LIST_RESOURCES]).toMatch(/^files__list_resources_[0-9a-f]{8}$/);
  });

  it('does not depend on which of them an agent is given', () => {
    const server = serverWith(['a.b', 'a_b']);
    expect(named(server, ['files/a.b'])['a.b']).toBe(named(server)['a.b']);
  });
});
