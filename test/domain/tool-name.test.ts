import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DelegateTarget, delegateNamed, delegateSchema, delegateTraits } from '../../domain/delegation.ts';
import { mcpRunTools, mcpServerSchema, NOT_LOOKED_AT } from '../../domain/mcp.ts';

const target = (slug: string): DelegateTarget => ({ agent_id: `agt_${slug}`, slug, name: slug, description: '' });
const nameOf = (slug: string): string => delegateSchema(target(slug)).name;

describe('[3] the tool of a delegate', () => {
  it('is called by its slug where providers take that, and else ends in a mark of the whole, the same for ever', () => {
    expect(nameOf('child')).toBe('delegate_to_child');
    expect(nameOf('x'.repeat(52))).toBe(`delegate_to_${'x'.repeat(52)}`);
    expect(nameOf(`${'x'.repeat(52)}y`)).toBe(`delegate_to_${'x'.repeat(43)}_e214505f`);
  });

  it('has a name of its own, however alike the slugs are, by which it is found', () => {
    const alike = fc.string({ unit: fc.constantFrom('a', '-', '7'), minLength: 48, maxLength: 60 }).chain((start) =>
      fc.uniqueArray(
        fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 64 - start.length }).map((end) => start + end),
        { minLength: 2, maxLength: 8 },
      ),
    );
    fc.assert(
      fc.property(alike, (slugs) => {
        const targets = slugs.map(target);
        for (const each of targets) {
          const { name } = delegateSchema(each);
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(delegateTraits(each).name).toBe(name);
          expect(delegateNamed(targets, name)).toBe(each);
        }
      }),
    );
  });

  it('is found by the name it had before, where a run under way has called it so', () => {
    const [long, short] = [target(`${'x'.repeat(52)}-long`), target('x'.repeat(52))];
    const former = `delegate_to_${'x'.repeat(52)}`;
    expect(delegateNamed([long], former)).toBe(long);
    expect(delegateNamed([long, short], former)).toBe(short);
    expect(delegateNamed([long, short], 'delegate_to_nobody')).toBeUndefined();
  });
});

it('[6] two tools of an MCP server that begin alike have names of their own', () => {
  const tools = ['one', 'two'].map((end) => ({
    name: `${'looks_for_something_in_'.repeat(3)}${end}`,
    description: '',
    input_schema: {},
    output_schema: null,
    read_only: true,
    idempotent: true,
  }));
  const at = '2026-01-01T00:00:00.000Z';
  const server = mcpServerSchema.parse({
    id: 'mcp_1',
    workspace_id: 'ws_1',
    name: 'desk',
    description: '',
    transport: { kind: 'http', url: 'https://desk.example/mcp' },
    allowed_tools: null,
    timeout_s: 60,
    is_active: true,
    findings: { ...NOT_LOOKED_AT, tools },
    version: 1,
    created_at: at,
    updated_at: at,
  });
  const names = mcpRunTools(server, ['desk']).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^desk__looks_for_[A-Za-z0-9_-]{1,48}$/);
});
