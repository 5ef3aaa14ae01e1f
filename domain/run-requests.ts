import { z } from 'zod';

const json = z.unknown();

/** What a caller may set lower than the agent does, never higher. */
const budgetBody = z.strictObject({
  max_iterations: z.int().min(1).max(100_000).optional(),
  max_token_budget: z.int().min(1).max(1_000_000_000).optional(),
  max_cost_usd: z.number().positive().max(1_000_000).optional(),
  max_duration: z.int().min(1).max(31_536_000).optional(),
});
export type BudgetBody = z.infer<typeof budgetBody>;

export const startRunBody = z
  .strictObject({
    agent_id: z.string().max(100).optional(),
    agent: z.string().max(100).optional(),
    workflow_id: z.string().max(100).optional(),
    workflow: z.string().max(100).optional(),
    workspace_id: z.string().max(100).optional(),
    input: json,
    notebook_id: z.string().max(100).optional(),
    session_id: z.string().max(100).optional(),
    trigger_type: z.enum(['chat', 'sdk']).default('sdk'),
    output_schema: z.record(z.string(), json).optional(),
    budget: budgetBody.optional(),
    wait: z.number().min(0).max(300).optional(),
  })
  .refine(
    ({ agent_id, agent, workflow_id, workflow, session_id }) => {
      const named = [agent_id, agent, workflow_id, workflow].filter((each) => each !== undefined).length;
      return named === 1 || (named === 0 && session_id !== undefined);
    },
    { message: 'give either agent_id or agent (slug or name), or workflow_id or workflow (name)', path: ['agent'] },
  )
  .refine(
    ({ workflow_id, workflow, session_id, output_schema }) =>
      (workflow_id === undefined && workflow === undefined) ||
      (session_id === undefined && output_schema === undefined),
    { message: 'a workflow has neither a session nor an output_schema', path: ['workflow'] },
  )
  .refine((body) => body.input !== undefined, { message: 'input is required', path: ['input'] });
export type StartRun = z.infer<typeof startRunBody>;

export const resumeBody = z.strictObject({
  /** Of a workflow: the step to go on from, by its id or address; the one that failed where it is not given. */
  from_step: z.string().min(1).max(1000).optional(),
  /** The input of an agent's run, or of the step that is gone on from. */
  override_input: json.optional(),
  budget: budgetBody.optional(),
});
export type ResumeRun = z.infer<typeof resumeBody>;

export const forkBody = z
  .strictObject({
    /** The last step that is taken over; 0 takes over nothing but the files of the beginning. */
    step: z.int().min(0).optional(),
    /** Of a workflow, instead: the step that is the first to be done again, by its id or address. */
    from_step: z.string().min(1).max(1000).optional(),
    /** Of the run. */
    input: json.optional(),
    /** Of the step that is named with from_step. */
    override_input: json.optional(),
    model: z.string().min(1).max(200).optional(),
    system_prompt: z.string().max(100_000).optional(),
    budget: budgetBody.optional(),
  })
  .refine(({ step, from_step }) => (step === undefined) !== (from_step === undefined), {
    message: 'give either step or, of a workflow, from_step',
    path: ['step'],
  });
export type ForkRun = z.infer<typeof forkBody>;

export const confirmBody = z
  .strictObject({
    action_id: z.string().max(200),
    confirmed: z.boolean(),
    reason: z.string().max(4000).optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    digest: z.string().max(200).optional(),
    /** Allows the tool for the rest of the session; of the run where there is none. */
    for_session: z.boolean().optional(),
  })
  .refine(({ confirmed, for_session }) => confirmed || for_session !== true, {
    message: 'only what is allowed can be allowed for the session',
    path: ['for_session'],
  });
export type ConfirmAction = z.infer<typeof confirmBody>;

/** Other arguments for a pending action, to be shown what it would do with them. */
export const reviseBody = z.strictObject({
  action_id: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()),
  digest: z.string().max(200).optional(),
});
export type ReviseAction = z.infer<typeof reviseBody>;

export const answerBody = z.strictObject({
  question_id: z.string().max(200),
  answer: z.string().min(1).max(100_000),
});

export const messageBody = z.strictObject({ content: z.string().trim().min(1).max(100_000) });

/** What a skipped clarification is answered with. */
export const NO_ANSWER = 'no_user_answer';
