import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Agent, iterationsOf, operationSchema } from '../../domain/agent.ts';
import { type AgentBinding, ReadAgentFile, writeAgentFile } from '../../domain/agent-file.ts';
import { isFailure } from '../../domain/failures.ts';
import { agentWith } from './told.ts';

const NAMES = {
  notebooks: [
    { id: 'nb_1', name: 'Lab notes' },
    { id: 'nb_2', name: '2025: "drafts" # all' },
    { id: 'nb_3', name: '*' },
  ],
  knowledge_sources: [{ id: 'kn_1', name: 'Service procedures.pdf' }],
  delegated_agents: [
    { id: 'agt_2', name: 'halo_reporting' },
    { id: 'agt_3', name: 'notifier' },
  ],
};
const NONE = { notebooks: [], knowledge_sources: [], delegated_agents: [] };

const there = (yaml: string, binding: AgentBinding = {}, names = NAMES) => ReadAgentFile.of(yaml).bound(binding, names);

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom(' ', '\n', '\t', '#', ': ', '- ', '|', '>', "'", '"', '\r\n', 'null', '---', '%', '&a', '*'))
    .map((parts) => parts.join('')),
  fc.constantFrom('yes', '0x1f', '1e3', '~', 'true', '', ' ', '\n', '\u2028', '\ufeffx', '\0', '\u0085', '=', '<<'),
);
const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 0 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T;
const anyScope = fc
  .record({
    notebooks: maybe(some('*', 'nb_1', 'nb_2')),
    folders: maybe(some('/a', '/b/*', '**/*.md')),
    file_types: maybe(some('*.md', 'txt')),
    operations: maybe(some(...operationSchema.options)),
  })
  .map((scope) => defined(scope) as Agent['scope']);
const flags = { can_read: fc.boolean(), can_write: fc.boolean(), can_create: fc.boolean() };
const anySchema = fc.constantFrom(
  { type: 'object' },
  { $ref: '#/$defs/a', $defs: { a: { const: 'x: y' } } },
  { a: { type: 'string' } },
);
const anyAgent = fc
  .record({
    name: anyText.map((text) => `A ${text}`.trim()),
    description: anyText,
    system_prompt: anyText,
    model: fc.constantFrom('gpt-4o', 'ollama/llama3', 'anthropic:claude-x'),
    scope: anyScope,
    ...flags,
    grants: fc.option(
      fc.record({
        ...flags,
        can_delete: fc.boolean(),
        can_execute_code: fc.boolean(),
        can_access_integrations: fc.boolean(),
        command_network: fc.boolean(),
        scope: anyScope,
        knowledge_sources: some('*', 'kn_1'),
        tools: some('*', 'fetch_ticket_history'),
        mcp_servers: some('*', 'hub/find'),
      }),
    ),
    max_cost_usd: fc.option(fc.double({ min: 0.01, max: 1000, noNaN: true })),
    max_requests_per_hour: fc.option(fc.integer({ min: 1, max: 1000 })),
    max_iterations: maybe(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constant(50))),
    tools: some('fetch_ticket_history', 'null', '12'),
    system_tools: fc.option(some('read_file', 'search_knowledge')),
    knowledge_sources: some('*', 'kn_1'),
    delegated_agents: some('agt_2', 'agt_3').chain((ids) =>
      fc.tuple(...ids.map((agent_id) => maybe(anySchema).map((input_schema) => defined({ agent_id, input_schema })))),
    ),
    confirmation: fc.dictionary(
      fc.constantFrom('write_file', 'a.b', '$where', 'yes'),
      fc.constantFrom('always', 'never', 'first_time'),
    ),
  })
  .map((fields) => agentWith(defined(fields) as Partial<Agent>));

const EARMARKED = ['visibility', 'access_level', 'roles', 'slug'] as const;
const portable = (agent: object) => {
  const left = [
    'id',
    'workspace_id',
    'provider',
    'is_active',
    'is_builtin',
    'version',
    'created_by',
    'created_at',
    'updated_at',
  ];
  return Object.fromEntries(
    Object.entries(agent).filter(([field]) => ![...left, ...EARMARKED].includes(field as never)),
  );
};

