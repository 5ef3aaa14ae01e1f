import { z } from 'zod';
import { examplesSchema } from './agent.ts';
import { jsonSchemaSchema, referenceTo, shownFields } from './definition.ts';
import { aboutField, refuseField } from './definition-soundness.ts';
import { readEntrypoint } from './entrypoint.ts';
import { argumentCheck, asSchema } from './output-schema.ts';
import { isSystemTool, SYSTEM_TOOLS } from './system-tools.ts';

/** As every provider takes it. */
const wireName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'letters, digits, _ and -, beginning with a letter, at most 64 characters');

const FORMS =
  'builtin:<tool>, integration:<integration>/<endpoint>, workflow:<workflow> or mcp:<server>/<tool> is expected';

/** The fields of a tool beside those every definition has. */
export const toolFields = {
  schema: z
    .strictObject({
      input: jsonSchemaSchema.default({ type: 'object', properties: {} }),
      output: jsonSchemaSchema.nullable().default(null),
    })
    .default({ input: { type: 'object', properties: {} }, output: null }),
  entrypoint: z
    .string()
    .max(300)
    .refine((text) => readEntrypoint(text) !== null, FORMS),
  /** Words a caller may be asked for, and the dispatcher looks at. */
  scopes: z.array(z.string().min(1).max(100)).max(100).default([]),
  /** Requests it is made for, in the words of those who ask: the dispatcher searches them. */
  examples: examplesSchema.default([]),
};
const toolContent = z.object(toolFields);
export type ToolContent = z.infer<typeof toolContent>;

export const toolNameSchema = wireName;
export const toolSchema = z.object({ ...shownFields, ...toolFields });
export type ToolDefinition = z.infer<typeof toolSchema>;

/** What models see under these names is ours. */
const RESERVED = /^(delegate_to_|deterministic[._])|^(workspace|git|command)$/;

/** The schema of its input as models are given it: always that of an object. */
export const parametersOf = ({ input }: ToolContent['schema']): Record<string, unknown> => ({
  type: 'object',
  ...asSchema(input),
});

/** What could only fail once it is called is refused when it is saved, with the field named. */
export function demandSoundTool(name: string, { schema, entrypoint }: ToolContent): void {
  if (isSystemTool(name) || RESERVED.test(name)) refuseField('name', `${name} is the name of a built-in tool.`);
  for (const part of ['input', 'output'] as const) {
    aboutField(`schema.${part}`, () => argumentCheck(schema[part]));
  }
  if (parametersOf(schema).type !== 'object') refuseField('schema.input', 'a tool takes an object: use type: object.');
  const where = readEntrypoint(entrypoint);
  if (where?.kind === 'builtin' && !isSystemTool(where.tool)) {
    refuseField('entrypoint', `there are the built-in tools ${SYSTEM_TOOLS.join(', ')}.`);
  }
}

export function usesOfTool({ entrypoint }: ToolContent): string[] {
  const where = readEntrypoint(entrypoint);
  if (where?.kind === 'integration') return [referenceTo('integration', where.integration)];
  return where?.kind === 'workflow' ? [referenceTo('workflow', where.workflow)] : [];
}
