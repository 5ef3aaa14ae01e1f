import type { z } from 'zod';
import type { Agent, Operation } from '../../domain/agent.ts';
import type { Intent } from '../../domain/facts.ts';
import type { ToolTraits } from '../../domain/tool.ts';
import type { NotebookFiles } from '../../files/notebook-files.ts';

/** What a tool is given: the agent it works for, and the files of the run's notebook. */
export interface ToolContext {
  agent: Agent;
  notebook_id: string;
  files: NotebookFiles;
  signal: AbortSignal;
  /** Throws scope_violation unless agent and notebook allow it. */
  guard: (operation: Operation, path: string | null) => void;
  /** The same for a folder that is to be listed; what is shown of it is filtered by name. */
  guardFolder: (folder: string) => void;
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
}

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
  offered?: (agent: Agent, hasNotebook: boolean) => boolean;
  input: I;
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
  prepare(input: z.infer<I>, context: ToolContext, key: string, approved: Preview | undefined): Promise<Intent>;
  perform(intent: Intent, context: ToolContext): Promise<unknown>;
}

export type Tool = ReadTool | LookupTool | AskTool | EffectTool;

/** Keeps the types of one tool's input tied to its schema, and gives the list one common type. */
export const readTool = <I extends z.ZodType>(tool: Omit<ReadTool<I>, 'effect' | 'asks'>): Tool =>
  ({ ...tool, effect: false, asks: false }) as ReadTool;
export const lookupTool = <I extends z.ZodType>(tool: Omit<LookupTool<I>, 'effect' | 'asks' | 'operation'>): Tool =>
  ({ ...tool, operation: null, effect: false, asks: false }) as LookupTool;
export const askTool = <I extends z.ZodType>(tool: Omit<AskTool<I>, 'effect' | 'asks' | 'operation'>): Tool =>
  ({ ...tool, operation: null, effect: false, asks: true }) as AskTool;
export const effectTool = <I extends z.ZodType>(tool: Omit<EffectTool<I>, 'effect' | 'asks'>): Tool =>
  ({ ...tool, effect: true, asks: false }) as EffectTool;
