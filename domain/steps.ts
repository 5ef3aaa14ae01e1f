import type { Fact } from './facts.ts';
import { usdOf } from './money.ts';
import type { Step } from './run-events.ts';
import { domainCall } from './tool-domains.ts';

type StepDraft = Omit<Step, 'step_number'>;

/** What people see of a fact. */
export function stepsOf(fact: Fact, at: string): StepDraft[] {
  const one = (type: Step['type'], content: Record<string, unknown>, tokens?: number, ms?: number): StepDraft => ({
    type,
    content,
    tokens_used: tokens ?? null,
    duration_ms: ms ?? null,
    created_at: at,
  });
  switch (fact.kind) {
    case 'answered':
      return [
        one(
          'llm_response',
          {
            turn: fact.turn,
            text: fact.text,
            model: fact.model,
            tokens: fact.usage,
            cost_usd: usdOf(fact.cost_micros),
            ...(fact.purpose ? { purpose: fact.purpose } : {}),
          },
          fact.usage.input + fact.usage.output,
          fact.duration_ms,
        ),
        ...fact.tool_calls.map((call) =>
          one('tool_call', {
            turn: fact.turn,
            call_id: call.tool_call_id,
            name: call.name,
            arguments: call.arguments,
            ...domainCall(call),
          }),
        ),
      ];
    case 'tool_finished':
      return [
        one(
          'tool_result',
          {
            turn: fact.turn,
            call_id: fact.call_id,
            name: fact.name,
            ...fact.domain,
            ok: fact.ok,
            result: fact.result,
            error: fact.error,
            was_allowed: fact.was_allowed,
          },
          undefined,
          fact.duration_ms,
        ),
      ];
    case 'delegation_finished':
      return [
        one(
          'tool_result',
          {
            turn: fact.turn,
            call_id: fact.call_id,
            name: fact.name,
            child_run_id: fact.child_run_id,
            status: fact.status,
            ok: fact.ok,
            result: fact.result,
            error: fact.error,
            was_allowed: true,
          },
          fact.spent.tokens,
          fact.duration_ms,
        ),
      ];
    case 'output_rejected':
      return [one('error', { turn: fact.turn, errors: fact.errors, rejected_output: true })];
    case 'call_failed':
      return [one('error', { turn: fact.turn, try: fact.try, error: fact.error, retry_after_ms: fact.retry_after_ms })];
    case 'action_pending':
      return [
        one('confirmation', {
          turn: fact.turn,
          call_id: fact.call_id,
          action_id: fact.action_id,
          type: fact.tool,
          path: fact.path,
          preview: fact.preview,
        }),
      ];
    case 'edits_proposed':
      return [
        one('confirmation', {
          turn: fact.turn,
          call_id: fact.call_id,
          review_id: fact.review_id,
          type: 'propose_edits',
          edits: fact.edits,
          files: fact.files.map(({ file_path, is_new, hunk_ids }) => ({ file_path, is_new, hunks: hunk_ids.length })),
        }),
      ];
    case 'question_asked':
      return [
        one('clarification', {
          turn: fact.turn,
          call_id: fact.call_id,
          question_id: fact.question_id,
          question: fact.question,
        }),
      ];
    case 'step_begun':
      return [
        one('tool_call', {
          turn: fact.turn,
          call_id: fact.call_id,
          name: fact.name,
          arguments: fact.input,
          workflow_step: fact.step,
          step_type: fact.type,
          attempt: fact.attempt,
        }),
      ];
    case 'step_ended':
      // Where a tool or another run did it, its own result says the same.
      return fact.told
        ? []
        : [
            one(
              'tool_result',
              {
                turn: fact.turn,
                call_id: fact.call_id,
                name: fact.step,
                ok: fact.status === 'completed',
                result: fact.output,
                error: fact.error,
                was_allowed: fact.error?.code !== 'denied',
                workflow_step: fact.step,
                attempt: fact.attempt,
              },
              undefined,
              fact.duration_ms,
            ),
          ];
    case 'budget_warned':
      return [one('budget_warning', { turn: fact.turn, limit: fact.limit, message: fact.message })];
    default:
      return [];
  }
}
