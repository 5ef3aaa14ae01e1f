import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, PROVIDERS, parseModel } from '../../domain/model.ts';
import { at, codeIn, tableUnder, textOf } from './documents.ts';

describe('docs/models.md', () => {
  it('has the capabilities that GET /models gives', () => {
    const [titles = [], ...rows] = tableUnder('docs/models.md', 'What each can do');
    const providers = titles.flatMap(codeIn);
    const told = providers.map((provider, column) => [
      provider,
      Object.fromEntries(rows.map((cells) => [codeIn(cells[0] ?? '')[0], cells[column + 1] === 'yes'])),
    ]);
    expect(Object.fromEntries(told)).toEqual(CAPABILITIES);
    expect(rows.flatMap((cells) => cells.slice(1)).filter((cell) => cell !== 'yes' && cell !== 'no')).toEqual([]);
  });

  it('has a way to write the models of every provider, and all of them are understood', () => {
    const rows = tableUnder('docs/models.md', 'What a model is called').slice(1);
    expect(rows.flatMap(([, provider = '']) => codeIn(provider)).sort()).toEqual([...PROVIDERS].sort());
    for (const [written = '', provider = ''] of rows) {
      for (const model of codeIn(written)) expect(parseModel(model).provider).toBe(codeIn(provider)[0]);
    }
  });

  it('has every reason to leave the local model', () => {
    const reasons = tableUnder('docs/models.md', 'Local and remote')
      .slice(1)
      .flatMap(([reason = '']) => codeIn(reason));
    const [, union = ''] = /export type RemoteTrigger =([^;]+);/.exec(textOf('domain/hybrid.ts')) ?? [];
    expect([...reasons].sort()).toEqual([...union.matchAll(/'(\w+)'/g)].map(([, name]) => name).sort());
  });

  it('has instructions that the demo model itself gives as examples', () => {
    const rows = tableUnder('docs/models.md', 'The demo model').slice(1);
    const skills = readdirSync(at('demo/skills')).map((name) => textOf(`demo/skills/${name}`));
    const examples = skills.flatMap((text) => [...text.matchAll(/^ {2}example: '(.+)',$/gm)].map(([, said]) => said));
    for (const [instruction = ''] of rows) expect(examples).toContain(codeIn(instruction)[0]);
  });
});
