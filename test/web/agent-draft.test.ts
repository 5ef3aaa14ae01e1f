import { describe, expect, it } from 'vitest';
import { createAgentBody } from '../../domain/agent.ts';
import { BLANK, changesOf, copyOf, draftOf, errorIn, fieldErrors, hasChanges } from '../../web/agent-draft.ts';
import { agentWith } from '../domain/told.ts';

describe('the form of an agent', () => {
  it('begins with what the server would make of an agent nobody said anything about', () => {
    const { workspace_id: _, ...completed } = createAgentBody.parse({ workspace_id: 'ws_1', name: 'x', model: 'm' });
    expect(BLANK).toMatchObject({ ...completed, name: '', model: '' });
    expect(BLANK.slug, 'one is made from the name').toBe('');
  });

  it('sends only what was changed', () => {
    const before = draftOf(agentWith({ scope: { notebooks: ['*'], folders: ['/a'] } }));
    const after = { ...before, description: 'New', scope: { folders: ['/a'], notebooks: ['*'] } };
    expect(changesOf(before, after)).toEqual({ description: 'New' });
    expect(hasChanges(before, { ...before })).toBe(false);
  });

  it('sends a folder list that is taken away', () => {
    const before = draftOf(agentWith({ scope: { notebooks: ['*'], folders: ['/a'] } }));
    const scope = { ...before.scope, folders: undefined };
    expect(JSON.stringify(changesOf(before, { ...before, scope }))).toBe('{"scope":{"notebooks":["*"]}}');
  });

  it("makes of a copy an agent of one's own", () => {
    const copy = copyOf(agentWith({ name: 'Helper', visibility: 'workspace', can_write: true }));
    expect(copy).toMatchObject({ name: 'Copy of Helper', slug: '', visibility: 'personal', can_write: true });
    expect(copy).not.toHaveProperty('id');
  });

  it('shows what the server says of a field at that field, also of what is inside it', () => {
    const fields = { name: 'too short', 'scope.folders.1': 'a pattern has at most 5 stars' };
    const errors = fieldErrors({ in: 'body', fields });
    expect(errorIn(errors, 'name')).toBe('too short');
    expect(errorIn(errors, 'scope.folders')).toBe('a pattern has at most 5 stars');
    expect(errorIn(errors, 'slug')).toBeUndefined();
    expect(fieldErrors({})).toEqual({});
  });
});
