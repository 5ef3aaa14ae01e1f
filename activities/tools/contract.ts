import type { z } from 'zod';
import type { Agent, Operation } from '../../domain/agent.ts';
import type { EditLimits } from '../../domain/edits/limits.ts';
import type { QueryMeaning } from '../../domain/embedding.ts';
import type { NewEvidence } from '../../domain/evidence.ts';
import type { GithubAccess } from '../../domain/github.ts';
import type { StagedIntent } from '../../domain/intents.ts';
import type { ToolTraits } from '../../domain/tool.ts';
import type { NotebookKind } from '../../domain/workspace.ts';
import type { NotebookFiles } from '../../files/notebook-files.ts';
import type { Checkout } from '../checkout.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Setups } from '../sandbox/setups.ts';

/** What a tool is given: the agent it works for, and the files of the run's notebook. */
export interface ToolContext {
  agent: Agent;
  notebook_id: string;
  files: NotebookFiles;
  /** Of a run on a git notebook; null on a folder. */
  checkout: Checkout | null;
  signal: AbortSignal;
  /** How much a read or a search gives at once; the defaults where it is not said. */
  limits?: EditLimits;
  /** Throws scope_violation unless agent and notebook allow it. */
  guard: (operation: Operation, path: string | null) => void;
  /** The same for a folder that is to be listed; what is shown of it is filtered by name. */
  guardFolder: (folder: string) => void;
  /** Whether no rule, of the agent or of a run above it, leaves any of these out. */
  seesEvery: (what: 'folder' | 'file') => boolean;
  /** The same as a question, for filtering lists. */
  may: (operation: Operation, path: string) => boolean;
}

/** What a tool is given that looks outside of any notebook: whose run it is. */
export interface LookupContext {
  agent: Agent;
  org_id: string;
  workspace_id: string;
  signal: AbortSignal;
  /** The whole result of an earlier call of the run, as text. */
  resultOf: (callId: string) => string | null;
  /** All that a command said, where the call ran one. */
  outputOf: (callId: string) => Promise<string | null>;
  /** What a query means, where the installation has a model to ask. */
  meaningOf: (query: string) => Promise<QueryMeaning>;
}

/** What a tool is given whose effect lies beyond the notebook's files. */
export interface OutsideContext {
  agent: Agent;
  org_id: string;
  workspace_id: string;
  run_id: string;
  /** The same for every attempt at this call, and for no other. */
  key: string;
  /** When this call was first begun: the same for every attempt at it that changes something. */
  at: string;
  signal: AbortSignal;
  /** The files of the run's notebook; refuses where it has none. */
  notebook: () => Promise<ToolContext>;
  /** What opens pull requests in the run's workspace; null where that is off. */
  github: () => Promise<GithubAccess | null>;
  /** From here on these are kept out of whatever the run stores, shows or sends. */
  keepSecret: (values: readonly string[]) => void;
  /** Shown to whoever watches while the call is under way; its result says it again. */
  output: (text: string) => void;
  call_id: string;
  /** Absent where this worker runs no commands. */
  sandbox?: Sandbox | undefined;
  setups?: Setups | undefined;
  /** Keeps what was run, without secrets, with the run; its id, or null where it could not be kept. */
  keep: (evidence: NewEvidence, part?: string) => Promise<string | null>;
}

/** What came of an effect that was begun by somebody who is no more. */
export type Found = { state: 'done'; result: unknown } | { state: 'not_done' } | { state: 'unknown' };

/** What a person is shown before an effect, and what it was based on; nothing else may come of an approval. */
export interface Preview {
  path: string | null;
  preview: string;
  base_hash: string | null;
}

interface ToolBase<I extends z.ZodType> extends ToolTraits {
  description: string;
  /** Other names and spellings of arguments that are accepted. */
  aliases: string[];
  argument_aliases: Record<string, string>;
  /** Whether an agent has any use for it, where its operation alone does not decide that. */
  offered?: (agent: Agent, notebook: NotebookKind | null) => boolean;
  input: I;
  /** Where its input is described by a JSON Schema of somebody else's: that, and what is wrong with an input. */
  described?: { parameters: Record<string, unknown>; problems: (input: unknown) => string[] };
}

