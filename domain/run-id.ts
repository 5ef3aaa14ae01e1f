/** Apart from the schemas: workflows need it, and must not carry a validator around. */
export const workflowIdOf = (runId: string): string => `run:${runId}`;

/** Of the run that a schedule starts, from the workflow that fires: it is made once, however often that is repeated. */
export const seedOfScheduled = (workflowId: string): string => `scheduled run of ${workflowId}`;

/** Of the files that a fork works on: its own. */
export const forkNotebookId = (runId: string): string => runId.replace(/^run/, 'nb');

/** The fork that files would be those of, were they a fork's. */
export const runOfForkNotebook = (notebookId: string): string => notebookId.replace(/^nb/, 'run');

/** Ids of what is asked below a root or in a session name the run that asks. */
export const runNamedIn = (id: string): string | undefined => /_(run_[0-9a-z]+)_/.exec(id)?.[1];
