/** Apart from the schemas: workflows need it, and must not carry a validator around. */
export const workflowIdOf = (runId: string): string => `run:${runId}`;

/** Of the files that a fork works on: its own. */
export const forkNotebookId = (runId: string): string => runId.replace(/^run/, 'nb');
