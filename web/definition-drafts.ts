import type { Role } from '../domain/identity.ts';
import { isSameValue } from '../domain/json-value.ts';
import type { Defined, DefinedKind } from './definitions-api.ts';

/** What a form changes of each kind. */
type Fixed =
  | 'id'
  | 'workspace_id'
  | 'is_active'
  | 'is_builtin'
  | 'version'
  | 'created_by'
  | 'created_at'
  | 'updated_at';
export type Draft<K extends DefinedKind> = Omit<Defined[K], Fixed>;

const FIXED: Record<Fixed, true> = {
  id: true,
  workspace_id: true,
  is_active: true,
  is_builtin: true,
  version: true,
  created_by: true,
  created_at: true,
  updated_at: true,
};

/** One that nobody has said anything about yet. */
export const BLANKS: { [K in DefinedKind]: Draft<K> } = {
  tool: {
    name: '',
    description: '',
    entrypoint: '',
    scopes: [],
    examples: [],
    schema: { input: { type: 'object', properties: {} }, output: null },
  },
  evaluator: {
    name: '',
    description: '',
    config: { criteria: '', pass_threshold: 0.7, model: null, prompt_template: '', rules: {} },
  },
  integration: {
    name: '',
    description: '',
    base_url: '',
    headers: {},
    credential: null,
    allow_private: false,
    limits: { max_request_bytes: 262_144, max_response_bytes: 1_048_576, timeout_ms: 30_000 },
    endpoints: [
      {
        name: 'get',
        description: '',
        method: 'GET',
        path: '/',
        headers: {},
        input_schema: { type: 'object', properties: {} },
        output_schema: null,
        idempotent: true,
      },
    ],
  },
};

export const draftOf = <K extends DefinedKind>(definition: Defined[K]): Draft<K> =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !(name in FIXED))) as Draft<K>;

/** Only what differs is sent, so that two people who change different fields do not undo each other. */
export function changesBetween(before: object, after: object): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSameValue(old.get(name), value)));
}

/** Why somebody may look at one and not change it; null where they may. */
export function whyFixed(
  kind: DefinedKind,
  { is_builtin, created_by }: { is_builtin: boolean; created_by: string },
  role: Role | undefined,
  userId: string | undefined,
): string | null {
  if (is_builtin) return 'It comes with Longhaul. Make one of your own that leads to it, with another name or schema.';
  if (role === 'admin') return null;
  if (kind === 'integration') return 'Integrations are kept by admins of the workspace.';
  return role === 'write' && created_by === userId ? null : 'Only who made it and admins of the workspace change it.';
}

/** What a text is as JSON, or what is wrong with it; an empty one is nothing. */
export function readJson(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
