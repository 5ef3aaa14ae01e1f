import { Failure } from '../domain/failures.ts';
import { isSystemUser, type Role, roleIn } from '../domain/identity.ts';
import { callerOf } from '../store/callers.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { Tool } from './tools/contract.ts';

type Started = Pick<RunRecord, 'caller_user_id' | 'caller_name' | 'workspace_id'>;
type Asked = { begun: number; role: Promise<Role | null> };

/** For so long what was read is taken to be so still, where nothing is changed. */
const FRESH_MS = 1_000;
const MOST = 500;

/** Who is a reader now may have started the run as a writer, days ago. */
async function roleNow({ caller_user_id, workspace_id }: Started): Promise<Role | null> {
  // Nobody takes it away from the one that schedules and webhooks run as.
  if (isSystemUser(caller_user_id)) return 'write';
  const caller = await callerOf(caller_user_id);
  return caller && roleIn(caller, workspace_id);
}

/** A call that can only look needs a member; what a reader's run is never given, somebody who may write. */
const needsWriter = (tool: Tool): boolean => tool.effect || ('act' in tool && tool.operation !== 'read');

/** The roles of those whose runs are carried on here, as they are when a call is made. */
export class CallerRoles {
  private readonly asked = new Map<string, Asked>();

  private lately(run: Started): Promise<Role | null> {
    const key = `${run.workspace_id} ${run.caller_user_id}`;
    const known = this.asked.get(key);
    if (known && Date.now() - known.begun < FRESH_MS) return known.role;
    if (this.asked.size >= MOST) this.asked.clear();
    const fresh = { begun: Date.now(), role: roleNow(run) };
    this.asked.set(key, fresh);
    // What failed is not shared; whoever waits for it is told.
    fresh.role.catch(() => this.asked.delete(key));
    return fresh.role;
  }

  /** Refuses what the run's caller could not start any more. For a change it is asked anew each time. */
  async demand(run: Started, changes: boolean): Promise<void> {
    const role = await (changes ? roleNow(run) : this.lately(run));
    if (role === null || (changes && role === 'read')) {
      const by = role === null ? 'is no member of the workspace any more' : 'may only read in the workspace by now';
      throw new Failure('scope_violation', `${run.caller_name}, who started the run, ${by}.`, {
        scope_violation: true,
      });
    }
  }

  demandFor(run: Started, tool: Tool): Promise<void> {
    return this.demand(run, needsWriter(tool));
  }
}
