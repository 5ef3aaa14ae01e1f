import { brief } from './brief.ts';
import type { Fact } from './facts.ts';
import { usdOf } from './money.ts';
import type { EventDraft } from './run-events.ts';
import { domainCall } from './tool-domains.ts';

/** What a run has done by others: models, tools, and agents it handed work to. */
type CallFact = Extract<
  Fact,
  {
    kind:
      | 'provider_selected'
      | 'call_started'
      | 'call_failed'
      | 'answered'
      | 'tool_finished'
      | 'delegated'
      | 'delegation_finished';
  }
>;

/** How much a search or a list has found. */
const countOf = (result: unknown): { result_count?: number } => {
  if (typeof result !== 'object' || result === null) return {};
  const found = 'results' in result ? result.results : 'files' in result ? result.files : null;
  return Array.isArray(found) ? { result_count: found.length } : {};
};

export function callEvents(fact: CallFact, at: string): EventDraft[] {
  const one = (type: string, data: Record<string, unknown>): EventDraft[] => [{ type, ts: at, data }];
  switch (fact.kind) {
    case 'provider_selected':
      return one('provider.selected', { turn: fact.turn, mode: fact.mode, ...fact.choice });
    case 'call_started':
      return one('model.started', {
        turn: fact.turn,
        try: fact.try,
        model: fact.model,
        ...(fact.purpose ? { purpose: fact.purpose } : {}),
        ...(fact.reserved ? { reserved: fact.reserved } : {}),
      });
    case 'call_failed':
      return one('model.completed', {
        turn: fact.turn,
        try: fact.try,
        ok: false,
        error: fact.error,
        retry_after_ms: fact.retry_after_ms,
      });
    case 'answered':
      return one('model.completed', {
        turn: fact.turn,
        try: fact.try,
        ok: true,
        text: fact.text,
        // What only the provider's adapter can read stays out of what people and clients see.
        tool_calls: fact.tool_calls.map(({ signature: _, ...call }) => ({ ...call, ...domainCall(call) })),
        tokens: fact.usage,
        model: fact.model,
        duration_ms: fact.duration_ms,
        cost_usd: usdOf(fact.cost_micros),
        ...(fact.purpose ? { purpose: fact.purpose } : {}),
      });
    case 'tool_finished':
      return [
        {
          type: 'tool.started',
          ts: fact.started_at,
          data: { turn: fact.turn, call_id: fact.call_id, name: fact.name, ...fact.domain },
        },
        {
          type: 'tool.completed',
          ts: at,
          data: {
            turn: fact.turn,
            call_id: fact.call_id,
            name: fact.name,
            ...fact.domain,
            ok: fact.ok,
            summary: brief(fact.result),
            ...countOf(fact.result),
            error: fact.error,
            was_allowed: fact.was_allowed,
            duration_ms: fact.duration_ms,
          },
        },
      ];
    case 'delegated':
      return one('delegation.started', {
        turn: fact.turn,
        call_id: fact.call_id,
        child_run_id: fact.child_run_id,
        agent_id: fact.agent_id,
        agent_name: fact.agent_name,
        ...(fact.definition ? { definition: true } : {}),
      });
    case 'delegation_finished':
      return one('delegation.completed', {
        turn: fact.turn,
        call_id: fact.call_id,
        name: fact.name,
        child_run_id: fact.child_run_id,
        status: fact.status,
        ok: fact.ok,
        summary: brief(fact.result),
        error: fact.error,
        spent: fact.spent,
        duration_ms: fact.duration_ms,
      });
  }
}