describe('[2] an agent as a file', () => {
  it('comes back as it was, whatever stands in it', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const read = there(writeAgentFile(agent, NAMES));
        expect(portable({ ...read, ...iterationsOf(read.max_iterations) })).toEqual(portable(agent));
      }),
      { numRuns: 300 },
    );
  });

  it('names what it refers to, and holds no id of this installation', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const ours = { id: 'agt_own', workspace_id: 'ws_own', created_by: 'usr_own' };
        expect(writeAgentFile({ ...agent, ...ours }, NAMES)).not.toMatch(/\b(agt|ws|usr|nb|kn)_(own|\d)/);
      }),
    );
  });

  it('is short: what is as in any new agent is left out', () => {
    const yaml = writeAgentFile(agentWith({ system_prompt: 'Be brief.\nBe kind.\n', can_write: true }), NAMES);
    expect(yaml.split('\n').slice(1)).toEqual([
      'slug: helper',
      'name: Helper',
      'model: gpt-test',
      'system_prompt: |',
      '  Be brief.',
      '  Be kind.',
      'scope:',
      '  notebooks:',
      '    - "*"',
      'can_write: true',
      '',
    ]);
  });

  it('leaves out and counts what cannot be named, and never makes all notebooks of one', () => {
    const scope = { notebooks: ['nb_3', 'nb_gone', 'nb_1'] };
    const yaml = writeAgentFile(agentWith({ scope, delegated_agents: [{ agent_id: 'agt_9' }] }), NAMES);
    expect(yaml).toContain('# Left out: 3 of what it refers to');
    expect(there(yaml)).toMatchObject({ scope: { notebooks: ['nb_1'] }, delegated_agents: [] });
  });
});

/** In the words of another system: a file and, apart from it, how it is bound. */
const SERVICE_MANAGER = `# agents/service-manager.agent.yaml
name: Ticket desk
description: Looks after tickets and hands them on
system_prompt: |
  You look after tickets.
tools:
  - fetch_ticket_history
delegated_agents:
  - halo_reporting
  - agent: notifier
    input_schema: {text: {type: string}}
knowledge_sources:
  - Service procedures.pdf
system_tools: [execute_workflow, search_knowledge]
`;

describe('[2] a file is bound to an installation', () => {
  it('by what the binding says and by names', () => {
    const binding = {
      llm_model: 'claude-sonnet-4-6',
      access_level: 'role_based',
      roles: ['write'],
      max_iterations: 20,
      notebooks: ['nb_1'],
    } as const;
    expect(there(SERVICE_MANAGER, { ...binding, roles: ['write'], notebooks: ['nb_1'] })).toMatchObject({
      name: 'Ticket desk',
      model: 'claude-sonnet-4-6',
      access_level: 'role_based',
      roles: ['write'],
      visibility: 'personal',
      max_iterations: 20,
      max_token_budget: 100_000,
      scope: { notebooks: ['nb_1'] },
      knowledge_sources: ['kn_1'],
      delegated_agents: [{ agent_id: 'agt_2' }, { agent_id: 'agt_3', input_schema: { text: { type: 'string' } } }],
      system_tools: ['execute_workflow', 'search_knowledge'],
    });
  });

  it('and says by line what is not there, or there more than once', () => {
    const twice = {
      ...NAMES,
      knowledge_sources: [...NAMES.knowledge_sources, { id: 'kn_2', name: 'Service procedures.pdf' }],
    };
    const failure = failureOf(() => there(SERVICE_MANAGER, {}, { ...twice, delegated_agents: [] }));
    expect(failure?.details.lines).toEqual({
      model: null,
      'knowledge_sources.0': 13,
      'delegated_agents.0': 9,
      'delegated_agents.1': 10,
    });
    expect(failure?.message).toContain('line 13: knowledge_sources.0: several are called Service procedures.pdf');
    const chosen = { model: 'gpt-4o', knowledge_sources: { 'Service procedures.pdf': 'kn_2' } };
    expect(there(SERVICE_MANAGER, chosen, twice).knowledge_sources).toEqual(['kn_2']);
    const unbound = failureOf(() =>
      there('name: A\nmodel: gpt-4o\nscope: {notebooks: [constructor]}', { notebooks: {} }),
    );
    expect(unbound?.details.lines).toEqual({ 'scope.notebooks.0': 3 });
  });

  it('with the documents it passes on', () => {
    const yaml =
      'name: A\nmodel: gpt-4o\ngrants:\n  knowledge_sources:\n    - Service procedures.pdf\n    - Lost.pdf\n';
    expect(failureOf(() => there(yaml))?.details.lines).toEqual({ 'grants.knowledge_sources.1': 6 });
    const named = { knowledge_sources: { 'Lost.pdf': 'kn_9' } };
    expect(there(yaml, named).grants?.knowledge_sources).toEqual(['kn_1', 'kn_9']);
    expect(there(yaml, { knowledge_sources: ['kn_3'] })).toMatchObject({
      knowledge_sources: ['kn_3'],
      grants: { knowledge_sources: ['kn_3'] },
    });
  });

  it('with no provider left over from a model that was replaced', () => {
    const yaml = 'name: A\nprovider: anthropic\nmodel: claude-x\n';
    expect(there(yaml).provider).toBe('anthropic');
    expect(there(yaml, { model: 'gpt-4o' }).provider).toBeUndefined();
  });
});

function failureOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
  return null;
}

const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [*a${n ? n - 1 : ''}, *a${n ? n - 1 : ''}]`).join('\n')}`;

describe('[2] a file that is no agent', () => {
  const cases: [string, string, Record<string, number | null>][] = [
    ['has an unknown field', 'name: A\n\ncan_fly: true\n', { can_fly: 3 }],
    ['has an unknown field further in', 'name: A\nscope:\n  notebooks: []\n  folder: /a\n', { 'scope.folder': 4 }],
    ['has bad values', 'name: A\ncan_write: maybe\nmax_iterations: -1\n', { can_write: 2, max_iterations: 3 }],
    ['has a bad entry in a list', 'name: A\nscope:\n  folders:\n    - /a\n    - 7\n', { 'scope.folders.1': 5 }],
    ['lacks its name', 'model: gpt-4o\n', { name: null }],
    ['says who may see it', 'name: A\nvisibility: workspace\n', { visibility: 2 }],
    ['says where it belongs', 'workspace_id: ws_1\nname: A\n', { workspace_id: 1 }],
    ['is broken', 'name: A\nscope: [\n', { yaml: 3 }],
    ['has a field twice', 'name: A\nname: B\n', { yaml: 2 }],
    ['is several documents', 'name: A\n---\nname: B\n', { yaml: 2 }],
    ['has a tag nobody knows', 'name: !!js/function "x"\n', { yaml: 1 }],
    ['is a list', '- name: A\n', { yaml: null }],
    ['is empty', '# nothing\n', { yaml: null }],
    ['is nested without end', `name: ${'['.repeat(20_000)}`, { yaml: 1 }],
    ['holds a bomb', bomb, { yaml: null }],
    ['holds a number that is none', 'name: A\nmax_cost_usd: .inf\n', { yaml: null }],
  ];
  it.each(cases)('%s: it is told where', (_what, yaml, lines) => {
    const failure = failureOf(() => ReadAgentFile.of(yaml));
    expect([failure?.code, failure?.details.in, failure?.details.lines]).toEqual(['invalid_request', 'yaml', lines]);
  });

  it('never gets past the reader as anything but an agent or a refusal', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (yaml) => {
        const failure = failureOf(() => ReadAgentFile.of(yaml).bound({}, NONE));
        return failure === null || failure.code === 'invalid_request';
      }),
      { numRuns: 300 },
    );
  });
});
