import type { Operation } from '../domain/agent.ts';
import type { AgentDraft } from './agent-draft.ts';

type Flag =
  | 'can_read'
  | 'can_write'
  | 'can_create'
  | 'can_delete'
  | 'can_execute_code'
  | 'can_access_integrations'
  | 'command_network';

interface Right {
  flag: Flag;
  /** null for what is no operation on files. */
  operation: Operation | null;
  name: string;
  means: string;
}

/** What an agent may be allowed to do at all, before folders and file types narrow it. */
export const RIGHTS: readonly Right[] = [
  { flag: 'can_read', operation: 'read', name: 'Read', means: 'List, search and read files' },
  { flag: 'can_write', operation: 'write', name: 'Write', means: 'Change files that are there' },
  { flag: 'can_create', operation: 'create', name: 'Create', means: 'Make new files and folders' },
  { flag: 'can_delete', operation: 'delete', name: 'Delete', means: 'Delete files' },
  {
    flag: 'can_execute_code',
    operation: 'execute',
    name: 'Execute',
    means: 'Run commands and code, confined to the notebook',
  },
  {
    flag: 'command_network',
    operation: null,
    name: 'Network',
    means: 'Let its commands reach public addresses; without it they reach nothing',
  },
  {
    flag: 'can_access_integrations',
    operation: null,
    name: 'Integrations',
    means: 'Use services an admin has registered; nothing else on the network',
  },
];

export interface RightLine extends Right {
  may: boolean;
  /** The right is on, and the scope's own list of operations takes it away again. */
  isTakenBack: boolean;
}

type Rights = Pick<AgentDraft, Flag | 'scope'>;

/** Both must allow: the flag, and the scope's operations where it lists any. */
export const rightLines = (draft: Rights): RightLine[] =>
  RIGHTS.map((right) => {
    const isListed = right.operation === null || (draft.scope.operations?.includes(right.operation) ?? true);
    return { ...right, may: draft[right.flag] && isListed, isTakenBack: draft[right.flag] && !isListed };
  });

/** Allowing lifts both bars, forbidding needs one: a list of operations is never made, only kept true. */
export function withRight(draft: Rights, { flag, operation }: Right, may: boolean): Partial<Rights> {
  const { operations } = draft.scope;
  const isMissing = may && operations !== undefined && operation !== null && !operations.includes(operation);
  return {
    [flag]: may,
    ...(isMissing && { scope: { ...draft.scope, operations: [...operations, operation] } }),
  };
}
