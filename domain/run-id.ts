/** Apart from the schemas: workflows need it, and must not carry a validator around. */
export const workflowIdOf = (runId: string): string => `run:${runId}`;
