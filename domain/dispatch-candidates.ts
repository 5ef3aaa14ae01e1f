import { readEntrypoint } from './entrypoint.ts';
import { type Caller, holds } from './identity.ts';
import type { Candidate } from './routing.ts';

/** Something the caller sees and may start, with what a plan needs of it. */
export interface Eligible extends Candidate {
  /** Null for what comes with the product. */
  workspace_id: string | null;
  /** JSON Schema of the arguments of a tool. */
  parameters: Record<string, unknown> | null;
}

/** As requests, settings and replies name it. */
export const refOf = ({ kind, name, id }: Candidate): string => (kind === 'tool' ? name : id);

/** Of the built-in tools those that make no sense without a model: they ask for it, or read what it was told. */
const FOR_MODELS = new Set(['clarify_user', 'read_result', 'propose_edits', 'execute_workflow']);
const CHANGES = new Set(['write_file', 'create_file', 'delete_file', 'update_file_properties']);

export const isForModels = (tool: string): boolean => FOR_MODELS.has(tool);

/** Who only reads starts nothing that changes files or leaves the installation. */
function changesSomething(entrypoint: string): boolean {
  const where = readEntrypoint(entrypoint);
  if (where?.kind === 'builtin') return CHANGES.has(where.tool);
  return where?.kind === 'integration' || where?.kind === 'mcp';
}

/** Whether the role of the caller is enough for a tool; one of the product's own is used in some workspace. */
export function mayUseTool(caller: Caller, entrypoint: string, workspaceId: string | null): boolean {
  if (!changesSomething(entrypoint)) return true;
  if (workspaceId !== null) return holds(caller, workspaceId, 'write');
  return caller.is_owner || Object.keys(caller.roles).some((id) => holds(caller, id, 'write'));
}

/** Absent and null mean all. */
export interface Allowing {
  tools?: readonly string[] | null | undefined;
  agents?: readonly string[] | null | undefined;
}

/** Strictly what every list allows. */
export function allowedBy(eligible: readonly Eligible[], lists: readonly Allowing[]): Eligible[] {
  const sets = lists.map(({ tools, agents }) => ({
    tool: tools ? new Set(tools) : null,
    agent: agents ? new Set(agents) : null,
  }));
  return eligible.filter((each) => sets.every((set) => set[each.kind]?.has(refOf(each)) ?? true));
}
