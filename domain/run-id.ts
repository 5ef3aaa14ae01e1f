/** Apart from the schemas: workflows need it, and must not carry a validator around. */
export const workflowIdOf = (runId: string): string => `run:${runId}`;

/** Ids of what is asked below a root or in a session name the run that asks. */
export const runNamedIn = (id: string): string | undefined => /_(run_[0-9a-z]+)_/.exec(id)?.[1];
