import { z } from 'zod';
import { type DefinitionKind, freeName, referenceTo, sentFields, shownFields } from './definition.ts';
import {
  demandSoundEvaluator,
  type EvaluatorContent,
  evaluatorFields,
  evaluatorSchema,
} from './evaluator-definition.ts';
import type { Role } from './identity.ts';
import {
  demandSoundIntegration,
  type IntegrationContent,
  integrationFields,
  integrationNameSchema,
  integrationSchema,
} from './integration.ts';
import { referencesOf } from './step-graph.ts';
import {
  demandSoundTool,
  type ToolContent,
  toolFields,
  toolNameSchema,
  toolSchema,
  usesOfTool,
} from './tool-definition.ts';
import { type WorkflowPlan, workflowFields } from './workflow-definition.ts';

/** The fields that are a kind's own; parsed when they were sent, and trusted from then on. */
export type Content = Record<string, unknown>;

/** All that differs between the kinds; everything else about definitions is written once. */
export interface DefinitionSpec {
  noun: string;
  nouns: string;
  /** Who makes them. */
  maker: Role;
  create: z.ZodObject;
  shown: z.ZodObject;
  /** Refuses what could only fail once it is used; what it refers to is looked for elsewhere. */
  demandSound: (name: string, content: Content) => void;
  /** What it refers to, as it is written. */
  uses: (content: Content) => string[];
}

export const workflowSchema = z.object({ ...shownFields, ...workflowFields });
export type WorkflowShown = z.infer<typeof workflowSchema>;

/** New ones are on; the word is taken because whoever sends back what it read says it. */
const on = { is_active: z.literal(true).optional() };

const usesOfWorkflow = ({ steps }: WorkflowPlan): string[] => {
  const { agents, tools, workflows } = referencesOf(steps);
  return [
    ...agents.map((agent) => referenceTo('agent', agent)),
    ...tools.map((tool) => referenceTo('tool', tool)),
    ...workflows.map((workflow) => referenceTo('workflow', workflow)),
  ];
};

export const DEFINITIONS: Record<DefinitionKind, DefinitionSpec> = {
  tool: {
    noun: 'tool',
    nouns: 'tools',
    maker: 'write',
    create: z.strictObject({ ...sentFields, ...on, name: toolNameSchema, ...toolFields }),
    shown: toolSchema,
    demandSound: (name, content) => demandSoundTool(name, content as ToolContent),
    uses: (content) => usesOfTool(content as ToolContent),
  },
  workflow: {
    noun: 'workflow',
    nouns: 'workflows',
    maker: 'write',
    create: z.strictObject({ ...sentFields, ...on, name: freeName, ...workflowFields }),
    shown: workflowSchema,
    // All of it rests on what it refers to: see store/definition-references.ts.
    demandSound: () => undefined,
    uses: (content) => usesOfWorkflow(content as WorkflowPlan),
  },
  evaluator: {
    noun: 'evaluator',
    nouns: 'evaluators',
    maker: 'write',
    create: z.strictObject({ ...sentFields, ...on, name: freeName, ...evaluatorFields }),
    shown: evaluatorSchema,
    demandSound: (_name, content) => demandSoundEvaluator(content as EvaluatorContent),
    uses: () => [],
  },
  integration: {
    noun: 'integration',
    nouns: 'integrations',
    maker: 'admin',
    create: z.strictObject({ ...sentFields, ...on, name: integrationNameSchema, ...integrationFields }),
    shown: integrationSchema,
    demandSound: (_name, content) => demandSoundIntegration(content as IntegrationContent),
    uses: () => [],
  },
};