export interface ReadTool<I extends z.ZodType = z.ZodType> extends ToolBase<I> {
  effect: false;
  asks: false;
  run(input: z.infer<I>, context: ToolContext): Promise<unknown>;
}

/** Needs no notebook, and no right to read one. */
export interface LookupTool<I extends z.ZodType = z.ZodType> extends ToolBase<I> {
  effect: false;
  asks: false;
  look(input: z.infer<I>, context: LookupContext): Promise<unknown>;
}

export interface AskTool<I extends z.ZodType = z.ZodType> extends ToolBase<I> {
  effect: false;
  asks: true;
  question(input: z.infer<I>): string;
}

/** An effect is prepared first (nothing has happened), then done exactly once; after a crash `settle` finds out. */
export interface EffectTool<I extends z.ZodType = z.ZodType> extends ToolBase<I> {
  effect: true;
  asks: false;
  target(input: z.infer<I>): string | null;
  preview(input: z.infer<I>, context: ToolContext): Promise<Preview>;
  prepare(input: z.infer<I>, context: ToolContext, key: string, approved: Preview | undefined): Promise<StagedIntent>;
  perform(intent: StagedIntent, context: ToolContext): Promise<unknown>;
}

/**
 * Its effect lies beyond the notebook's files (a command, a push, a call of another system), so nothing can be staged.
 * The intent is stored, then it is done. Begun and never heard of again, it is looked for (`findOut`), done again where
 * that does no harm, or reported as interrupted: never silently run twice. Without `effect` it only looks, and may be
 * run beside others and again.
 */
export interface OutsideTool<I extends z.ZodType = z.ZodType> extends ToolBase<I> {
  asks: false;
  idempotent: boolean;
  preview(input: z.infer<I>, context: OutsideContext): Promise<Preview>;
  act(input: z.infer<I>, context: OutsideContext): Promise<unknown>;
  findOut?(input: z.infer<I>, context: OutsideContext): Promise<Found>;
}

/** Puts edits before people: what becomes of them is its result. */
export interface ProposeTool<I extends z.ZodType = z.ZodType> extends ToolBase<I> {
  effect: false;
  asks: false;
  proposes: true;
}

export type Tool = ReadTool | LookupTool | AskTool | EffectTool | OutsideTool | ProposeTool;

/** Keeps the types of one tool's input tied to its schema, and gives the list one common type. */
export const readTool = <I extends z.ZodType>(tool: Omit<ReadTool<I>, 'effect' | 'asks'>): Tool =>
  ({ ...tool, effect: false, asks: false }) as ReadTool;
export const lookupTool = <I extends z.ZodType>(tool: Omit<LookupTool<I>, 'effect' | 'asks' | 'operation'>): Tool =>
  ({ ...tool, operation: null, effect: false, asks: false }) as LookupTool;
export const askTool = <I extends z.ZodType>(tool: Omit<AskTool<I>, 'effect' | 'asks' | 'operation'>): Tool =>
  ({ ...tool, operation: null, effect: false, asks: true }) as AskTool;
export const proposeTool = <I extends z.ZodType>(
  tool: Omit<ProposeTool<I>, 'effect' | 'asks' | 'proposes' | 'operation'>,
): Tool => ({ ...tool, operation: null, effect: false, asks: false, proposes: true }) as ProposeTool;
export const effectTool = <I extends z.ZodType>(tool: Omit<EffectTool<I>, 'effect' | 'asks'>): Tool =>
  ({ ...tool, effect: true, asks: false }) as EffectTool;
export const outsideTool = <I extends z.ZodType>(tool: Omit<OutsideTool<I>, 'asks'>): Tool =>
  ({ ...tool, asks: false }) as OutsideTool;
