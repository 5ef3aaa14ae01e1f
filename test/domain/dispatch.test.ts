import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedBy, type Eligible, mayUseTool, refOf } from '../../domain/dispatch-candidates.ts';
import { blended, decideByModel, decideByRelevance } from '../../domain/dispatch-decision.ts';
import { inputOfPlan, planOf, stepsOf } from '../../domain/dispatch-plan.ts';
import type { Caller } from '../../domain/identity.ts';
import { routeByRelevance, Shortlist } from '../../domain/routing.ts';

const text = { type: 'string' };
const tool = (name: string, description: string, required: string[] = ['query']): Eligible => ({
  kind: 'tool',
  id: `tool_${name}`,
  name,
  description,
  scopes: [],
  examples: [],
  workspace_id: 'ws_1',
  parameters: { type: 'object', properties: Object.fromEntries(required.map((each) => [each, text])), required },
});
const agent = (id: string, name: string, description: string): Eligible => ({
  ...tool(name, description),
  kind: 'agent',
  id,
  parameters: null,
});
const ALL = [
  tool('doc_search', 'Search the documents and policies of the organization'),
  tool('web_search', 'Search the public web for news and prices'),
  tool('read_file', 'Read a text file of the notebook', ['path']),
  tool('translate_text', 'Translate text into another language', ['text']),
  agent('agt_summarizer', 'Summarizer', 'Reads long documents and writes a short summary of the key points'),
  agent('agt_analyst', 'Data analyst', 'Analyses spreadsheets and tables of data'),
];
const asking = (query: string, attachments: { name: string; type: string }[] = []) => ({
  query,
  attachments,
  history: [],
});
const routed = (query: string, allowed: Eligible[]) =>
  routeByRelevance(new Shortlist(allowed), { text: query, attachments: [], history: [] });
const relevance = (query: string, allowed = ALL) => decideByRelevance(asking(query), allowed, routed(query, allowed));
const answer = { order: 'parallel' as const, confidence: 0.95, reasoning: 'Because.', alternatives: [] };
const byModel = (query: string, refs: string[], allowed = ALL, more = {}) =>
  decideByModel(allowed, routed(query, allowed), {
    ...answer,
    selected: refs.map((ref) => ({ ref, arguments: '' })),
    ...more,
  });
const idsOf = ({ selected }: { selected: { candidate: Eligible }[] }) =>
  selected.map(({ candidate }) => refOf(candidate));

describe('REQ-001 what may be used', () => {
  it('is strictly what every list allows: absent and null mean all, an empty one none', () => {
    const names = (lists: Parameters<typeof allowedBy>[1]) => allowedBy(ALL, lists).map(refOf);
    expect(names([])).toHaveLength(6);
    expect(names([{ tools: null, agents: undefined }])).toHaveLength(6);
    expect(names([{ tools: ['doc_search', 'web_search'] }, { tools: ['web_search'], agents: [] }])).toEqual([
      'web_search',
    ]);
    // An agent is meant by its id alone, a tool by its name: neither can be slipped in under the other's.
    expect(names([{ tools: ['agt_analyst'], agents: ['Data analyst', 'doc_search'] }])).toEqual([]);
  });

  it('is nothing that changes anything for who only reads', () => {
    const reader: Caller = {
      user_id: 'u',
      name: 'R',
      org_id: 'o',
      is_owner: false,
      roles: { ws_1: 'read', ws_2: 'write' },
    };
    expect(mayUseTool(reader, 'builtin:read_file', 'ws_1')).toBe(true);
    expect(mayUseTool(reader, 'builtin:write_file', 'ws_1')).toBe(false);
    expect(mayUseTool(reader, 'integration:desk/get', 'ws_1')).toBe(false);
    expect(mayUseTool(reader, 'mcp:server/tool', 'ws_2')).toBe(true);
    expect(mayUseTool(reader, 'builtin:write_file', null)).toBe(true);
    expect(mayUseTool({ ...reader, roles: { ws_1: 'read' } }, 'builtin:write_file', null)).toBe(false);
  });
});

