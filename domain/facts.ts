import type { EditFact } from './edits/facts.ts';
import type { ConflictFile } from './edits/wire.ts';
import type { RunError } from './failures.ts';
import type { HandedOnFlow } from './flow-state.ts';
import type { ModelChoice, ModePolicy } from './hybrid.ts';
import type { Intent } from './intents.ts';
import type { ToolCall, Usage } from './model.ts';
import type { EndStatus } from './run.ts';
import type { Injected, Turn } from './run-state.ts';
import type { ContextRow } from './session.ts';
import type { StepFact } from './step-facts.ts';

/**
 * What a run's log is made of. Facts are never changed once appended; everything else (state, steps, events,
 * the run record) follows from them. A field added later must be optional: old logs are read for ever.
 */
export interface Person {
  user_id: string;
  name: string;
}

export type Fact =
  | { kind: 'queued'; at: string; conversation_id?: string }
  | { kind: 'started'; model: string }
  | {
      kind: 'inherited';
      from: string;
      relation: Relation;
      /** Number of the last step that was taken over. */
      step: number;
      turns: Turn[];
      injected: Injected[];
      spent: Spent;
      /** Where the conversation is that of a session: what is said in it before its turns, and what was allowed. */
      session?: { opening: unknown; confirmed_tools: string[]; allowed_tools: string[] };
      /** Of a run of a workflow: the steps that need not be done again. */
      flow?: HandedOnFlow;
    }
  /** A row the user has pinned, as the agent was given it before its first model call; null where it could not be. */
  | {
      kind: 'context_read';
      turn: number;
      row: ContextRow;
      text: string | null;
      /** The line it ends at, where that is not the last one that was wanted. */
      cut_at: number | null;
      error: RunError | null;
      was_allowed: boolean;
      duration_ms: number;
    }
  | { kind: 'provider_selected'; turn: number; mode: ModePolicy['mode']; choice: ModelChoice }
  | {
      kind: 'call_started';
      turn: number;
      try: number;
      model: string;
      /** What it may cost at most: charged in full where its outcome is never known. */
      reserved?: Reserve;
      /** Size of what was sent: with the tokens counted for it, the measure of the next. */
      bytes?: number;
      purpose?: CallPurpose;
    }
  | { kind: 'call_failed'; turn: number; try: number; error: RunError; retry_after_ms: number | null }
  | {
      kind: 'answered';
      turn: number;
      try: number;
      model: string;
      text: string;
      tool_calls: ToolCall[];
      usage: Usage;
      duration_ms: number;
      /** The provider ended the answer before the model had (length, content filter). */
      cut?: true;
      /** Null where no price is known. */
      cost_micros?: number | null;
      purpose?: CallPurpose;
      /** The last turn that a summary takes the place of. */
      upto?: number;
    }
  | { kind: 'output_rejected'; turn: number; errors: string[]; message: string }
  | { kind: 'rate_limited'; turn: number; until: string; limit: number }
  | { kind: 'budget_denied'; turn: number; limit: Limit }
  /** The files as they are at this point, kept so that a fork can have them. */
  | {
      kind: 'files_kept';
      snapshot: string;
      /** Of the checkout they are kept of. */
      epoch?: number;
    }
  /** The files of a git notebook are there: checked out for the first time, or as they were after the last step. */
  | {
      kind: 'checkout_ready';
      executor: string;
      branch: string;
      base_commit: string;
      /** How many executors have had them by now. */
      epoch: number;
      restored: boolean;
      duration_ms: number;
    }
  | {
      kind: 'tool_started';
      turn: number;
      call_id: string;
      intent: Intent;
      /** Of the checkout it was begun in: in a later one nothing of it has happened to the files. */
      epoch?: number;
    }
  | {
      kind: 'tool_finished';
      turn: number;
      call_id: string;
      name: string;
      ok: boolean;
      result: unknown;
      error: RunError | null;
      started_at: string;
      duration_ms: number;
      /** false where scope, role or a person refused it. */
      was_allowed: boolean;
      target: string | null;
      /** Of a call of a tool domain; its arguments are with the answer that asked for it. */
      domain?: { tool_name: string; domain: string; operation: string };
    }
  | {
      kind: 'delegated';
      turn: number;
      call_id: string;
      child_run_id: string;
      agent_id: string;
      agent_name: string;
      /** It is a run of a workflow, which is what the two fields before name. */
      definition?: true;
    }
  | {
      kind: 'delegation_finished';
      turn: number;
      call_id: string;
      name: string;
      child_run_id: string;
      status: EndStatus;
      ok: boolean;
      result: unknown;
      error: RunError | null;
      /** Of the child and all below it. */
      spent: Spent;
      duration_ms: number;
    }
  | {
      kind: 'action_pending';
      turn: number;
      call_id: string;
      action_id: string;
      tool: string;
      arguments: Record<string, unknown>;
      path: string | null;
      preview: string;
      digest: string;
      /** Hash of the target as it was when the preview was made; null where it did not exist. */
      base_hash: string | null;
      /** The agent's policy says that a person is asked each time. */
      always?: true;
      /** Shown again, with the arguments of a person in place of the model's. */
      revised?: true;
      /** What a person wanted instead could not be shown, so that it is as it was before. */
      problem?: string;
    }
  /** A person has other arguments for it: until it is shown with them, nothing of it can be allowed. */
  | {
      kind: 'action_revised';
      turn: number;
      call_id: string;
      action_id: string;
      arguments: Record<string, unknown>;
      /** It is allowed as it will be shown: whoever wrote the arguments need not see it first. */
      allowed?: { reason: string | null; for_session?: true };
      by: Person;
    }
  | {
      kind: 'action_decided';
      turn: number;
      call_id: string;
      action_id: string;
      confirmed: boolean;
      reason: string | null;
      /** Set where the person changed the arguments before allowing. */
      arguments: Record<string, unknown> | null;
      /** Nobody is asked about this tool any more. */
      for_session?: true;
      by: Person;
    }
  | { kind: 'question_asked'; turn: number; call_id: string; question_id: string; question: string }
  | { kind: 'question_answered'; turn: number; call_id: string; question_id: string; answer: string; by: Person }
  | { kind: 'child_asked'; child_run_id: string; agent_name: string; asked: ChildQuestion }
  | {
      kind: 'child_answered';
      child_run_id: string;
      id: string;
      confirmed: boolean | null;
      is_review?: true;
      by: Person;
    }
  | EditFact
  | { kind: 'message_received'; message_id: string; content: string; by: Person }
  | { kind: 'budget_warned'; turn: number; limit: Limit; message: string }
  | StepFact
  | { kind: 'paused'; by: Person }
  | { kind: 'unpaused'; by: Person }
  | { kind: 'cancel_requested'; by: Person }
  | { kind: 'ended'; status: EndStatus; output: unknown; error: RunError | null };

/** How a run comes to take over from another: it goes on where that failed, takes another turn, or speaks next. */
export type Relation = 'resume' | 'fork' | 'session';

export type Limit = 'iterations' | 'tokens' | 'cost' | 'duration';

/** A model call that is not a turn of the conversation: it sums up the turns before it. */
export type CallPurpose = 'compact';

export interface Reserve {
  tokens: number;
  micros: number;
}

/** What was used, in whole numbers: millionths of a dollar are counted, never fractions. */
export interface Spent {
  iterations: number;
  tokens: number;
  micros: number;
}

/** What a run below asks of a person, as its root shows it. */
export type ChildQuestion =
  | {
      kind: 'action';
      id: string;
      tool: string;
      path: string | null;
      arguments: Record<string, unknown>;
      preview: string;
      digest: string;
      always?: true;
      problem?: string;
    }
  | { kind: 'question'; id: string; question: string }
  | {
      kind: 'review';
      id: string;
      files: number;
      hunks: number;
      /** What is not as the edits expect it: nothing of them can be applied. */
      conflict?: ConflictFile[];
    };
