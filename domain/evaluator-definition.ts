import { z } from 'zod';
import { jsonSchemaSchema, shownFields } from './definition.ts';
import { aboutField, refuseField } from './definition-soundness.ts';
import { parseModel } from './model.ts';
import { argumentCheck } from './output-schema.ts';
import { runStatusSchema } from './run.ts';

const texts = z.array(z.string().min(1).max(10_000)).max(100);

/** Checks that need no model. Those of other names are kept as they are, for who knows them. */
const rulesSchema = z.looseObject({
  contains: texts.optional(),
  not_contains: texts.optional(),
  /** Regular expressions. */
  matches: texts.optional(),
  json_schema: jsonSchemaSchema.optional(),
  status: z.array(runStatusSchema).min(1).optional(),
  max_tokens: z.int().min(0).optional(),
  max_cost_usd: z.number().min(0).optional(),
  max_duration_ms: z.int().min(0).optional(),
  max_tool_calls: z.int().min(0).optional(),
});

/** The fields of an evaluator beside those every definition has. */
export const evaluatorFields = {
  config: z.strictObject({
    /** What is judged, in words. */
    criteria: z.string().max(20_000).default(''),
    pass_threshold: z.number().min(0).max(1).default(0.7),
    /** The judge; null for the model that the installation judges with. */
    model: z.string().min(1).max(200).nullable().default(null),
    prompt_template: z.string().max(100_000).default(''),
    rules: rulesSchema.default({}),
  }),
};
const evaluatorContent = z.object(evaluatorFields);
export type EvaluatorContent = z.infer<typeof evaluatorContent>;

export const evaluatorSchema = z.object({ ...shownFields, ...evaluatorFields });
export type EvaluatorDefinition = z.infer<typeof evaluatorSchema>;

/** What could only fail once something is judged is refused when it is saved, with the field named. */
export function demandSoundEvaluator({ config }: EvaluatorContent): void {
  const { criteria, prompt_template, model, rules } = config;
  if (criteria.trim() === '' && prompt_template.trim() === '' && Object.keys(rules).length === 0) {
    refuseField('config', 'say what is judged: criteria, a prompt_template or rules.');
  }
  if (model !== null) aboutField('config.model', () => parseModel(model));
  aboutField('config.rules.json_schema', () => argumentCheck(rules.json_schema ?? null));
  for (const [n, text] of (rules.matches ?? []).entries())
    aboutField(`config.rules.matches.${n}`, () => new RegExp(text));
}
