import type { z } from 'zod';
import { type OutsideContext, type OutsideTool, outsideTool, type Tool } from '../contract.ts';
import { mayCommand } from './command-input.ts';
import { previewCommand, type Wanted } from './run-command.ts';

interface CommandTool<I extends z.ZodType> extends Pick<OutsideTool<I>, 'name' | 'description' | 'input'> {
  /** What is to be run. */
  wanted: (given: z.infer<I>, context: OutsideContext) => Wanted | Promise<Wanted>;
  act: (wanted: Wanted, context: OutsideContext) => Promise<unknown>;
}

/** What all tools that run something have in common: who may, what is shown, and that it is never run twice. */
export const commandTool = <I extends z.ZodType>({ wanted, act, ...tool }: CommandTool<I>): Tool =>
  outsideTool<I>({
    ...tool,
    aliases: [],
    argument_aliases: { cmd: 'command', timeout: 'timeout_s', working_directory: 'cwd' },
    operation: 'execute',
    offered: mayCommand,
    effect: true,
    idempotent: false,
    preview: async (given, context) => previewCommand(await wanted(given, context), context),
    act: async (given, context) => act(await wanted(given, context), context),
  });
