/** Where the work of a tool is done. */
export type Entrypoint =
  | { kind: 'builtin'; tool: string }
  | { kind: 'integration'; integration: string; endpoint: string }
  | { kind: 'workflow'; workflow: string }
  | { kind: 'mcp'; server: string; tool: string };

/** Null where it is none of the four. */
export function readEntrypoint(text: string): Entrypoint | null {
  const [, kind, first = '', second] = /^(builtin|integration|workflow|mcp):([^/]+)(?:\/(.+))?$/.exec(text) ?? [];
  switch (kind) {
    case 'builtin':
      return second === undefined ? { kind, tool: first } : null;
    case 'workflow':
      return second === undefined ? { kind, workflow: first } : null;
    case 'integration':
      return second === undefined ? null : { kind, integration: first, endpoint: second };
    case 'mcp':
      return second === undefined ? null : { kind, server: first, tool: second };
    default:
      return null;
  }
}
