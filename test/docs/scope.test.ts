import { describe, expect, it } from 'vitest';
import { toolbox } from '../../activities/tools/index.ts';
import { trickIn } from '../../domain/path-tricks.ts';
import { agentWith } from '../domain/told.ts';
import { codeIn, tableUnder } from './documents.ts';

describe('docs/scope.md', () => {
  it.each(tableUnder('docs/scope.md', 'Paths').slice(1))('names paths that are refused: %s', (_what, such) => {
    for (const path of codeIn(such ?? '')) expect(trickIn(path), path).not.toBeNull();
  });

  it.each(tableUnder('docs/scope.md', 'Tools').slice(1))(
    'names the tool %s and its operation %s',
    (name, operation) => {
      const { find: lookup } = toolbox(agentWith({ can_write: true, can_create: true, can_delete: true }), 'folder');
      const [tool = ''] = codeIn(name ?? '');
      expect(lookup(tool)).toMatchObject({ name: tool, operation });
    },
  );
});
