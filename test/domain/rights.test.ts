import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Agent, type Operation, operationSchema } from '../../domain/agent.ts';
import { type Bound, boundBelow, boundOfCaller, narrowed, rightsVerdict, within } from '../../domain/rights.ts';
import { CAPABILITY, scopeVerdict } from '../../domain/scope.ts';
import { agentWith } from './told.ts';

const OPERATIONS = operationSchema.options;
const PATHS = [
  null,
  '/',
  '/a.md',
  '/notes/a.md',
  '/notes/deep/b.txt',
  '/src/index.ts',
  '/src/deep/c.md',
  '/secret/key',
];
const NOTEBOOKS = ['nb_1', 'nb_2'];
const SOURCES = ['kn_1', 'kn_2', 'kn_3'];

const mostly = <T>(value: T, ...others: T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const anyScope = fc.record({
  notebooks: mostly<string[] | undefined>(['*'], ['nb_1'], ['nb_2'], [], undefined),
  folders: mostly<string[] | undefined>(undefined, ['/notes'], ['/notes/deep/*', '/src'], ['**/*.md'], []),
  file_types: mostly<string[] | undefined>(undefined, ['md'], ['*.ts', 'txt'], []),
  operations: mostly<Operation[] | undefined>(undefined, ['read'], ['read', 'write', 'delete'], []),
});
const defined = (scope: Record<string, unknown>): Agent['scope'] =>
  Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
const anyRights = fc
  .record({
    can_read: mostly(true, false),
    can_write: mostly(true, false),
    can_create: mostly(true, false),
    can_delete: mostly(true, false),
    can_execute_code: mostly(true, false),
    can_access_integrations: mostly(true, false),
    command_network: mostly(true, false),
    scope: anyScope,
    knowledge_sources: mostly(['*'], ['kn_1'], ['kn_1', 'kn_2'], []),
    tools: mostly(['*'], ['ask_erp'], ['ask_erp', 'send_mail'], []),
    mcp_servers: mostly(['*'], ['hub'], ['hub/find', 'maps'], ['hub/find', 'hub/open'], []),
  })
  .map(({ scope, ...flags }) => ({ ...flags, scope: defined(scope) }));
const anyAgent = fc.tuple(anyRights, fc.option(anyRights)).map(([own, grants]) => agentWith({ ...own, grants }));

interface Acting {
  agent: Agent;
  bound: Bound;
}

/** The runs of a chain from the root down, each as it was started by the one above it. */
function chain(definitions: Agent[], mayWrite: boolean): Acting[] {
  let bound = boundOfCaller(mayWrite);
  return definitions.map((definition) => {
    const agent = within(definition, bound);
    const acting = { agent, bound };
    bound = boundBelow(agent, bound);
    return acting;
  });
}

const may = ({ agent, bound }: Acting, notebook: string, operation: Operation, path: string | null) =>
  rightsVerdict(agent, bound, notebook, operation, path).allowed;

/** What somebody gives to those below, judged without the code under test. */
const gives = (definition: Agent, notebook: string, operation: Operation, path: string | null) =>
  scopeVerdict({ ...definition, ...(definition.grants ?? {}) }, notebook, operation, path).allowed;

const TOOLS = ['ask_erp', 'send_mail'];
const MCP_TOOLS = ['hub/find', 'hub/open', 'maps/route'];
/** Whoever names nothing that is passed on passes on what the agents below name themselves. */
const passed = ({ grants }: Agent) => grants ?? { tools: ['*'], mcp_servers: ['*'] };
const names = ({ tools }: { tools: string[] }, tool: string) => tools.includes('*') || tools.includes(tool);
const reaches = ({ mcp_servers }: { mcp_servers: string[] }, tool: string) =>
  ['*', tool, tool.split('/')[0]].some((entry) => entry !== undefined && mcp_servers.includes(entry));

/** A list of sources as search_knowledge takes it. */
const covers = ({ knowledge_sources }: { knowledge_sources: string[] }, source: string) =>
  knowledge_sources.includes('*') || knowledge_sources.includes(source);

const anyAct = fc.record({
  notebook: fc.constantFrom(...NOTEBOOKS),
  operation: fc.constantFrom(...OPERATIONS),
  path: fc.constantFrom(...PATHS),
});

describe('[15.9] in any tree', () => {
  it('nothing below ever exceeds what everybody above it gives, nor the caller, nor itself', () => {
    let allowed = 0;
    const anyChain = fc.array(anyAgent, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyChain, fc.boolean(), anyAct, (definitions, mayWrite, { notebook, operation, path }) => {
        const last = chain(definitions, mayWrite).at(-1);
        if (!last || !may(last, notebook, operation, path)) return;
        allowed += definitions.length > 1 ? 1 : 0;
        expect(mayWrite || operation === 'read').toBe(true);
        for (const above of definitions.slice(0, -1)) expect(gives(above, notebook, operation, path)).toBe(true);
        const own = definitions.at(-1);
        expect(own && scopeVerdict(own, notebook, operation, path).allowed).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(allowed).toBeGreaterThan(0);
  });

  it('what all of them give, the caller may and the agent may is allowed: nothing is lost on the way', () => {
    const anyChain = fc.array(anyAgent, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyChain, anyAct, (definitions, { notebook, operation, path }) => {
        const last = chain(definitions, true).at(-1);
        const own = definitions.at(-1);
        const given = definitions.slice(0, -1).every((above) => gives(above, notebook, operation, path));
        const expected = given && own !== undefined && scopeVerdict(own, notebook, operation, path).allowed;
        expect(last && may(last, notebook, operation, path)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('a document is searched if everybody above passes it on and the agent names it, and only then', () => {
    let [found, kept] = [0, 0];
    const anyChain = fc.array(anyAgent, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(anyChain, fc.boolean(), fc.constantFrom(...SOURCES), (definitions, mayWrite, source) => {
        const acting = chain(definitions, mayWrite);
        for (const [n, own] of definitions.entries()) {
          const given = definitions.slice(0, n).every((above) => covers(above.grants ?? above, source));
          const agent = acting[n]?.agent;
          expect(agent && covers(agent, source)).toBe(given && covers(own, source));
          if (n > 0 && covers(own, source)) given ? found++ : kept++;
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(found, kept)).toBeGreaterThan(0);
  });

  it('a tool, and one of an MCP server, is there if all grants above name it and the agent does, and only then', () => {
    let [found, kept] = [0, 0];
    const own = (agent: Agent): Agent => {
      const only = (list: string[], all: string[]) => (list.includes('*') ? all : list);
      return { ...agent, tools: only(agent.tools, TOOLS), mcp_servers: only(agent.mcp_servers, ['hub', 'maps']) };
    };
    const anyChain = fc.array(anyAgent.map(own), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(anyChain, fc.constantFrom(...TOOLS), fc.constantFrom(...MCP_TOOLS), (definitions, tool, ofServer) => {
        for (const [n, { agent }] of chain(definitions, true).entries()) {
          const above = definitions.slice(0, n).map(passed);
          const definition = definitions[n] ?? agent;
          const given = above.every((each) => names(each, tool)) && names(definition, tool);
          expect(names(agent, tool)).toBe(given);
          const reached = above.every((each) => reaches(each, ofServer)) && reaches(definition, ofServer);
          expect(reaches(agent, ofServer)).toBe(reached);
          if (n > 0 && names(definition, tool)) given ? found++ : kept++;
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(found, kept)).toBeGreaterThan(0);
  });

  it('two bounds together allow what both do', () =>
    fc.assert(
      fc.property(anyAgent, anyAgent, anyAgent, anyAct, (one, other, agent, { notebook, operation, path }) => {
        const bounds = [one, other].map((above) => boundBelow(above, boundOfCaller(true)));
        const [a, b] = bounds;
        if (!a || !b) throw new Error('two bounds');
        const both = [a, b].every((bound) => may({ agent, bound }, notebook, operation, path));
        expect(may({ agent, bound: narrowed(a, b) }, notebook, operation, path)).toBe(both);
        for (const source of SOURCES) {
          const given = [a, b, agent].every((each) => covers(each, source));
          expect(covers(within(agent, narrowed(a, b)), source)).toBe(given);
        }
        for (const tool of TOOLS) {
          expect(names(narrowed(a, b), tool)).toBe([a, b].every((each) => names(each, tool)));
        }
        for (const tool of MCP_TOOLS) {
          expect(reaches(narrowed(a, b), tool)).toBe([a, b].every((each) => reaches(each, tool)));
        }
      }),
    ));
});

const everything = { notebooks: ['*'] };
const all = {
  knowledge_sources: ['*'],
  tools: ['*'],
  mcp_servers: ['*'],
  can_read: true,
  can_write: true,
  can_create: true,
  can_delete: true,
  can_execute_code: true,
  can_access_integrations: true,
  command_network: true,
};
const writer = agentWith({ ...all, scope: everything });

describe('[3] grants', () => {
  const reader = agentWith({ scope: everything });
  const below = (root: Agent, mayWrite = true) =>
    chain([root, writer], mayWrite)[1] ?? { agent: writer, bound: boundOfCaller(false) };
  const lead = agentWith({ scope: everything, grants: { ...all, scope: { notebooks: ['*'], folders: ['/notes'] } } });

  it('reach a child, whether or not the agent itself may', () => {
    const [root] = chain([lead], true);
    expect(root && may(root, 'nb_1', 'write', '/notes/a.md')).toBe(false);
    expect(may(below(lead), 'nb_1', 'write', '/notes/a.md')).toBe(true);
    expect(may(below(lead), 'nb_1', 'write', '/src/a.md')).toBe(false);
  });

  it('that are not there are the rights of the agent itself', () => {
    expect(may(below(reader), 'nb_1', 'read', '/a.md')).toBe(true);
    expect(may(below(reader), 'nb_1', 'write', '/a.md')).toBe(false);
  });

  it('that name no notebook give none', () => {
    expect(may(below(agentWith({ scope: everything, grants: { ...all, scope: {} } })), 'nb_1', 'read', '/a.md')).toBe(
      false,
    );
  });

  it('that name no document give none', () => {
    const told = (grants: Agent['grants']) =>
      below(agentWith({ scope: everything, knowledge_sources: ['kn_1'], grants })).agent.knowledge_sources;
    expect(told({ ...all, scope: everything, knowledge_sources: [] })).toEqual([]);
    expect(told({ ...all, scope: everything, knowledge_sources: ['kn_2'] })).toEqual(['kn_2']);
    expect(told(null)).toEqual(['kn_1']);
  });

  it('of one who only reads are to read', () => {
    expect(may(below(lead, false), 'nb_1', 'write', '/notes/a.md')).toBe(false);
    expect(may(below(lead, false), 'nb_1', 'read', '/notes/a.md')).toBe(true);
  });

  it('in the middle of a tree give no more than its root does', () => {
    const middle = agentWith({ scope: everything, grants: { ...all, scope: everything } });
    const [, , leaf] = chain([reader, middle, writer], true);
    expect(leaf && may(leaf, 'nb_1', 'write', '/a.md')).toBe(false);
    expect(leaf && may(leaf, 'nb_1', 'read', '/a.md')).toBe(true);
  });
});

it.each(OPERATIONS)('the role of a reader allows %s only if it is to read', (operation) => {
  const { flags } = boundOfCaller(false);
  expect(flags[CAPABILITY[operation]]).toBe(operation === 'read');
  expect(within(writer, boundOfCaller(false))[CAPABILITY[operation]]).toBe(operation === 'read');
  expect(within(writer, boundOfCaller(true))[CAPABILITY[operation]]).toBe(true);
  expect(boundOfCaller(false).flags.can_access_integrations).toBe(false);
});