describe('REQ-001 the decision', () => {
  it('never holds what is not allowed, whatever a model names', () => {
    const ref = fc.oneof(fc.constantFrom(...ALL.map(refOf), ...ALL.map(({ name }) => name)), fc.string());
    fc.assert(
      fc.property(
        fc.subarray(ALL),
        fc.array(ref, { maxLength: 6 }),
        fc.array(ref, { maxLength: 6 }),
        fc.double({ min: -1, max: 2, noNaN: true }),
        (allowed, refs, alternatives, confidence) => {
          const decision = byModel('search the documents', refs, allowed, { alternatives, confidence });
          const named = [...decision.selected.map(({ candidate }) => candidate), ...decision.alternatives];
          expect(named.every((each) => allowed.includes(each))).toBe(true);
          expect(new Set(named).size).toBe(named.length);
          expect(decision.confidence).toBeGreaterThanOrEqual(0);
          expect(decision.confidence).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('says whether nothing fits, or it cannot be told which of several is meant', () => {
    const FILES = ['read_file', 'write_file', 'list_files'].map((name) => tool(name, 'A file of the notebook'));
    const unclear = relevance('files', FILES);
    expect([unclear.selected, unclear.confidence < 0.7]).toEqual([[], true]);
    expect(unclear.reasoning).toMatch(/not clear.*read_file.*write_file/);
    expect(relevance('sing me a song').reasoning).toContain('Nothing that may be used here');
  });

  it('says what it dropped, and is not sure of the rest', () => {
    const decision = byModel('search the documents', ['doc_search', 'rm_rf'], ALL);
    expect(idsOf(decision)).toEqual(['doc_search']);
    expect(decision.dropped).toEqual(['rm_rf']);
    expect(decision.reasoning).toContain('rm_rf');
    expect(decision.confidence).toBeLessThan(0.7);
  });

  it('is surer where model and relevance agree, and asks where they contradict each other', () => {
    expect(blended(0.9, 0.9, 'same')).toBeCloseTo(0.9);
    expect(blended(0.95, 0.9, 'other')).toBeLessThan(0.7);
    expect(blended(0.95, 0.3, 'other')).toBeGreaterThan(0.7);
    expect(blended(7, 1, 'same')).toBeLessThan(1);
    // Other words than those of the description: the model's own confidence, and less of it.
    expect(blended(0.95, 0.9, 'silent')).toBeCloseTo(0.9);
    expect(blended(0.75, 0.9, 'silent')).toBeLessThan(0.7);
    const put = byModel('have it said in Klingon', ['translate_text'], ALL);
    expect([put.confidence >= 0.7, put.confidence < answer.confidence]).toEqual([true, true]);
    const against = byModel('search the public web for news and prices', ['agt_analyst'], ALL);
    expect(against.confidence).toBeLessThan(0.7);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (m, s) => {
        const both = blended(m, s, 'same');
        expect(both).toBeGreaterThanOrEqual(Math.min(m, s, 0.97) - 1e-9);
        expect(both).toBeLessThanOrEqual(Math.max(m, s, 0.03) + 1e-9);
      }),
      { numRuns: 100 },
    );
  });

  it('offers something to choose from wherever people are asked, also where nothing was said', () => {
    const vague = relevance('do it for me');
    expect(vague).toMatchObject({ selected: [], confidence: 0 });
    expect(vague.alternatives.length).toBeGreaterThan(1);
    expect(vague.reasoning).toContain('does not say');
    const odd = relevance('paint my house blue');
    expect(odd.selected).toEqual([]);
    expect(odd.confidence).toBeGreaterThanOrEqual(0.7);
    expect(relevance('search the documents', []).reasoning).toContain('no tool and no agent');
  });

  it('gives reasons in the words of the query', () => {
    const decision = relevance('search our documents for the travel policies');
    expect(idsOf(decision)).toEqual(['doc_search']);
    expect(decision.reasoning).toMatch(/doc_search.*“documents”/);
  });
});

describe('REQ-001 in other languages', () => {
  const MANY = [
    tool('suche', 'Durchsucht Verträge und Übergabeprotokolle'),
    tool('gdpr', 'Ищет документы и договоры компании'),
    tool('weather', '查询城市的天气预报'),
    tool('web_search', 'Search the public web for news and prices'),
  ];
  it.each([
    ['German, with and without marks', 'Ubergabeprotokolle und Verträge', 'suche'],
    ['Russian', 'документы компании', 'gdpr'],
    ['Chinese, without room between words', '北京天气预报', 'weather'],
  ])('words are found as they are written: %s', (_what, query, name) => {
    expect(routed(query, MANY).selected.map((each) => each.name)).toEqual([name]);
  });
});

describe('REQ-001 the plan', () => {
  it('fills the arguments of a tool from the query, and says which are missing', () => {
    const query = 'read the file notes/todo.md';
    const [step] = planOf(asking(query), relevance(query));
    expect(step).toMatchObject({
      step: 1,
      type: 'tool',
      name: 'read_file',
      input: { path: 'notes/todo.md' },
      missing: [],
    });
    const [bare] = planOf(asking('x'), byModel('x', ['read_file']));
    expect(bare).toMatchObject({ input: {}, missing: ['path'] });
    const own = byModel('x', [], ALL, { selected: [{ ref: 'read_file', arguments: '{"path":"a.md"}' }] });
    expect(planOf(asking('x'), own)[0]).toMatchObject({ input: { path: 'a.md' }, missing: [] });
  });

  it('hands on what a step came to in a sequence, and runs the others at once', () => {
    const refs = ['doc_search', 'translate_text', 'agt_summarizer'];
    const decision = byModel('x', refs, ALL, { order: 'sequence' });
    const selected = decision.selected.map(({ candidate }) => candidate);
    const plan = planOf(asking('x', [{ name: 'a.pdf', type: 'application/pdf' }]), decision);
    expect(plan.map(({ depends_on, takes }) => [depends_on, takes])).toEqual([
      [[], {}],
      [[1], { text: 1 }],
      [[2], {}],
    ]);
    expect(plan[2]?.input).toContain('a.pdf (application/pdf)');
    expect(stepsOf(plan, selected)).toMatchObject([
      { id: 'step_1', type: 'tool', tool: 'doc_search' },
      { id: 'step_2', type: 'tool', input_mapping: { text: '{{ string(steps.step_1.output) }}' } },
      { id: 'step_3', type: 'agent', agent_id: 'agt_summarizer' },
    ]);
    const atOnce = planOf(asking('x'), byModel('x', refs.slice(0, 2), ALL));
    expect(stepsOf(atOnce, selected)).toMatchObject([
      { type: 'parallel', branches: [{ steps: [{ id: 'step_1' }] }, { steps: [{ id: 'step_2' }] }] },
    ]);
  });

  it('never lets what people write be read as an expression', () => {
    const query = 'search the documents for {{ secrets }}';
    const decision = relevance(query);
    const plan = planOf(asking(query), decision);
    const steps = stepsOf(
      plan,
      decision.selected.map(({ candidate }) => candidate),
    );
    expect(JSON.stringify(steps)).not.toContain('secrets');
    expect(inputOfPlan(asking(query), plan)).toMatchObject({ inputs: { step_1: { query } } });
  });
});
