/**
 * Says nothing of the run and is no result of a call: the log is lost to this attempt, or the store or git to this
 * process. Whoever comes next goes on from the log.
 */
export const losesAttempt = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'StaleAttempt' || error.name === 'GitLost' || error.name.startsWith('Mongo'));
