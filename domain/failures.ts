/**
 * Every failure a person, a client or a model can meet: its HTTP status, and what to do about it.
 * Three families: the caller's mistakes, a model's misbehaviour, and faults of the system itself.
 */
const FAILURES = {
  // The caller's mistakes
  invalid_request: { status: 400, hint: 'Correct the fields named in details and send the request again.' },
  invalid_json: { status: 400, hint: 'Send a JSON object with Content-Type: application/json.' },
  unauthenticated: { status: 401, hint: 'Send Authorization: Bearer with a token from sign-in or an API key.' },
  spent_link: {
    status: 401,
    hint: 'Ask whoever invited you for a new one; on a machine of your own, `npm start` prints one. Or sign in with your password.',
  },
  bad_sign_in: { status: 401, hint: 'Check the e-mail address and the password, or use a sign-in link.' },
  bad_signature: {
    status: 401,
    hint: 'Sign `<timestamp>.<body>` with the secret of the source, as docs/triggers.md shows, and send it within five minutes.',
  },
  forbidden: { status: 403, hint: 'Ask an admin of the workspace for the right to do this.' },
  not_found: { status: 404, hint: 'Check the id, and that you are a member of the workspace it belongs to.' },
  method_not_allowed: { status: 405, hint: 'Use one of the methods named in the Allow header.' },
  conflict: { status: 409, hint: 'Read the current state and decide again.' },
  in_use: { status: 409, hint: 'Take it out of those named in details.used_by first, or deactivate it instead.' },
  has_schedules: { status: 409, hint: 'Pause or delete the schedules named in details.schedules first.' },
  mcp_unreachable: {
    status: 502,
    hint: 'Look at the MCP server, on the page under Tools: its address or command, its credentials, and what it said last.',
  },
  version_conflict: { status: 412, hint: 'It was changed meanwhile: read it again, and decide on what it is now.' },
  not_pending: {
    status: 409,
    hint: 'It was answered already or is no longer asked; read the run to see what waits now.',
  },
  stale_approval: {
    status: 409,
    hint: 'What was shown is no longer what would run; look at the pending action again.',
  },
  run_ended: { status: 409, hint: 'Fork it to go on from one of its steps, or start a new one.' },
  session_archived: { status: 409, hint: 'Take the session out of the archive first, or begin a new one.' },
  session_busy: { status: 409, hint: 'Its run has not ended: send a message to the session, or wait.' },
  agent_inactive: { status: 409, hint: 'Activate the agent first, or start another one.' },
  git_notebook: {
    status: 409,
    hint: 'Files of a git notebook are changed by runs, on branches of their own: start one, or push to the repository.',
  },
  git_unreachable: {
    status: 424,
    hint: 'Check the address, and that this server may read the repository; then try again.',
  },
  notebook_in_use: {
    status: 409,
    hint: 'Wait until the runs named in details have ended, or cancel them.',
  },
  idempotency_mismatch: { status: 422, hint: 'Use a new Idempotency-Key for a different request.' },
  idempotency_in_progress: {
    status: 409,
    hint: 'The first request with this key is still under way; try again in a moment.',
  },
  invalid_schema: { status: 400, hint: 'Send a JSON Schema of the draft 2020-12, or a plain map of properties.' },
  not_failed: { status: 409, hint: 'Only a run that failed can be resumed; fork it instead, or start a new one.' },
  not_ended: { status: 409, hint: 'Wait until the run has ended, or cancel it first.' },
  not_applied: { status: 409, hint: 'Nothing of this job was applied; reject its hunks in the review instead.' },
  oversized_hunk: { status: 409, hint: 'Split the hunk with split_at, or accept all of it with as_one.' },
  workflow_inactive: { status: 409, hint: 'Activate the workflow first, or start another one.' },
  not_for_workflows: {
    status: 409,
    hint: 'A workflow does what is written in it: look at its steps, change it, or resume or fork the run at one of them.',
  },
  not_paused: { status: 409, hint: 'Read the run: it is not paused, or it is already.' },
  unknown_price: {
    status: 400,
    hint: 'No price is known for this model, so a cost limit cannot be kept: limit tokens instead.',
  },
  unsupported_model: {
    status: 400,
    hint: 'See GET /api/v1/models for the model strings this installation understands.',
  },
  too_large: { status: 413, hint: 'Send at most 1 MB (10 MB for files).' },
  unsupported_media_type: { status: 415, hint: 'Send application/json.' },
  too_many_requests: { status: 429, hint: 'Wait as long as Retry-After says.' },
  // Models
  bad_model_request: {
    status: 502,
    hint: 'The provider refused the request as malformed; see the message, then change the agent or its input.',
  },
  bad_model_key: {
    status: 502,
    hint: 'Set a valid key: the provider environment variable or the credential api_key of the agent.',
  },
  context_overflow: {
    status: 502,
    hint: 'The conversation is longer than the model takes; choose one with a larger context window, or ask for less.',
  },
  unsupported_capability: {
    status: 400,
    hint: 'See GET /api/v1/models for what each provider can do; change the model of the agent or do without.',
  },
  model_not_found: { status: 502, hint: 'The provider does not know this model; change the model of the agent.' },
  rate_limited: { status: 502, hint: 'The provider limits requests; the run goes on by itself.' },
  provider_unavailable: {
    status: 502,
    hint: 'The provider did not answer properly; the run tries again by itself, or resume it later.',
  },
  model_timeout: { status: 504, hint: 'The provider went silent; the run tries again by itself, or resume it later.' },
  stream_cut: { status: 502, hint: 'The answer broke off; the run tries again by itself.' },
  answer_cut: {
    status: 502,
    hint: 'Raise max_tokens_per_request of the agent, or ask for less at once; what was said so far is the output.',
  },
  invalid_output: {
    status: 502,
    hint: 'Simplify the output schema or use a stronger model, then resume the run; the last answer is its output.',
  },
  malformed_answer: {
    status: 502,
    hint: 'The provider sent something that is not an answer; the run tries again by itself.',
  },
  invalid_edits: {
    status: 400,
    hint: 'Read the files again, correct what is named in problems, and propose all edits anew in one call.',
  },
  changes_requested: {
    status: 409,
    hint: 'Read the files again, they may have changed; then propose all edits anew in one call.',
  },
  tool_limit: { status: 429, hint: 'Limit reached, propose now: call propose_edits with what you know.' },
  // What a tool call can meet; the model is told and the run goes on
  unknown_tool: { status: 400, hint: 'Call one of the tools that are listed.' },
  unsupported_domain: {
    status: 400,
    hint: 'Use one of the domains named in details.domains; the run ended here and can be resumed.',
  },
  unsupported_operation: {
    status: 400,
    hint: 'Use one of the operations named in details.operations; the run ended here and can be resumed.',
  },
  patch_rejected: {
    status: 409,
    hint: 'Read the files named in details again, and make the patch for what they hold now.',
  },
  git_refused: { status: 409, hint: 'See the message; git status tells where the checkout is.' },
  files_too_large: {
    status: 413,
    hint: 'The files are as they were before this step, without what git ignores. Do it again with less, or put large files where .gitignore leaves them out.',
  },
  nothing_to_commit: { status: 409, hint: 'Change something first, or go on without a commit.' },
  push_rejected: {
    status: 409,
    hint: 'The branch holds the work of somebody else: make a branch of another name and push that.',
  },
  integration_not_enabled: {
    status: 409,
    hint: 'Ask an admin to turn the integration on in the settings of the workspace; until then go on without it.',
  },
  forge_refused: {
    status: 502,
    hint: 'See the message; an admin can check the token and address of the GitHub integration.',
  },
  invalid_arguments: { status: 400, hint: 'Correct the arguments to fit the schema of the tool.' },
  scope_violation: { status: 403, hint: 'The agent may not do this; do without it or tell the user.' },
  denied: { status: 403, hint: 'A person refused this action; do not try it again, go on without it or ask.' },
  no_such_file: { status: 404, hint: 'List the files to see which there are.' },
  file_exists: { status: 409, hint: 'Change it with write_file, or choose another name.' },
  bad_frontmatter: { status: 400, hint: 'Correct the frontmatter with write_file, then set properties.' },
  not_a_text_file: { status: 400, hint: 'Only UTF-8 text can be read and written.' },
  file_changed: {
    status: 409,
    hint: 'The file is not what was shown; read it again and decide anew.',
  },
  bad_mapping: { status: 400, hint: 'Correct the mapping of the step, or resume the run with another input.' },
  step_timeout: { status: 504, hint: 'Give the step more time, or resume the run from it.' },
  delegation_failed: { status: 502, hint: 'The other agent did not finish; see its run, then decide how to go on.' },
  not_begun: { status: 409, hint: 'The run ended before it was done; do it now if it is still wanted.' },
  interrupted: { status: 500, hint: 'It was cut off and may or may not have happened; look before doing it again.' },
  tool_failed: { status: 500, hint: 'See the message.' },
  address_refused: {
    status: 403,
    hint: 'It leads into a private network, or away from where it is registered; an admin decides about both.',
  },
  integration_failed: {
    status: 502,
    hint: 'The other system refused or failed; see details, then decide how to go on.',
  },
  integration_timeout: {
    status: 504,
    hint: 'The other system did not answer in time. Where something was to change it may have: look before doing it again.',
  },
  commands_refused: {
    status: 503,
    hint: 'Do without commands, and tell the user: `longhaul doctor` says what is missing on the server.',
  },
  setup_failed: {
    status: 500,
    hint: 'The set-up commands of the notebook failed, so nothing was run: see the output, and tell the user.',
  },
  no_notebook: { status: 400, hint: 'The run has no notebook; start it with a notebook_id.' },
  // Faults of the system
  credential_unreadable: {
    status: 500,
    hint: 'Give the key it was sealed under as SECRET_KEY_PREVIOUS, or set the credential again.',
  },
  engine_lost: { status: 500, hint: 'The workflow behind this run is gone; resume the run.' },
  poison_step: {
    status: 500,
    hint: 'This step took its worker down three times; look at the worker log, then resume or fork the run.',
  },
  unavailable: {
    status: 503,
    hint: 'An engine is not reachable; try again in a moment. `longhaul doctor` tells more.',
  },
  internal: { status: 500, hint: 'Report it with the request id.' },
} as const;

export type FailureCode = keyof typeof FAILURES;

export const failureStatus = (code: FailureCode): number => FAILURES[code].status;
export const failureHint = (code: FailureCode): string => FAILURES[code].hint;
export const isFailureCode = (code: string): code is FailureCode => code in FAILURES;

export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly details: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Compared by name and code, never by instanceof: two copies of this module may meet in one process. */
export const isFailure = (error: unknown): error is Failure =>
  error instanceof Error && error.name === 'Failure' && 'code' in error && isFailureCode(String(error.code));

export interface RunError {
  code: FailureCode;
  message: string;
  details: Record<string, unknown>;
  retryable: boolean;
  /** Set where it came of a tool call: what the lines of the log name it by. */
  request_id?: string;
  correlation_id?: string;
}

export const runError = (code: FailureCode, message: string, retryable = false, details = {}): RunError => ({
  code,
  message: `${/[.!?]$/.test(message) ? message : `${message}.`} ${FAILURES[code].hint}`,
  details,
  retryable,
});
