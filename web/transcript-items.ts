import type { Usage } from '../domain/model.ts';
import type { EndStatus } from '../domain/run.ts';

interface Person {
  user_id: string;
  name: string;
}

export interface ItemError {
  code: string;
  message: string;
}

/** What was used; the price is null where nobody knows it. */
export interface Spending {
  iterations: number;
  tokens: number;
  cost_usd: number | null;
}

interface FailedTry {
  try: number;
  error: ItemError;
  at: string;
  retry_at: string | null;
}

export interface ModelItem {
  kind: 'model';
  key: string;
  turn: number;
  /** Number of the step that holds the answer. */
  step: number | null;
  try: number;
  state: 'writing' | 'retrying' | 'done' | 'stopped';
  /** Not an answer but a summary that takes the place of older turns. */
  sums_up: boolean;
  model: string;
  text: string;
  calls: { key: string; name: string }[];
  tokens: Usage | null;
  cost_usd: number | null;
  duration_ms: number | null;
  failures: FailedTry[];
  at: string;
}

export interface Action {
  id: string;
  type: string;
  path: string | null;
  arguments: Record<string, unknown>;
  preview: string;
  digest: string;
  problem?: string;
  /** False where the agent's own policy says that a person is asked each time. */
  can_allow_for_session: boolean;
  at: string;
  decision: {
    confirmed: boolean;
    reason: string | null;
    edited: boolean;
    for_session: boolean;
    by: Person;
    at: string;
  } | null;
}

export interface Question {
  id: string;
  question: string;
  at: string;
  /** The text is null where a run below was answered: its own log holds it. */
  answer: { text: string | null; by: Person; at: string } | null;
}

/** The run another agent makes of a call. */
export interface Delegation {
  run_id: string;
  agent_name: string;
  status: EndStatus | null;
  /** Of that run and all below it, once it has ended. */
  spent: Spending | null;
}

export interface CallItem {
  kind: 'call';
  key: string;
  turn: number;
  step: number;
  call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** What the model sent where it was no JSON object. */
  malformed: string | null;
  action: Action | null;
  question: Question | null;
  delegation: Delegation | null;
  /** Edits that people are to look at. */
  in_review?: boolean;
  result: {
    ok: boolean;
    step: number;
    summary: string;
    error: ItemError | null;
    was_allowed: boolean;
    duration_ms: number;
    at: string;
  } | null;
  at: string;
}

/** What a run somewhere below asks; answered here as well as there. */
export interface AskItem {
  kind: 'ask';
  key: string;
  run_id: string;
  agent_name: string;
  action: Action | null;
  question: Question | null;
  /** Nobody waits for the answer any more. */
  is_over: boolean;
  at: string;
}

interface MessageItem {
  kind: 'message';
  key: string;
  content: string;
  by: Person;
  at: string;
}

interface WarningItem {
  kind: 'warning';
  key: string;
  step: number;
  limit: string;
  message: string;
  at: string;
}

/** A part of a file that is pinned to the conversation, as the agent was given it; or why it was not. */
interface ContextItem {
  kind: 'context';
  key: string;
  path: string;
  start_line: number | null;
  end_line: number | null;
  error: ItemError | null;
  at: string;
}

/** An answer that does not fit the schema asked for; the model is shown why and tries again. */
interface RejectedItem {
  kind: 'rejected';
  key: string;
  step: number;
  errors: string[];
  at: string;
}

interface ProviderItem {
  kind: 'provider';
  key: string;
  model: string;
  mode: string;
  reason: string;
  /** What led away from the local model, or would have. */
  trigger: string | null;
  at: string;
}

interface RateLimitItem {
  kind: 'rate_limit';
  key: string;
  until: string;
  /** Requests an hour. */
  limit: number;
  at: string;
}

interface PauseItem {
  kind: 'pause';
  key: string;
  is_paused: boolean;
  by: Person;
  at: string;
}

/** The files of a git notebook are there; the first time, or on another executor. */
interface CheckoutItem {
  kind: 'checkout';
  key: string;
  executor: string;
  branch: string;
  base_commit: string;
  epoch: number;
  restored: boolean;
  at: string;
}

/** Where this run goes on from another one. */
export interface InheritedItem {
  kind: 'inherited';
  key: 'inherited';
  from: string;
  relation: string;
  step: number;
  turns: number;
  spent: Spending;
  at: string;
}

export interface EndItem {
  kind: 'end';
  key: 'end';
  status: EndStatus;
  output: unknown;
  error: ItemError | null;
  at: string;
}

/** What happened beside turns and calls, and needs one line. */
export type NoteItem =
  | MessageItem
  | WarningItem
  | ContextItem
  | RejectedItem
  | ProviderItem
  | RateLimitItem
  | PauseItem
  | CheckoutItem
  | InheritedItem;

export type Item = ModelItem | CallItem | AskItem | NoteItem | EndItem;
