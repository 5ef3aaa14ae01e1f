import { describe, expect, it } from 'vitest';
import { argumentCheck, asSchema, outputCheck, rejection } from '../../domain/output-schema.ts';

const text = { type: 'string' };
const list = { type: 'array', items: text };

describe('[3] a bare map of properties', () => {
  it.each<[string, Record<string, unknown>]>([
    ['with any names', { title: text, tags: list }],
    ['one of which is called type', { type: text, name: text }],
    ['with nothing but a property called type', { type: text }],
    ['one of which is called items', { items: list, total: { type: 'integer' } }],
    ['one of which is called properties', { properties: { type: 'object' }, name: text }],
    ['with properties called required, enum and const', { required: { type: 'boolean' }, enum: list, const: text }],
    ['of which one is any of several', { either: { anyOf: [text, list] } }],
  ])('%s is read as an object that requires them all', (_what, given) => {
    expect(asSchema(given)).toEqual({
      type: 'object',
      properties: given,
      required: Object.keys(given),
      additionalProperties: false,
    });
  });

  it.each<Record<string, unknown>>([
    {},
    { type: 'object', properties: { a: text }, required: ['a'] },
    { type: ['string', 'null'] },
    { properties: { a: text } },
    { properties: { a: text }, description: 'what it is' },
    { properties: { a: text }, patternProperties: { '^x-': text }, additionalProperties: false },
    { $ref: '#/$defs/a', $defs: { a: text } },
    { anyOf: [text, list] },
    { enum: ['a', 'b'] },
    { const: 1 },
    { not: { type: 'null' } },
  ])('is not %j, which is a schema', (given) => expect(asSchema(given)).toBe(given));
});

describe('[3] an output', () => {
  const check = outputCheck({ title: text, count: { type: 'integer', minimum: 1 } });

  it.each([
    ['plain', '{"title":"a","count":2}'],
    ['in a fence', '```json\n{"title":"a","count":2}\n```'],
    ['in a fence without a name', '  ```\n{"title":"a",\n"count":2}\n```\n'],
    ['with room around it', '\n {"title":"a","count":2}\n'],
  ])('fits: %s', (_what, said) => expect(check(said)).toEqual({ ok: true, value: { title: 'a', count: 2 } }));

  it.each<[string, string, string[]]>([
    ['words', 'Here you are.', [expect.stringContaining('not JSON')]],
    ['nothing', '', [expect.stringContaining('not JSON')]],
    ['JSON among words', 'It is {"title":"a","count":2}', [expect.stringContaining('not JSON')]],
    ['another kind', '[1]', [expect.stringMatching(/^\(whole\) must be object/)]],
    [
      'several things wrong at once, all of them told with their place',
      '{"count":0,"more":1}',
      [
        expect.stringContaining("must have required property 'title'"),
        expect.stringContaining('(more)'),
        expect.stringMatching(/^\/count must be >= 1/),
      ],
    ],
  ])('does not fit: %s', (_what, said, errors) =>
    expect(check(said)).toEqual({ ok: false, errors: expect.arrayContaining(errors) }),
  );

  it.each([
    ['date', '2026-02-28', '2026-02-30'],
    ['email', 'a@example.org', 'nobody'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123'],
    ['uri', 'https://example.org/a', 'not a uri'],
  ])('is held to the format %s', (format, good, bad) => {
    const fits = outputCheck({ type: 'string', format });
    expect(fits(JSON.stringify(good)).ok).toBe(true);
    expect(fits(JSON.stringify(bad)).ok).toBe(false);
  });

  it('is checked by the draft 2020-12', () => {
    const pair = outputCheck({ type: 'array', prefixItems: [text, { type: 'number' }], items: false });
    expect(pair('["a",1]').ok).toBe(true);
    expect(pair('["a",1,2]').ok).toBe(false);
    expect(pair('[1,"a"]').ok).toBe(false);
  });

  it('may be any JSON value the schema allows, null as well', () => {
    expect(outputCheck({ type: 'null' })('null')).toEqual({ ok: true, value: null });
    expect(outputCheck({})('3')).toEqual({ ok: true, value: 3 });
  });

  it('that is wrong in very many places is told of a few', () => {
    const checked = outputCheck({ type: 'array', items: text })(JSON.stringify(Array.from({ length: 1_000 }, () => 1)));
    expect(checked.ok ? [] : checked.errors).toHaveLength(20);
  });
});

describe('[3] what is no schema is refused before anything runs', () => {
  it.each<Record<string, unknown>>([
    { type: 'strnig' },
    { type: 'object', properties: { a: 'text' } },
    { a: 'text' },
    { type: 'object', required: 'a' },
    { $ref: '#/$defs/missing' },
    { type: 'string', pattern: '(' },
  ])('%j', (schema) => {
    expect(() => outputCheck(schema)).toThrow(expect.objectContaining({ code: 'invalid_schema' }));
    expect(() => argumentCheck(schema)).toThrow(expect.objectContaining({ code: 'invalid_schema' }));
  });

  it('two schemas with the same $id do not know of each other', () => {
    const schema = { $id: 'https://example.org/a', type: 'string' };
    expect([outputCheck(schema)('"a"').ok, outputCheck({ ...schema, type: 'number' })('1').ok]).toEqual([true, true]);
  });
});

it('arguments are checked like outputs; without a schema all fit', () => {
  expect(argumentCheck({ n: { type: 'number' } })({ n: 'x' })).toEqual(['/n must be number']);
  expect(argumentCheck({ n: { type: 'number' } })({ n: 1 })).toEqual([]);
  expect(argumentCheck(null)({ anything: true })).toEqual([]);
});

it('[3] a model is told every error of its answer', () => {
  const told = rejection(['/a must be string', '/b must be number']);
  expect(told).toContain('- /a must be string\n- /b must be number');
});
