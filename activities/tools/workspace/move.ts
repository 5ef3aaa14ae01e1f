import { z } from 'zod';
import { Failure } from '../../../domain/failures.ts';
import { mayAnywhere } from '../../../domain/scope.ts';
import { outsideTool, type ToolContext } from '../contract.ts';
import { guarded } from '../file-changes.ts';

interface Input {
  from: string;
  to: string;
}

/** It goes from one place and appears at another: the agent must be allowed both. */
async function places({ from, to }: Input, context: ToolContext): Promise<Input> {
  return { from: await guarded(context, 'delete', from), to: await guarded(context, 'create', to) };
}

export const moveTool = outsideTool({
  name: 'move',
  description: 'Moves or renames a file; there must be none at the new path.',
  aliases: [],
  argument_aliases: { path: 'from', source: 'from', destination: 'to', new_path: 'to' },
  operation: 'delete',
  offered: (agent, notebook) => notebook !== null && mayAnywhere(agent, 'delete') && mayAnywhere(agent, 'create'),
  effect: true,
  idempotent: false,
  input: z.strictObject({
    from: z.string().min(1).describe('Path from the root'),
    to: z.string().min(1).describe('Path from the root'),
  }),
  async preview(input, { notebook }) {
    const { from, to } = await places(input, await notebook());
    return { path: from, preview: `Moves ${from} to ${to}.`, base_hash: null };
  },
  async act(input, { notebook }) {
    const context = await notebook();
    const { from, to } = await places(input, context);
    const hash = await context.files.hash(from);
    if (hash === null) throw new Failure('no_such_file', `There is no file ${from}.`);
    await context.files.move(from, to);
    return { from, to, hash };
  },
  /** The checkout is the run's own: a file that is at the new place and not at the old one was moved by this call. */
  async findOut(input, { notebook }) {
    const context = await notebook();
    const { from, to } = await places(input, context);
    const [old, moved] = await Promise.all([context.files.hash(from), context.files.hash(to)]);
    if (old !== null && moved === null) return { state: 'not_done' };
    if (old === null && moved !== null) return { state: 'done', result: { from, to, hash: moved } };
    // Cut off between the two names of one file: the old one goes.
    if (old !== null && moved !== null && (await context.files.finishMove(from, to))) {
      return { state: 'done', result: { from, to, hash: moved } };
    }
    return { state: 'unknown' };
  },
});
