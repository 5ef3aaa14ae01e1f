import { Failure } from '../domain/failures.ts';
import type { Caller } from '../domain/identity.ts';
import { type WorkflowDefinition, workflowPlanSchema } from '../domain/workflow-definition.ts';
import { activeFor, type DefinitionDoc, definitionCollection } from './definition-record.ts';
import { versionsBelow } from './definition-versions.ts';
import { missing } from './tenancy.ts';

const PLAN = Object.keys(workflowPlanSchema.shape);

/** What was stored once is read as this build knows it: a field that came later has its default. */
const planOf = (content: Record<string, unknown>) =>
  workflowPlanSchema.parse(Object.fromEntries(Object.entries(content).filter(([name]) => PLAN.includes(name))));

const toWorkflow = (doc: DefinitionDoc): WorkflowDefinition => ({
  ...planOf(doc.content),
  id: doc._id,
  workspace_id: doc.workspace_id,
  name: doc.name,
  description: doc.description,
  version: doc.version,
  is_active: doc.is_active,
  created_by: doc.created_by,
});

/** For runs, which act for a caller who was let in when the tree began. As it was at a version, where one is given. */
export async function loadWorkflow(orgId: string, id: string, version?: number): Promise<WorkflowDefinition | null> {
  const doc = await definitionCollection().findOne({ _id: id, org_id: orgId, kind: 'workflow' });
  if (!doc || version === undefined || version === doc.version) return doc && toWorkflow(doc);
  const [kept] = await versionsBelow({ kind: 'workflow', id, org_id: orgId }, version + 1, 1);
  if (kept?.version !== version) return null;
  return { ...toWorkflow(doc), ...planOf(kept.definition), name: String(kept.definition.name), version };
}

export async function loadWorkflowNamed(
  orgId: string,
  workspaceId: string,
  name: string,
): Promise<WorkflowDefinition | null> {
  const doc = await definitionCollection().findOne({
    org_id: orgId,
    workspace_id: workspaceId,
    kind: 'workflow',
    name,
    is_active: true,
  });
  return doc && toWorkflow(doc);
}

export async function findWorkflow(caller: Caller, id: string): Promise<WorkflowDefinition> {
  const found = await definitionCollection().findOne({ $and: [{ _id: id }, activeFor(caller, 'workflow')] });
  if (!found) throw missing('workflow', id);
  return toWorkflow(found);
}

/** Among all the caller sees; two of the same name must be told apart by workspace or id. */
export async function findWorkflowByName(
  caller: Caller,
  name: string,
  workspaceId?: string,
): Promise<WorkflowDefinition> {
  const found = await definitionCollection()
    .find({ $and: [{ name }, activeFor(caller, 'workflow', workspaceId)] })
    .limit(20)
    .toArray();
  const [one, ...more] = found;
  if (!one) throw missing('workflow', name);
  if (more.length > 0) {
    throw new Failure('invalid_request', `Several workflows are called ${name}; give workflow_id or workspace_id.`, {
      candidates: found.map(({ _id, workspace_id }) => ({ id: _id, workspace_id })),
    });
  }
  return toWorkflow(one);
}
