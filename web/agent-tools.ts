import type { AgentDraft } from './agent-draft.ts';

export type Policy = AgentDraft['confirmation'][string];
type Flag = 'can_write' | 'can_create' | 'can_delete' | 'can_execute_code';

/** What changes something, and can therefore be asked about. */
const TOOLS: readonly { name: string; does: string; needs: readonly Flag[] }[] = [
  { name: 'write_file', does: 'Writes a file', needs: ['can_write', 'can_create'] },
  { name: 'create_file', does: 'Makes a new file', needs: ['can_create'] },
  { name: 'update_file_properties', does: 'Changes the properties at the head of a file', needs: ['can_write'] },
  { name: 'delete_file', does: 'Deletes a file', needs: ['can_delete'] },
  { name: 'command', does: 'Runs a command or the tests', needs: ['can_execute_code'] },
];

export interface ToolLine {
  name: string;
  does: string;
  policy: Policy | null;
  /** A policy for something it may not do anyway. */
  isIdle: boolean;
}

/** The tools an agent may use that change something, and every other one it has a policy for. */
export function toolLines(
  draft: Pick<AgentDraft, Flag | 'confirmation'> & Partial<Pick<AgentDraft, 'tools'>>,
): ToolLine[] {
  const known = TOOLS.map(({ name, does, needs }) => ({
    name,
    does,
    policy: draft.confirmation[name] ?? null,
    isIdle: !needs.some((flag) => draft[flag]),
  }));
  const brought = draft.tools ?? [];
  const others = [...new Set([...brought, ...Object.keys(draft.confirmation)])]
    .filter((name) => !TOOLS.some((tool) => tool.name === name))
    .map((name) => ({
      name,
      does: brought.includes(name) ? 'A tool of the workspace' : 'A tool of another kind',
      policy: draft.confirmation[name] ?? null,
      isIdle: false,
    }));
  return [...known.filter(({ isIdle, policy }) => !isIdle || policy !== null), ...others];
}
