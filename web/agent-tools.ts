import type { AgentDraft } from './agent-draft.ts';

export type Policy = AgentDraft['confirmation'][string];
type Flag = 'can_write' | 'can_create' | 'can_delete' | 'can_execute_code';

/** What changes something, and can therefore be asked about. */
const TOOLS: readonly { name: string; does: string; needs: readonly Flag[] }[] = [
  { name: 'write_file', does: 'Writes a file', needs: ['can_write', 'can_create'] },
  { name: 'create_file', does: 'Makes a new file', needs: ['can_create'] },
  { name: 'update_file_properties', does: 'Changes the properties at the head of a file', needs: ['can_write'] },
  { name: 'delete_file', does: 'Deletes a file', needs: ['can_delete'] },
  { name: 'run_command', does: 'Runs a command', needs: ['can_execute_code'] },
];

export interface ToolLine {
  name: string;
  does: string;
  policy: Policy | null;
  /** A policy for something it may not do anyway. */
  isIdle: boolean;
}

/** The tools an agent may use that change something, and every other one it has a policy for. */
export function toolLines(draft: Pick<AgentDraft, Flag | 'confirmation'>): ToolLine[] {
  const known = TOOLS.map(({ name, does, needs }) => ({
    name,
    does,
    policy: draft.confirmation[name] ?? null,
    isIdle: !needs.some((flag) => draft[flag]),
  }));
  const others = Object.entries(draft.confirmation)
    .filter(([name]) => !TOOLS.some((tool) => tool.name === name))
    .map(([name, policy]) => ({ name, does: 'A tool of another kind', policy, isIdle: false }));
  return [...known.filter(({ isIdle, policy }) => !isIdle || policy !== null), ...others];
}
