import { mayAnywhere } from '../../../domain/scope.ts';
import type { OutsideTool } from '../contract.ts';

/** Changes of the repository: for agents that change files. Each looks first, so that doing it again does no harm. */
export const changing = (name: string) =>
  ({
    name,
    aliases: [],
    operation: 'write',
    effect: true,
    idempotent: true,
    offered: (agent, notebook) =>
      notebook === 'git' &&
      (mayAnywhere(agent, 'write') || mayAnywhere(agent, 'create') || mayAnywhere(agent, 'delete')),
  }) satisfies Partial<OutsideTool>;
