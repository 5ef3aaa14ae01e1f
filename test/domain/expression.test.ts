import { describe, expect, it } from 'vitest';
import { isMet, mapped, mentionsOf } from '../../domain/mapping.ts';

const names = {
  input: { name: 'Ada', tags: ['a', 'b'], count: 3, none: null, 'odd key': 1, nested: { deep: [{ x: 7 }] } },
  steps: { find: { output: ['x', 'y'], status: 'completed' } },
  state: { total: 5 },
  index: 1,
};

describe('[7] a mapping', () => {
  it.each<[unknown, unknown]>([
    ['plain', 'plain'],
    ['{{ input.count }}', 3],
    ['{{ input.tags }}', ['a', 'b']],
    ['{{ input.name }}\n', 'Ada\n'],
    ['{{ input.none }}', null],
    ['{{ input["odd key"] }}', 1],
    ['{{ input.nested.deep[0].x }}', 7],
    ['{{ input.tags[index] }}', 'b'],
    ['{{ input.tags.0 }}', 'a'],
    ['Hello {{ input.name }}, {{ input.count }} {{ input.tags }}{{ input.none }}.', 'Hello Ada, 3 ["a","b"].'],
    ['{{ input.missing ?? "default" }}', 'default'],
    ['{{ input.none ?? input.count }}', 3],
    ['{{ size(steps.find.output) }}', 2],
    ['{{ join(input.tags, " + ") }}', 'a + b'],
    ['{{ "}}" }}', '}}'],
    ['{{ input.count > 2 and not (input.name == "Bob") }}', true],
    [
      { list: ['{{ state.total }}', { text: 'n {{ index }}' }], keep: 4 },
      { list: [5, { text: 'n 1' }], keep: 4 },
    ],
  ])('%j comes to %j', (mapping, value) => expect(mapped(mapping, names)).toEqual(value));

  it.each([
    ['{{ input.missing }}', 'input.missing leads nowhere'],
    ['x {{ steps.find.output[9] }}', 'steps.find.output[9] leads nowhere'],
    ['{{ input.name', 'is not closed'],
    ['{{ }}', 'empty'],
    ['{{ input. }}', 'a name is missing'],
    ['{{ input.name # }}', 'is not understood'],
    ['{{ (input.name }}', 'is missing'],
    ['{{ input.__proto__ }}', 'leads nowhere'],
    ['{{ input.constructor }}', 'leads nowhere'],
  ])('%s is refused', (mapping, said) => expect(() => mapped(mapping, names)).toThrow(said));

  it('is known for what it mentions', () => {
    expect(mentionsOf({ a: '{{ input.x.y }} {{ size(steps.find.output[input.n]) }}' })).toEqual([
      { root: 'input', keys: ['x', 'y'] },
      { root: 'steps', keys: ['find', 'output'] },
      { root: 'input', keys: ['n'] },
    ]);
    expect(() => mentionsOf('{{ constructor(1) }}')).toThrow('there is no function constructor');
    expect(() => mentionsOf('{{ join() }}')).toThrow('join takes 1 to 2');
  });
});

describe('[7] a condition', () => {
  it.each<[string, boolean]>([
    ['input.count == 3', true],
    ['{{ input.count != 3 }}', false],
    ['input.missing', false],
    ['input.missing == null', true],
    ['"a" in input.tags', true],
    ['input.name contains "d"', true],
    ['input.tags contains "z"', false],
    ['input.count >= 3 && input.count <= 3', true],
    ['input.count < "9"', false],
    ['input.name < "B" || false', true],
    ['not input.nested', false],
    ['input.tags == steps.find.output', false],
    ['true or false and false', true],
  ])('%s is %s', (condition, met) => expect(isMet(condition, names)).toBe(met));
});
