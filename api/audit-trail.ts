import type { Request } from 'express';
import { brief } from '../domain/brief.ts';
import { type Failure, failureStatus } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { addAuditLines } from '../store/audit.ts';
import { type AuditPlace, NOWHERE, placeOf } from '../store/audit-places.ts';
import { callerOf } from '../store/callers.ts';
import { newId } from '../store/ids.ts';
import { toFailure } from './error-response.ts';
import { type Reply, type Route, takenOver } from './route.ts';

const VERBS: Record<string, string> = { post: 'create', put: 'update', patch: 'update', delete: 'delete' };

/** `POST /agents` is agents.create, `POST /agents/:id/activate` agents.activate, `DELETE /tasks/:id` tasks.delete. */
export function actionOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path
    .replace(/^\/api\//, '/')
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'));
  // After the first, a word in the plural is a thing that is made, and any other is what is done.
  const isVerb = method === 'post' && words.length > 1 && !words.at(-1)?.endsWith('s');
  return [...words, ...(isVerb ? [] : [VERBS[method]])].join('.');
}

const textIn = (value: unknown, field: string): string | null => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
  return typeof found === 'string' ? found : null;
};

/** Names of fields, with the values of those alone that the route says may be shown: the rest may be secrets. */
function shown({ shows }: Route, req: Request): string | null {
  const body = typeof req.body === 'object' && req.body !== null ? req.body : {};
  const fields = Object.entries<unknown>({ ...req.query, ...body });
  if (fields.length === 0) return null;
  return brief(Object.fromEntries(fields.map(([name, value]) => [name, shows.includes(name) ? value : '…'])));
}

/**
 * What people do through the API, line by line. Every route that is not a GET comes by here, so that none can forget
 * it: what was done, and what was refused to somebody who is known.
 */
export class AuditTrail {
  private readonly began = Date.now();

  constructor(
    private readonly route: Route,
    private readonly req: Request,
    private caller: Caller | null,
  ) {}

  /** For who signs in: nobody yet when the request came. */
  actAs = async (userId: string): Promise<void> => {
    this.caller = await callerOf(userId);
  };

  async follow(work: () => Promise<Reply | typeof takenOver>): Promise<Reply | typeof takenOver> {
    if (this.route.method === 'get') return work();
    const always = this.route.audit === 'always';
    // Before it is done: what is removed can no longer say where it was.
    const before = always ? await this.place() : null;
    try {
      const reply = await work();
      if (always && reply !== takenOver) await this.write(before ?? NOWHERE, reply);
      return reply;
    } catch (error) {
      const failure = toFailure(error);
      if ([401, 403].includes(failureStatus(failure.code))) await this.write(before ?? (await this.place()), failure);
      throw error;
    }
  }

  private async place(): Promise<AuditPlace> {
    if (!this.caller) return NOWHERE;
    // The first names what the others belong to.
    const [id] = Object.values(this.req.params);
    const place = typeof id === 'string' ? await placeOf(this.caller, id) : NOWHERE;
    const said = textIn(this.req.body, 'workspace_id') ?? textIn(this.req.query, 'workspace_id');
    return { ...place, workspace_id: place.workspace_id ?? said };
  }

  /** The same request under the same Idempotency-Key is the same line. */
  private lineId({ org_id, user_id }: Caller): string {
    const key = this.req.get('idempotency-key');
    return key === undefined ? newId('aud') : newId('aud', `${org_id}\n${user_id}\n${key}`);
  }

  private async write(place: AuditPlace, came: Reply | Failure): Promise<void> {
    const { caller } = this;
    if (!caller) return;
    const was_allowed = !(came instanceof Error);
    const made = was_allowed ? textIn(came.body, 'id') : null;
    await addAuditLines([
      {
        org_id: caller.org_id,
        caller_user_id: null,
        line: {
          id: this.lineId(caller),
          created_at: new Date().toISOString(),
          ...place,
          workspace_id: place.workspace_id ?? (was_allowed ? textIn(came.body, 'workspace_id') : null),
          user_id: caller.user_id,
          user_name: caller.name,
          step_number: null,
          action: actionOf(this.route),
          target: Object.values(this.req.params).map(String).at(-1) ?? made,
          input: shown(this.route, this.req),
          output: was_allowed ? String(came.status) : `${came.code}: ${came.message}`,
          was_allowed,
          execution_time_ms: Date.now() - this.began,
        },
      },
    ]);
  }
}
