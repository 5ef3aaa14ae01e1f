import { rowWords } from '../../context-rows.ts';
import { clock, plural, shortId } from '../../format.ts';
import type { NoteItem } from '../../transcript-items.ts';

const LIMITS: Record<string, string> = {
  iterations: 'iterations',
  tokens: 'tokens',
  cost: 'cost',
  duration: 'time',
};

const REASONS: Record<string, string> = {
  mode_local: 'the agent runs locally',
  mode_remote: 'the agent runs remotely',
  local_first: 'local first',
  fallback: 'after the local model',
  fallback_forbidden: 'going remote is forbidden',
  stays_remote: 'stays remote',
};

const TRIGGERS: Record<string, string> = {
  tool_budget_exhausted: 'its tool calls were used up',
  schema_failures: 'its answers did not fit the schema',
  context_overflow: 'the conversation was too long for it',
  timeout: 'it took too long',
  validation_failed: 'its result did not pass the check',
  local_failed: 'it failed',
  local_attempts_used_up: 'its tries were used up',
};

/** Why this model: "after the local model: it took too long". */
export function choiceWords({ reason, trigger }: { reason: string; trigger: string | null }): string {
  const why = REASONS[reason] ?? reason.replaceAll('_', ' ');
  return trigger ? `${why}: ${TRIGGERS[trigger] ?? trigger.replaceAll('_', ' ')}` : why;
}

/** One line for what happened beside turns and calls. */
export function noteWords(item: NoteItem): { lead: string; rest: string } {
  switch (item.kind) {
    case 'message':
      return { lead: item.by.name || 'Message', rest: item.content };
    case 'warning':
      return { lead: 'Budget warning:', rest: LIMITS[item.limit] ?? item.limit };
    case 'context':
      return {
        lead: item.error ? 'Pinned, but could not be read:' : 'Read what is pinned:',
        rest: rowWords(item),
      };
    case 'rejected':
      return { lead: 'Answer did not fit the schema', rest: plural(item.errors.length, 'error') };
    case 'provider':
      return { lead: 'Model chosen:', rest: `${item.model}, ${choiceWords(item)}` };
    case 'rate_limit':
      return { lead: 'Hourly limit reached', rest: `its turn at ${clock(Date.parse(item.until))}` };
    case 'pause':
      return { lead: item.is_paused ? 'Paused' : 'Unpaused', rest: item.by.name && `by ${item.by.name}` };
    case 'checkout':
      return item.restored
        ? { lead: 'Files restored', rest: `on ${item.executor}, as they were after the last step` }
        : { lead: 'Checked out', rest: `${item.branch} from ${item.base_commit.slice(0, 8)} on ${item.executor}` };
    case 'inherited':
      return { lead: `Continues run ${shortId(item.from)}`, rest: `after step ${item.step}` };
  }
}
