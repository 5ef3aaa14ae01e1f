import { referenceTo } from '../domain/definition.ts';
import type { Content } from '../domain/definition-kinds.ts';
import { readEntrypoint } from '../domain/entrypoint.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import type { IntegrationContent } from '../domain/integration.ts';
import { referencesOf } from '../domain/step-graph.ts';
import { isSystemTool } from '../domain/system-tools.ts';
import type { ToolContent } from '../domain/tool-definition.ts';
import type { WorkflowPlan } from '../domain/workflow-definition.ts';
import { demandSoundWorkflow } from '../domain/workflow-soundness.ts';
import { agentCollection, visibleTo } from './agent-record.ts';
import { isBuiltinTool } from './builtin-tools.ts';
import { activeFor, type DefinitionDoc, definitionCollection } from './definition-record.ts';

type Fresh = Pick<DefinitionDoc, '_id' | 'kind' | 'workspace_id' | 'name' | 'content' | 'is_active'>;
type Kind = DefinitionDoc['kind'];

const refuse = (field: string, said: string): never => {
  throw new Failure('invalid_request', `${field}: ${said}`, { in: 'body', fields: { [field]: said } });
};

const called = (references: string[]) => ({ $or: [{ _id: { $in: references } }, { name: { $in: references } }] });

/** Active ones of the workspace, by id or name. */
const named = (caller: Caller, kind: Kind, workspaceId: string, references: string[]): Promise<DefinitionDoc[]> =>
  references.length === 0
    ? Promise.resolve([])
    : definitionCollection()
        .find({ $and: [called(references), activeFor(caller, kind, workspaceId)] })
        .toArray();

const isOne = (found: { _id: string; name: string }[], reference: string): boolean =>
  found.some(({ _id, name }) => _id === reference || name === reference);

const WORKFLOW = 'workflow:';
const TOOL = 'tool:';

const references = (uses: string[], prefix: string): string[] =>
  uses.flatMap((use) => (use.startsWith(prefix) ? [use.slice(prefix.length)] : []));

/** Whether one of these runs the fresh workflow or calls the fresh tool in turn, by itself or through others. */
async function leadsBack(caller: Caller, fresh: Fresh, begin: DefinitionDoc[]): Promise<boolean> {
  const isFresh = (reference: string) => reference === fresh._id || reference === fresh.name;
  const prefix = fresh.kind === 'tool' ? TOOL : WORKFLOW;
  const seen = new Set<string>();
  let next = begin;
  while (next.length > 0) {
    for (const { _id } of next) seen.add(_id);
    const uses = next.flatMap((doc) => doc.uses);
    if (next.some(({ _id }) => _id === fresh._id) || references(uses, prefix).some(isFresh)) return true;
    const [workflows, tools] = await Promise.all([
      named(caller, 'workflow', fresh.workspace_id, references(uses, WORKFLOW)),
      named(caller, 'tool', fresh.workspace_id, references(uses, TOOL)),
    ]);
    next = [...workflows, ...tools].filter(({ _id }) => !seen.has(_id));
  }
  return false;
}

async function demandEntrypoint(caller: Caller, fresh: Fresh): Promise<void> {
  const { workspace_id, content } = fresh;
  const where = readEntrypoint((content as ToolContent).entrypoint);
  if (where?.kind === 'workflow') {
    const found = await named(caller, 'workflow', workspace_id, [where.workflow]);
    if (found.length === 0) refuse('entrypoint', `the workspace has no workflow ${where.workflow}.`);
    if (await leadsBack(caller, fresh, found)) refuse('entrypoint', `${where.workflow} calls this tool again.`);
  }
  if (where?.kind !== 'integration') return;
  const [integration] = await named(caller, 'integration', workspace_id, [where.integration]);
  if (!integration) return refuse('entrypoint', `the workspace has no integration ${where.integration}.`);
  const { endpoints } = integration.content as IntegrationContent;
  if (endpoints.some(({ name }) => name === where.endpoint)) return;
  const names = endpoints.map(({ name }) => name).join(', ');
  refuse('entrypoint', `${integration.name} has no endpoint ${where.endpoint}; it has ${names}.`);
}

async function demandSteps(caller: Caller, fresh: Fresh, before: readonly string[]): Promise<void> {
  const plan = fresh.content as WorkflowPlan;
  const wanted = referencesOf(plan.steps);
  const { workspace_id } = fresh;
  const agentsCalled = { $or: [...called(wanted.agents).$or, { slug: { $in: wanted.agents } }] };
  const [agents, tools, workflows] = await Promise.all([
    wanted.agents.length === 0
      ? []
      : agentCollection()
          .find({ $and: [agentsCalled, { is_active: true }, visibleTo(caller, workspace_id)] })
          .toArray(),
    named(caller, 'tool', workspace_id, wanted.tools),
    named(caller, 'workflow', workspace_id, wanted.workflows),
  ]);
  const circular = new Set<string>();
  for (const reference of wanted.workflows) {
    const begin = workflows.filter(({ _id, name }) => _id === reference || name === reference);
    if (reference === fresh.name || reference === fresh._id || (await leadsBack(caller, fresh, begin))) {
      circular.add(reference);
    }
  }
  for (const reference of wanted.tools) {
    const begin = tools.filter(({ _id, name }) => _id === reference || name === reference);
    if (await leadsBack(caller, fresh, begin)) {
      refuse('steps', `the tool ${reference} runs this workflow again.`);
    }
  }
  // What it referred to before may stay, though it be off or gone by now.
  const stays = (kind: 'agent' | 'tool' | 'workflow', reference: string) =>
    before.includes(referenceTo(kind, reference));
  demandSoundWorkflow(plan, {
    agent: (reference) =>
      isOne(agents, reference) || agents.some(({ slug }) => slug === reference) || stays('agent', reference),
    tool: (reference) =>
      isSystemTool(reference) || isBuiltinTool(reference) || isOne(tools, reference) || stays('tool', reference),
    workflow: (reference) => {
      if (circular.has(reference)) return 'circular';
      return isOne(workflows, reference) || stays('workflow', reference) ? 'known' : 'unknown';
    },
  });
}

/** Whatever a definition newly refers to is there, and the caller may use it. */
export async function demandDefinitionReferences(
  caller: Caller,
  fresh: Fresh,
  before: { content: Content; uses: readonly string[]; is_active: boolean } | null,
): Promise<void> {
  if (fresh.kind === 'workflow') return demandSteps(caller, fresh, before?.uses ?? []);
  if (fresh.kind !== 'tool') return;
  const entrypoint = (content: Content) => (content as ToolContent).entrypoint;
  const isBack = fresh.is_active && before?.is_active === false;
  if (!before || isBack || entrypoint(before.content) !== entrypoint(fresh.content)) {
    await demandEntrypoint(caller, fresh);
  }
}
