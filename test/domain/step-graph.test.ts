import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Known, problemsOf, referencesOf } from '../../domain/step-graph.ts';
import { dependenciesOf, orderOf } from '../../domain/step-order.ts';
import { type FlowStep, workflowPlanSchema } from '../../domain/workflow-definition.ts';

const known: Known = {
  agent: (name) => name === 'writer',
  tool: (name) => ['read_file', 'list_files'].includes(name),
  workflow: (name) => (name === 'self' ? 'circular' : name === 'other' ? 'known' : 'unknown'),
};

const plan = (steps: unknown[], more: object = {}) => workflowPlanSchema.parse({ steps, ...more });
const agent = (id: string, more: object = {}) => ({ id, type: 'agent', agent: 'writer', ...more });
const wait = (id: string, more: object = {}) => ({ id, type: 'wait', duration: 1, ...more });

describe('[7] a workflow that could not run is refused with the step named', () => {
  it.each<[string, unknown[], string, string]>([
    ['an agent there is not', [agent('a', { agent: 'nobody' })], 'a', 'there is no agent nobody'],
    ['a tool there is not', [{ id: 'a', type: 'tool', tool: 'fly' }], 'a', 'there is no tool fly'],
    ['a workflow there is not', [{ id: 'a', type: 'workflow', workflow: 'lost' }], 'a', 'there is no workflow lost'],
    ['itself', [{ id: 'a', type: 'workflow', workflow: 'self' }], 'a', 'runs this workflow again'],
    ['two targets', [agent('a', { agent_id: 'x' })], 'a', 'give either agent_id or agent'],
    ['no target', [{ id: 'a', type: 'tool' }], 'a', 'give either tool_id or tool'],
    ['the same id twice', [wait('a'), wait('a')], 'a', 'several steps a'],
    [
      'the same id deeper down',
      [wait('a'), { id: 'm', type: 'map', over: '{{ input }}', steps: [wait('a')] }],
      'a',
      'several steps a',
    ],
    ['a step that does not exist', [agent('a', { input_mapping: '{{ steps.b.output }}' })], 'a', 'there is no step b'],
    ['a later step', [agent('a', { input_mapping: '{{ steps.b.output }}' }), wait('b')], 'a', 'b has not run before'],
    [
      'a step beside it',
      [wait('a'), agent('b', { depends_on: [], input_mapping: '{{ steps.a.output }}' })],
      'b',
      'a has not run before',
    ],
    ['itself in its mapping', [agent('a', { input_mapping: '{{ steps.a.output }}' })], 'a', 'a has not run before'],
    [
      'what runs many times',
      [
        { id: 'm', type: 'map', over: '{{ input }}', steps: [wait('in')] },
        agent('b', { input_mapping: '{{ steps.in.output }}' }),
      ],
      'b',
      'speak of steps.m.output',
    ],
    [
      'a circle',
      [wait('a', { depends_on: ['b'] }), wait('b', { depends_on: ['a'] })],
      'a',
      'waits for itself, through b',
    ],
    ['itself as what it depends on', [wait('a', { depends_on: ['a'] })], 'a', 'depends on itself'],
    ['what it depends on is not there', [wait('a', { depends_on: ['z'] })], 'a', 'there is no step z'],
    [
      'a step of another list',
      [wait('a'), { id: 'm', type: 'map', over: '{{ input }}', steps: [wait('c', { depends_on: ['a'] })] }],
      'c',
      'not in the same list',
    ],
    ['an expression that breaks off', [agent('a', { input_mapping: { x: '{{ input. }}' } })], 'a', 'cannot be read'],
    ['a name there is not', [agent('a', { input_mapping: '{{ payload.x }}' })], 'a', 'there is no payload here'],
    ['an item outside of a map', [agent('a', { input_mapping: '{{ item }}' })], 'a', 'there is no item here'],
    ['output before there is one', [agent('a', { input_mapping: '{{ output }}' })], 'a', 'there is no output here'],
    ['half a path', [wait('a'), agent('b', { input_mapping: '{{ steps.a }}' })], 'b', 'steps.a.output'],
    ['a bad condition', [{ id: 'c', type: 'condition', if: 'input.x ==', steps: [wait('a')] }], 'c', 'breaks off'],
    ['an empty branch', [{ id: 'c', type: 'condition', if: 'input.x', steps: [] }], 'c', 'no steps in it'],
    [
      'branches of one name',
      [
        {
          id: 'p',
          type: 'parallel',
          branches: [
            { id: 'x', steps: [wait('a')] },
            { id: 'x', steps: [wait('b')] },
          ],
        },
      ],
      'p',
      'several branches x',
    ],
    ['no list to go over', [{ id: 'm', type: 'map', over: 'all', steps: [wait('a')] }], 'm', 'a list is expected'],
    [
      'a name that is taken',
      [{ id: 'm', type: 'map', over: '{{ input }}', as: 'steps', steps: [wait('a')] }],
      'm',
      'means something else',
    ],
    ['no time to wait', [{ id: 'w', type: 'wait' }], 'w', 'either a duration'],
    ['a time that is none', [{ id: 'w', type: 'wait', until: 'soon' }], 'w', 'a time like'],
    ['a time that is a number', [{ id: 'w', type: 'wait', until: '5' }], 'w', 'a time like'],
    [
      'arguments without names',
      [{ id: 't', type: 'tool', tool: 'read_file', input_mapping: 'x {{ input }}' }],
      't',
      'have names',
    ],
    ['state that is no name', [wait('a', { output_mapping: { 'state.a.b': 1 } })], 'a', 'a plain name'],
  ])('%s', (_what, steps, step, said) => {
    const problems = problemsOf(plan(steps), known);
    expect(problems).toContainEqual(expect.objectContaining({ step, message: expect.stringContaining(said) }));
  });

  it('says where in the definition it is', () => {
    const inner = {
      id: 'm',
      type: 'map',
      over: '{{ input.list }}',
      steps: [agent('x', { input_mapping: { a: ['{{ input.b }}', '{{ nope }}'] } })],
    };
    expect(problemsOf(plan([wait('w'), inner]), known)).toEqual([
      { step: 'x', path: ['steps', 1, 'steps', 0, 'input_mapping', 'a'], message: expect.stringContaining('nope') },
    ]);
  });

  it('holds its mappings to the schema of its input', () => {
    const schema = { type: 'object', properties: { topic: {} }, additionalProperties: false };
    const of = (name: string) =>
      problemsOf(plan([agent('a', { input_mapping: `{{ input.${name} }}` })], { input_schema: schema }), known);
    expect(of('topic')).toEqual([]);
    expect(of('toppic')).toEqual([
      expect.objectContaining({ step: 'a', message: expect.stringContaining('its schema has topic') }),
    ]);
  });

  it('lets pass what can run, nested and side by side, with its references told', () => {
    const sound = plan(
      [
        { id: 'find', type: 'tool', tool: 'list_files', input_mapping: { path: '{{ input.path ?? "/" }}' } },
        {
          id: 'each',
          type: 'map',
          over: '{{ steps.find.output }}',
          as: 'file',
          steps: [
            agent('sum', { input_mapping: 'Sum up {{ file }} ({{ index }})' }),
            {
              id: 'good',
              type: 'condition',
              if: 'steps.sum.output != null',
              steps: [wait('w')],
              else: [agent('again', { input_mapping: '{{ file }}' })],
            },
          ],
        },
        {
          id: 'both',
          type: 'parallel',
          branches: [
            { id: 'l', steps: [agent('left', { output_mapping: { 'state.left': '{{ output }}' } })] },
            { id: 'r', steps: [{ id: 'right', type: 'workflow', workflow: 'other' }] },
          ],
        },
        {
          id: 'ok',
          type: 'approval',
          message: 'Publish {{ steps.left.output }} and {{ steps.both.output.r }}?',
          depends_on: ['both', 'each'],
        },
      ],
      { output_mapping: { all: '{{ steps.each.output }}', left: '{{ state.left }}' } },
    );
    expect(problemsOf(sound, known)).toEqual([]);
    expect(referencesOf(sound.steps)).toEqual({ agents: ['writer'], tools: ['list_files'], workflows: ['other'] });
  });
});

describe('[7] the order of steps', () => {
  const steps = fc
    .uniqueArray(fc.constantFrom(...'abcdefghij'), { minLength: 1, maxLength: 10 })
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc.record({ id: fc.constant(id), depends_on: fc.option(fc.subarray(ids), { nil: undefined }) }),
        ),
      ),
    )
    .map((list) => list.map((step): FlowStep => ({ type: 'wait', duration: 1, ...step })));

  it('puts each after all it depends on, leaves none out, and calls circular only what is', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { ordered, circular } = orderOf(list);
        expect([...ordered, ...circular].sort()).toEqual(list.map(({ id }) => id).sort());
        const dependencies = dependenciesOf(list);
        for (const [n, id] of ordered.entries()) {
          for (const other of dependencies.get(id) ?? []) expect(ordered.slice(0, n)).toContain(other);
        }
        for (const id of circular)
          expect((dependencies.get(id) ?? []).some((other) => circular.includes(other))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('is the order they are written in where nothing else is said', () => {
    expect(orderOf(plan([wait('c'), wait('a'), wait('b')]).steps)).toEqual({ ordered: ['c', 'a', 'b'], circular: [] });
  });
});
