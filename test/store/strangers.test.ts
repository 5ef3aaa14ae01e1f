import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Agent, createAgentBody } from '../../domain/agent.ts';
import { createSourceBody, createSubscriptionBody } from '../../domain/event.ts';
import { isFailure } from '../../domain/failures.ts';
import type { Caller } from '../../domain/identity.ts';
import { integrationFields } from '../../domain/integration.ts';
import { createMcpServerBody } from '../../domain/mcp.ts';
import { createScheduleBody } from '../../domain/schedule.ts';
import { workflowPlanSchema } from '../../domain/workflow-definition.ts';
import * as agentChanges from '../../store/agent-changes.ts';
import * as agentReferences from '../../store/agent-references.ts';
import * as agents from '../../store/agents.ts';
import * as apiKeys from '../../store/api-keys.ts';
import * as audit from '../../store/audit.ts';
import * as auditPlaces from '../../store/audit-places.ts';
import * as builtinAgents from '../../store/builtin-agents.ts';
import * as checkpoints from '../../store/checkpoints.ts';
import { disconnectStore } from '../../store/connection.ts';
import * as credentials from '../../store/credentials.ts';
import * as definitionChanges from '../../store/definition-changes.ts';
import * as definitionReferences from '../../store/definition-references.ts';
import * as definitionUses from '../../store/definition-uses.ts';
import * as definitions from '../../store/definitions.ts';
import * as dispatchCandidates from '../../store/dispatch-candidates.ts';
import * as editRuns from '../../store/edit-runs.ts';
import * as deliveries from '../../store/event-deliveries.ts';
import * as eventSources from '../../store/event-sources.ts';
import * as subscriptions from '../../store/event-subscriptions.ts';
import * as evidence from '../../store/evidence.ts';
import * as executors from '../../store/executors.ts';
import * as flowView from '../../store/flow-view.ts';
import * as github from '../../store/github-integration.ts';
import * as idempotency from '../../store/idempotency.ts';
import { newId } from '../../store/ids.ts';
import * as integrationCredentials from '../../store/integration-credentials.ts';
import * as knowledge from '../../store/knowledge.ts';
import * as knowledgeSearch from '../../store/knowledge-search.ts';
import * as mcpServers from '../../store/mcp-servers.ts';
import * as memberships from '../../store/memberships.ts';
import * as notebookCredentials from '../../store/notebook-credentials.ts';
import * as notebooks from '../../store/notebooks.ts';
import * as organizations from '../../store/organizations.ts';
import * as ownedCredentials from '../../store/owned-credentials.ts';
import * as quotes from '../../store/quotes.ts';
import * as runDrafts from '../../store/run-drafts.ts';
import * as runList from '../../store/run-list.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { insertChildRun } from '../../store/run-upkeep.ts';
import * as runs from '../../store/runs.ts';
import * as schedules from '../../store/schedules.ts';
import * as sessionLogs from '../../store/session-logs.ts';
import * as sessionView from '../../store/session-view.ts';
import * as sessions from '../../store/sessions.ts';
import * as tasks from '../../store/tasks.ts';
import * as triggerTarget from '../../store/trigger-target.ts';
import * as userSettings from '../../store/user-settings.ts';
import * as users from '../../store/users.ts';
import * as versionHistory from '../../store/version-history.ts';
import * as workflowSource from '../../store/workflow-source.ts';
import * as workspaces from '../../store/workspaces.ts';
import { auditLine } from '../audit-line.ts';
import { ownStore } from '../own-store.ts';
import { draft } from '../recorded-run.ts';

/**
 * Every function of the store that acts for somebody is called by two strangers: the owner of another organization,
 * and a user of the same organization who is a member of nothing. Neither may find or change anything.
 */
const home = {
  org: newId('org'),
  workspace: newId('ws'),
  notebook: newId('nb'),
  repository: newId('nb'),
  agent: newId('agt'),
  key: newId('key'),
  user: newId('usr'),
  email: `${newId('x')}@home.example`,
  run: newId('run'),
  workflow: newId('wf'),
  child: newId('run'),
  source: newId('kn'),
  session: newId('ses'),
  task: newId('tsk'),
  tool: newId('tool'),
  integration: newId('int'),
  mcp: newId('mcp'),
  schedule: newId('sch'),
  hook: newId('src'),
  subscription: newId('sub'),
  delivery: newId('dlv'),
  checkpoint: newId('ckp'),
};
const owner: Caller = { user_id: newId('usr'), name: 'Owner', org_id: home.org, is_owner: true, roles: {} };
const foreign: Caller = { user_id: newId('usr'), name: 'Foreign', org_id: newId('org'), is_owner: true, roles: {} };
const outsider: Caller = { user_id: newId('usr'), name: 'Outsider', org_id: home.org, is_owner: false, roles: {} };

const page = { limit: 100 };
const newAgent = (id: string) => ({
  ...createAgentBody.parse({
    workspace_id: home.workspace,
    name: 'Helper',
    slug: 'helper',
    model: 'gpt-4o',
    visibility: 'workspace',
  }),
  id,
});
const newNotebook = (id: string) =>
  ({ id, workspace_id: home.workspace, name: 'Notes', kind: 'folder', path: '/srv/secret-notes' }) as const;
const newSource = (id: string) =>
  ({ id, workspace_id: home.workspace, name: 'Home book', kind: 'text', bytes: 9, pages: ['secret text'] }) as const;
const newRun = (id: string, agent: Agent) =>
  draft(id, agent, { notebook: { id: home.notebook, kind: 'folder' }, input: 'secret input' });
const SECRET_KEY = 'a secret key for tests only';
const request = { key: 'home-key', content: 'POST /x', secretKeys: [SECRET_KEY] as const };
const REFERENCES = { notebooks: [home.notebook], knowledge_sources: [home.source], delegated_agents: [home.agent] };
const newSession = (id: string) => ({
  _id: id,
  workspace_id: home.workspace,
  agent_id: home.agent,
  agent_name: 'Helper',
  notebook_id: null,
  title: 'secret talk',
  context_rows: [],
});
const opening = (run_id: string, follows: string | null): sessions.Opening => ({
  run_id,
  follows,
  trigger_type: 'chat',
  input: 'theirs',
  output_schema: null,
  budget: null,
});
const newMcpServer = (id: string) => ({
  id,
  ...createMcpServerBody.parse({
    workspace_id: home.workspace,
    name: 'secret-server',
    transport: { kind: 'http', url: 'https://secret.example/mcp' },
  }),
});
const newSchedule = (id: string) => ({
  id,
  ...createScheduleBody.parse({ agent_id: home.agent, name: 'secret times', cron_expression: '0 9 * * *' }),
});
const newHook = (id: string) => ({
  id,
  ...createSourceBody.parse({ workspace_id: home.workspace, name: 'secret hook' }),
});
const newSubscription = (id: string) => ({
  id,
  ...createSubscriptionBody.parse({ source_id: home.hook, target_type: 'agent', agent_id: home.agent }),
});
const newDelivery = (): deliveries.DeliveryDoc => ({
  ...{ _id: home.delivery, org_id: home.org, workspace_id: home.workspace, source_id: home.hook },
  ...{ source_name: 'secret hook', delivery_id: 'one', fingerprint: 'one', status: 'unmatched', attempts: 1 },
  ...{ payload: '"secret"', headers: {}, parts: [], checked_at: new Date(), created_at: new Date() },
});
const newTask = (id: string) => ({
  id,
  workspace_id: home.workspace,
  title: 'secret task',
  description: '',
  notebook_id: null,
  assigned_to: null,
});
const newTool = (id: string) => ({
  id,
  workspace_id: home.workspace,
  name: 'secret_tool',
  description: 'secret',
  content: { schema: { input: {}, output: null }, entrypoint: 'builtin:read_file', scopes: [] },
});
const newIntegration = (id: string) => ({
  id,
  workspace_id: home.workspace,
  name: 'secret_desk',
  description: '',
  content: integrationFieldsOf({ base_url: 'https://secret.example.org', endpoints: [{ name: 'get' }] }),
});
const integrationFieldsOf = (fields: object) => z.object(integrationFields).parse(fields);
const newRollback = (rollback_id: string) => ({
  rollback_id,
  mode: 'hard_all' as const,
  hunk_ids: [],
  state: 'buffer' as const,
  conflicts: [],
  user_id: home.user,
  created_at: new Date(0),
  saved_at: null,
  saved_files: [],
  error: null,
});
const newCheckpoint = {
  _id: home.checkpoint,
  org_id: home.org,
  workspace_id: home.workspace,
  user_id: home.user,
  session_id: home.session,
  job_id: home.run,
  notebook_id: home.notebook,
  instruction: 'secret instruction',
};
let checkpoint: checkpoints.CheckpointRecord;
let agent: Agent;
let run: RunRecord;
let session: sessions.SessionRecord;

/** How a stranger would go about it, knowing every id. */
const CASES: Record<string, (stranger: Caller) => unknown> = {
  'agent-changes.changeAgent': (stranger) =>
    agentChanges.changeAgent(stranger, home.agent, { name: 'Mine now', is_active: true }, null),
  'agent-changes.activateAgent': (stranger) => agentChanges.activateAgent(stranger, home.agent, false),
  'agent-changes.deleteAgent': (stranger) => agentChanges.deleteAgent(stranger, home.agent, null),
  'agent-references.findReferences': (stranger) =>
    agentReferences.findReferences(stranger, home.workspace, REFERENCES, 'id'),
  'agent-references.writeWithTools': (stranger) =>
    agentReferences.writeWithTools(stranger, home.workspace, { tools: ['secret_tool'] }, undefined, async () => 'in'),
  'agent-references.demandReferences': (stranger) =>
    agentReferences.demandReferences(stranger, home.workspace, {
      scope: { notebooks: [home.notebook] },
      grants: null,
      knowledge_sources: [home.source],
      delegated_agents: [{ agent_id: home.agent }],
    }),
  'checkpoints.findCheckpoint': (stranger) => checkpoints.findCheckpoint(stranger, home.checkpoint),
  'checkpoints.listCheckpoints': (stranger) =>
    checkpoints.listCheckpoints(stranger, { session_id: home.session, notebook_id: home.notebook }, page),
  'checkpoints.setRollback': (stranger) =>
    checkpoints.setRollback(stranger, checkpoint, newRollback(newId('rbk')), [], []),
  'edit-runs.countEditSessions': (stranger) => editRuns.countEditSessions(stranger),
  'edit-runs.jobsOf': (stranger) => editRuns.jobsOf(stranger, home.session),
  'builtin-agents.dispatcherOf': (stranger) => builtinAgents.dispatcherOf(stranger, home.workspace, 'gpt-4o'),
  'builtin-agents.editorOf': (stranger) => builtinAgents.editorOf(stranger, home.workspace, 'gpt-4o'),
  'builtin-agents.addBuiltins': (stranger) =>
    builtinAgents.addBuiltins(stranger, home.workspace, { editor: 'theirs', dispatcher: 'theirs' }),
  'dispatch-candidates.eligibleFor': async (stranger) => [
    await dispatchCandidates.eligibleFor(stranger),
    await dispatchCandidates.eligibleFor(stranger, home.workspace),
  ],
  'agents.createAgent': (stranger) => agents.createAgent(stranger, newAgent(newId('agt'))),
  'agents.findAgent': (stranger) => agents.findAgent(stranger, home.agent),
  'agents.findAgentByName': (stranger) => agents.findAgentByName(stranger, 'helper'),
  'agents.listAgents': (stranger) => agents.listAgents(stranger, undefined, page),
  'api-keys.createApiKey': (stranger) =>
    apiKeys.createApiKey(stranger, { id: home.key, name: 'Mine now', expires_at: null }),
  'api-keys.listApiKeys': (stranger) => apiKeys.listApiKeys(stranger, page),
  'api-keys.revokeApiKey': (stranger) => apiKeys.revokeApiKey(stranger, home.key),
  'credentials.setCredential': (stranger) =>
    credentials.setCredential(stranger, [SECRET_KEY], { agent_id: home.agent, key: 'api_key', value: 'their own key' }),
  'credentials.listCredentials': (stranger) => credentials.listCredentials(stranger, home.agent),
  'credentials.removeCredential': (stranger) => credentials.removeCredential(stranger, home.agent, 'api_key'),
  'github-integration.githubIntegration': (stranger) => github.githubIntegration(stranger, home.workspace),
  'github-integration.setGithubIntegration': (stranger) =>
    github.setGithubIntegration(stranger, [SECRET_KEY], {
      workspace_id: home.workspace,
      enabled: true,
      api_url: 'https://api.github.com',
      token: 'their own token',
    }),
  'github-integration.removeGithubIntegration': (stranger) => github.removeGithubIntegration(stranger, home.workspace),
  'evidence.listEvidence': (stranger) => evidence.listEvidence(stranger, home.run, undefined, page),
  'evidence.readEvidence': (stranger) =>
    evidence.readEvidence(stranger, home.run, `${home.run}-1-c`, { offset: 0, limit: 9 }),
  'notebook-credentials.setNotebookCredential': (stranger) =>
    notebookCredentials.setNotebookCredential(stranger, [SECRET_KEY], {
      notebook_id: home.repository,
      key: 'token',
      value: 'their own token',
    }),
  'notebook-credentials.listNotebookCredentials': (stranger) =>
    notebookCredentials.listNotebookCredentials(stranger, home.repository),
  'notebook-credentials.removeNotebookCredential': (stranger) =>
    notebookCredentials.removeNotebookCredential(stranger, home.repository, 'token'),
  'executors.listExecutors': (stranger) => executors.listExecutors(stranger),
  'audit.listAudit': (stranger) => audit.listAudit(stranger, {}, page),
  'audit.everyAuditLine': (stranger) => audit.everyAuditLine(stranger, {}).next(),
  'definitions.createDefinition': (stranger) => definitions.createDefinition(stranger, 'tool', newTool(home.tool)),
  'definitions.findDefinition': (stranger) => definitions.findDefinition(stranger, 'tool', home.tool),
  'definitions.listDefinitions': (stranger) =>
    definitions.listDefinitions(stranger, 'tool', { is_builtin: false }, page),
  'definition-changes.changeDefinition': (stranger) =>
    definitionChanges.changeDefinition(stranger, 'tool', home.tool, { is_active: true, content: {} }, null),
  'definition-changes.deleteDefinition': (stranger) =>
    definitionChanges.deleteDefinition(stranger, 'tool', home.tool, null),
  'definition-changes.deleteDefinitions': (stranger) =>
    definitionChanges.deleteDefinitions(stranger, 'tool', [home.tool]).then(({ deleted }) => deleted),
  'definition-references.demandDefinitionReferences': (stranger) =>
    definitionReferences.demandDefinitionReferences(
      stranger,
      {
        _id: newId('tool'),
        kind: 'tool',
        workspace_id: home.workspace,
        name: 'x',
        content: { entrypoint: 'integration:secret_desk/get' },
        is_active: true,
      },
      null,
    ),
  'definition-uses.usesOf': (stranger) =>
    definitionUses.usesOf(
      stranger,
      { _id: home.tool, kind: 'tool', org_id: stranger.org_id, workspace_id: home.workspace, name: 'secret_tool' },
      [home.tool],
    ),
  'definition-uses.demandUnused': (stranger) =>
    definitionUses.demandUnused(
      stranger,
      { _id: home.tool, kind: 'tool', org_id: stranger.org_id, workspace_id: home.workspace, name: 'secret_tool' },
      [home.tool],
      'It',
    ),
  'integration-credentials.setIntegrationCredential': (stranger) =>
    integrationCredentials.setIntegrationCredential(stranger, [SECRET_KEY], {
      integration_id: home.integration,
      key: 'token',
      value: 'their own value',
    }),
  'integration-credentials.listIntegrationCredentials': (stranger) =>
    integrationCredentials.listIntegrationCredentials(stranger, home.integration),
  'integration-credentials.removeIntegrationCredential': (stranger) =>
    integrationCredentials.removeIntegrationCredential(stranger, home.integration, 'token'),
  'version-history.listVersions': (stranger) => versionHistory.listVersions(stranger, home.tool, { limit: 10 }),
  'version-history.findVersion': (stranger) => versionHistory.findVersion(stranger, home.agent, 1),
  'version-history.diffVersions': (stranger) => versionHistory.diffVersions(stranger, home.tool, 1, 1),
  'version-history.rollBack': (stranger) => versionHistory.rollBack(stranger, home.agent, 1, null),
  'idempotency.admitRequest': (stranger) => idempotency.admitRequest(stranger, request),
  'idempotency.renewRequest': (stranger) => idempotency.renewRequest(stranger, request.key),
  'idempotency.keepReply': (stranger) => idempotency.keepReply(stranger, request, { status: 200, body: 'theirs' }),
  'idempotency.forgetRequest': (stranger) => idempotency.forgetRequest(stranger, request.key),
  'idempotency.releaseRequest': (stranger) => idempotency.releaseRequest(stranger, request.key),
  'knowledge.addSource': (stranger) => knowledge.addSource(stranger, newSource(home.source)),
  'knowledge.findSource': (stranger) => knowledge.findSource(stranger, home.source),
  'knowledge.listSources': (stranger) => knowledge.listSources(stranger, undefined, page),
  'knowledge.readSource': (stranger) => knowledge.readSource(stranger, home.source, 1),
  'knowledge.removeSource': (stranger) => knowledge.removeSource(stranger, home.source),
  'knowledge-search.searchKnowledge': (stranger) =>
    knowledgeSearch.searchKnowledge(stranger, { query: 'secret', limit: 10 }, async () => ({
      model: 'm',
      vector: new Float32Array([1]),
    })),
  'mcp-servers.createMcpServer': (stranger) => mcpServers.createMcpServer(stranger, newMcpServer(home.mcp)),
  'mcp-servers.findMcpServer': (stranger) => mcpServers.findMcpServer(stranger, home.mcp),
  'mcp-servers.listMcpServers': (stranger) => mcpServers.listMcpServers(stranger, undefined, page),
  'mcp-servers.demandMcpServer': (stranger) => mcpServers.demandMcpServer(stranger, home.mcp),
  'mcp-servers.changeMcpServer': (stranger) => mcpServers.changeMcpServer(stranger, home.mcp, { timeout_s: 1 }),
  'mcp-servers.removeMcpServer': (stranger) => mcpServers.removeMcpServer(stranger, home.mcp),
  'memberships.addMember': (stranger) =>
    memberships.addMember(stranger, home.workspace, {
      id: stranger.user_id,
      email: 'x@x.example',
      name: 'X',
      role: 'admin',
    }),
  'memberships.changeRole': (stranger) => memberships.changeRole(stranger, home.workspace, home.user, 'admin'),
  'memberships.listMembers': (stranger) => memberships.listMembers(stranger, home.workspace, page),
  'memberships.removeMember': (stranger) => memberships.removeMember(stranger, home.workspace, home.user),
  'notebooks.createNotebook': (stranger) => notebooks.createNotebook(stranger, newNotebook(newId('nb'))),
  'notebooks.createForkNotebook': (stranger) => notebooks.createForkNotebook(stranger, newNotebook(newId('nb'))),
  'notebooks.findNotebook': (stranger) => notebooks.findNotebook(stranger, home.notebook),
  'notebooks.findWritableNotebook': (stranger) => notebooks.findWritableNotebook(stranger, home.notebook),
  'notebooks.notebooksAt': async (stranger) => [
    ...(await notebooks.notebooksAt(stranger, home.workspace, ['/srv/secret-notes'])),
  ],
  'notebooks.changeNotebook': (stranger) => notebooks.changeNotebook(stranger, home.notebook, { name: 'Mine now' }),
  'notebooks.removeNotebook': (stranger) => notebooks.removeNotebook(stranger, home.notebook),
  'notebooks.listNotebooks': (stranger) => notebooks.listNotebooks(stranger, undefined, page),
  'quotes.pastRuns': (stranger) => quotes.pastRuns(stranger, { models: ['gpt-4o'] }),
  'run-list.listRuns': (stranger) => runList.listRuns(stranger, {}, { limit: 100, sort: 'newest' }),
  'runs.currentRun': (stranger) => runs.currentRun(stranger, home.run),
  'runs.findRun': (stranger) => runs.findRun(stranger, home.run),
  'runs.insertRun': (stranger) => runs.insertRun(stranger, newRun(home.run, agent)),
  'runs.openRunsBelow': (stranger) => runs.openRunsBelow(stranger, home.run),
  'runs.treeOf': (stranger) => runs.treeOf(stranger, run),
  'runs.waitingRuns': (stranger) => runs.waitingRuns(stranger),
  'run-drafts.draftAgentRun': (stranger) =>
    runDrafts
      .draftAgentRun(stranger, { agent, notebook: null }, { input: 1, trigger_type: 'sdk' }, newId('run'))
      .then(({ agent: acting }) => acting.can_write),
  'run-drafts.draftDefinitionRun': (stranger) =>
    runDrafts.draftDefinitionRun(
      stranger,
      {
        ...{ id: newId('wf'), workspace_id: 'theirs', name: 'x', description: '', version: 1, is_active: true },
        ...workflowPlanSchema.parse({ steps: [{ id: 'a', type: 'wait', duration: 0 }] }),
        created_by: stranger.user_id,
      },
      { input: {}, trigger_type: 'sdk', notebook_id: home.notebook },
      newId('run'),
    ),
  'schedules.createSchedule': (stranger) => schedules.createSchedule(stranger, newSchedule(newId('sch'))),
  'schedules.findSchedule': (stranger) => schedules.findSchedule(stranger, home.schedule),
  'schedules.listSchedules': (stranger) => schedules.listSchedules(stranger, {}, page),
  'schedules.changeSchedule': (stranger) => schedules.changeSchedule(stranger, home.schedule, { tier: 'batch' }, null),
  'schedules.demandOwnSchedule': (stranger) => schedules.demandOwnSchedule(stranger, home.schedule, 'run'),
  'schedules.deleteSchedule': (stranger) => schedules.deleteSchedule(stranger, home.schedule, null),
  'event-sources.createSource': (stranger) => eventSources.createSource(stranger, [SECRET_KEY], newHook(home.hook)),
  'event-sources.findSource': (stranger) => eventSources.findSource(stranger, home.hook),
  'event-sources.listSources': (stranger) => eventSources.listSources(stranger, undefined, page),
  'event-sources.changeSource': (stranger) => eventSources.changeSource(stranger, home.hook, { name: 'theirs' }, null),
  'event-sources.renewSecret': (stranger) => eventSources.renewSecret(stranger, [SECRET_KEY], home.hook),
  'event-sources.deleteSource': (stranger) => eventSources.deleteSource(stranger, home.hook, null),
  'event-subscriptions.createSubscription': (stranger) =>
    subscriptions.createSubscription(stranger, newSubscription(newId('sub'))),
  'event-subscriptions.findSubscription': (stranger) => subscriptions.findSubscription(stranger, home.subscription),
  'event-subscriptions.listSubscriptions': (stranger) => subscriptions.listSubscriptions(stranger, {}, page),
  'event-subscriptions.changeSubscription': (stranger) =>
    subscriptions.changeSubscription(stranger, home.subscription, { tier: 'batch' }, null),
  'event-subscriptions.deleteSubscription': (stranger) =>
    subscriptions.deleteSubscription(stranger, home.subscription, null),
  'event-deliveries.findDelivery': (stranger) => deliveries.findDelivery(stranger, home.delivery),
  'event-deliveries.listDeliveries': (stranger) => deliveries.listDeliveries(stranger, {}, page),
  'event-deliveries.demandRedeliverable': (stranger) => deliveries.demandRedeliverable(stranger, home.delivery),
  'trigger-target.findTarget': (stranger) =>
    triggerTarget.findTarget(stranger, { agent_id: home.agent, workflow_id: null }),
  'trigger-target.demandTargetSeen': async (stranger) => [
    await triggerTarget.demandTargetSeen(stranger, { agent_id: home.agent, workflow_id: null }),
  ],
  'trigger-target.demandTargetNotebook': (stranger) =>
    triggerTarget.demandTargetNotebook(stranger, home.notebook, home.workspace),
  'trigger-target.targetNameIn': (stranger) =>
    triggerTarget.targetNameIn(stranger, { agent_id: home.agent, workflow_id: null }, home.workspace),
  'trigger-target.nextTrigger': (stranger) =>
    triggerTarget.nextTrigger(
      stranger,
      {
        ...{ agent_id: home.agent, workflow_id: null, notebook_id: null, workspace_id: home.workspace },
        ...{ name: 'Theirs', target_name: null, is_active: false as boolean, version: 1 },
        ...{ created_by: stranger.user_id, updated_by: stranger.user_id, updated_at: new Date() },
      },
      { is_active: true },
      () => undefined,
    ),
  'session-logs.logsOf': (stranger) => sessionLogs.logsOf(stranger, session, page),
  'session-view.summariesOf': async (stranger) =>
    (await sessionView.summariesOf(stranger, [session])).map(({ tokens_used, allowed_tools }) => [
      tokens_used,
      allowed_tools,
    ]),
  'session-view.viewOf': async (stranger) => (await sessionView.viewOf(stranger, session)).messages,
  'sessions.insertSession': (stranger) => sessions.insertSession(stranger, newSession(home.session)),
  'sessions.findSession': (stranger) => sessions.findSession(stranger, home.session),
  'sessions.listSessions': (stranger) => sessions.listSessions(stranger, { all: true }, page),
  'sessions.changeSession': (stranger) => sessions.changeSession(stranger, home.session, { title: 'Mine now' }),
  'sessions.claimNextRun': (stranger) => sessions.claimNextRun(stranger, session, opening(newId('run'), home.run)),
  'sessions.forgetOpening': (stranger) => sessions.forgetOpening(stranger, home.session, home.run),
  'tasks.createTask': (stranger) => tasks.createTask(stranger, newTask(home.task)),
  'tasks.findTask': (stranger) => tasks.findTask(stranger, home.task),
  'tasks.listTasks': (stranger) => tasks.listTasks(stranger, {}, page),
  'tasks.updateTask': (stranger) => tasks.updateTask(stranger, home.task, { title: 'theirs' }),
  'tasks.assignTask': (stranger) => tasks.assignTask(stranger, home.task, { agent, run_id: newId('run') }),
  'tasks.unassignTask': (stranger) => tasks.unassignTask(stranger, home.task),
  'tasks.removeTask': (stranger) => tasks.removeTask(stranger, home.task),
  'flow-view.flowOf': (stranger) => flowView.flowOf(stranger, home.run),
  'workflow-source.findWorkflow': (stranger) => workflowSource.findWorkflow(stranger, home.workflow),
  'workflow-source.findWorkflowByName': (stranger) => workflowSource.findWorkflowByName(stranger, 'Secret workflow'),
  'workspaces.createWorkspace': (stranger) =>
    workspaces.createWorkspace(stranger, { id: home.workspace, name: 'Mine now' }),
  'workspaces.demandWorkspace': (stranger) => workspaces.demandWorkspace(stranger, home.workspace, 'read', 'look'),
  'workspaces.findWorkspace': (stranger) => workspaces.findWorkspace(stranger, home.workspace),
  'workspaces.renameWorkspace': (stranger) => workspaces.renameWorkspace(stranger, home.workspace, 'Mine now'),
  'workspaces.listWorkspaces': (stranger) => workspaces.listWorkspaces(stranger, page),
};

/** Bounded by the organization, whose members may know of each other: for strangers from another one only. */
const ORGANIZATION_CASES: typeof CASES = {
  'audit-places.placeOf': (stranger) => auditPlaces.placeOf(stranger, home.agent),
  'mcp-servers.setMcpSecret': (stranger) =>
    mcpServers.setMcpSecret(stranger, [SECRET_KEY], { server_id: home.mcp, key: 'env_x', value: 'their own value' }),
  'mcp-servers.listMcpSecrets': (stranger) => mcpServers.listMcpSecrets(stranger, home.mcp),
  'mcp-servers.removeMcpSecret': (stranger) => mcpServers.removeMcpSecret(stranger, home.mcp, 'env_x'),
  'owned-credentials.setOwned': (stranger) =>
    ownedCredentials.setOwned(stranger, [SECRET_KEY], { owner: home.agent, key: 'api_key', value: 'their own key' }),
  'owned-credentials.listOwned': (stranger) => ownedCredentials.listOwned(stranger, home.agent),
  'owned-credentials.removeOwned': (stranger) => ownedCredentials.removeOwned(stranger, home.agent, 'api_key'),
  'owned-credentials.demandSameServer': (stranger) =>
    ownedCredentials.demandSameServer(stranger, home.integration, 'https://a.example', 'https://b.example'),
  'owned-credentials.forgetOwned': (stranger) => ownedCredentials.forgetOwned(stranger, home.agent),
  'organizations.ownOrganization': (stranger) => organizations.ownOrganization(stranger),
  'users.findUser': (stranger) => users.findUser(stranger, home.user),
  'users.usersById': async (stranger) => [...(await users.usersById(stranger, [home.user])).values()],
  'users.inviteUser': (stranger) => users.inviteUser(stranger, { id: newId('usr'), email: home.email, name: 'X' }),
  'user-settings.settingsOf': (stranger) => userSettings.settingsOf({ ...stranger, user_id: home.user }),
  'user-settings.keepSettings': (stranger) =>
    userSettings.keepSettings({ ...stranger, user_id: home.user }, { enabled_tools: [], enabled_agents: [] }),
  'users.passwordHashOf': (stranger) => users.passwordHashOf({ ...stranger, user_id: home.user }),
  'users.setPasswordHash': (stranger) => users.setPasswordHash({ ...stranger, user_id: home.user }, 'theirs'),
};

/** Functions that act for nobody in particular, and why they may. */
const TRUSTED: Record<string, string[]> = {
  'the connection, and pure functions': [
    ...[
      'connectStore',
      'disconnectStore',
      'ensureIndexes',
      'nativeCollection',
      'storeDatabase',
      'storeIsReachable',
    ].map((name) => `connection.${name}`),
    'gathered-inserts.GatheredInserts',
    ...['isDuplicate', 'isUnreachable', 'outlast', 'asOne'].map((name) => `connection.${name}`),
    ...['deriveKey', 'keyIdOf', 'newSecret', 'hashToken', 'seal', 'unseal'].map((name) => `secrets.${name}`),
    ...['visibleWorkspaces', 'boundedBy', 'missing', 'demandRole', 'demandOwner'].map((name) => `tenancy.${name}`),
    ...[
      'ids.newId',
      'agents.slugTaken',
      ...['nameTaken', 'builtinsOf'].map((name) => `definitions.${name}`),
      ...['builtinTools', 'isBuiltinTool'].map((name) => `builtin-tools.${name}`),
      ...['demandUnscheduled', 'namesOf'].map((name) => `definition-uses.${name}`),
      ...['DefinitionModel', 'definitionCollection', 'toDefinition', 'activeFor', 'inactiveFor'].map(
        (name) => `definition-record.${name}`,
      ),
      'run-tools.permitted',
      'system-user.systemUserId',
      ...['badField', 'defined', 'demandKeeper', 'demandVersionOf'].map((name) => `trigger-target.${name}`),
      ...['ScheduleModel', 'scheduleCollection', 'toSchedule'].map((name) => `schedule-record.${name}`),
      ...['deliveryDocId', 'partOf'].map((name) => `event-deliveries.${name}`),
      'dispatcher-agent.isDispatcher',
      'dispatcher-agent.dispatcherIn',
      'editor-agent.editorIn',
      'agent-references.wantedBy',
      ...['AgentModel', 'agentCollection', 'toAgent', 'withinReach', 'visibleTo'].map((name) => `agent-record.${name}`),
      'literal-pattern.literalPattern',
      'pages.readPage',
      'pages.readCursor',
      'pages.writeCursor',
      'insert-once.insertOnce',
      'api-keys.tokenOf',
      'run-record.toRun',
      'run-record.completeRecord',
      'run-record.runsVisibleTo',
      'new-run.recordOf',
      'new-run.budgetOf',
      'deltas.toDelta',
      'outputs.toOutput',
    ],
  ],
  'sign-in, before there is a caller': [
    ...['api-keys.recognizeApiKey', 'callers.callerOf', 'memberships.rolesOf', 'users.userForCaller'],
    ...['users.findSignIn', 'users.findOidcUser', 'sign-in-links.createSignInLink', 'sign-in-links.takeSignInLink'],
    'sign-in-tries.countSignInTry',
  ],
  'set-up at start': [
    ...['ensureInstallation', 'ensureSample', 'ensureBootstrapKey', 'ensureCliKey'].map(
      (name) => `installation.${name}`,
    ),
    ...['builtin-agents.ensureBuiltins', 'workspaces.workspacesAfter'],
    ...['agents.ensureBuiltinAgent', 'api-keys.ensureApiKey', 'api-keys.dropApiKey', 'notebooks.ensureNotebook'],
    ...['organizations.ensureOrganization', 'users.ensureUser', 'users.setEmail', 'workspaces.ensureWorkspace'],
  ],
  'the log and upkeep of a run that was found for its caller, or that a worker was given': [
    ...['event-log.RunLog', 'event-log.StaleAttempt', 'log-record.logCollection', 'log-record.toEntry'],
    ...[
      'entriesAfter',
      'isSealed',
      'entriesFromCursor',
      'entriesAroundStep',
      'entriesOfKinds',
      'nextCursorOf',
      'allEntries',
    ].map((name) => `log-reading.${name}`),
    ...['writeProposal', 'readProposal', 'readProposalFiles', 'dropProposals'].map((name) => `proposals.${name}`),
    ...[
      'writeCheckpoint',
      'markApplied',
      'dropUnappliedCheckpoint',
      'loadCheckpoint',
      'checkpointFiles',
      'checkpointFile',
      'bufferOf',
      'moveRollback',
      'dropLaterChanges',
      'appliedChanges',
      'checkpointIdOf',
    ].map((name) => `checkpoints.${name}`),
    ...['editSessionsAfter', 'newerEditSessions', 'jobsInSession', 'dropEditSession'].map(
      (name) => `edit-retention.${name}`,
    ),
    ...['keepText', 'readText', 'dropText'].map((name) => `kept-text.${name}`),
    'notebook-upkeep.folderNotebooks',
    'notebook-upkeep.notebooksThere',
    'checkout-leases.notebooksKnown',
    ...['audit.addAuditLines', 'audited-runs.auditedRuns', 'audited-runs.argumentsBefore'],
    ...['claimPosition', 'keepPosition', 'leavePosition', 'auditedUpTo'].map((name) => `audit-position.${name}`),
    ...['task-record.TaskModel', 'task-record.toTask', 'task-record.runsOf'],
    ...['tasksToCheck', 'settleTasks', 'endTask'].map((name) => `task-upkeep.${name}`),
    ...['LogTail', 'HistoryLost', 'appendsSince'].map((name) => `log-tail.${name}`),
    ...[
      'insertChildRun',
      'loadRun',
      'originalsOf',
      'markWake',
      'clearWake',
      'runsToWake',
      'runsToCheck',
      'runsUnderWay',
    ].map((name) => `run-upkeep.${name}`),
    ...[
      'blobs.writeBlob',
      'blobs.readBlob',
      'blobs.deleteBlob',
      'run-purge.rootsEndedBefore',
      'run-purge.purgeTree',
      'delivery-purge.purgeDeliveries',
      'session-upkeep.letSessionGo',
      'deltas.insertDelta',
      'deltas.textSoFar',
      'deltas.lastDelta',
      'outputs.insertOutput',
      'outputs.outputsSoFar',
      'outputs.dropOutputs',
      'evidence.keepEvidence',
      'evidence.outputOfCall',
      'evidence.dropEvidence',
    ],
    ...['sourceCollection', 'passageCollection', 'dropSource', 'sourcesLeftBehind'].map((name) => `knowledge.${name}`),
    'knowledge-search.searchForRun',
    'knowledge-vector-record.vectorCollection',
    ...[
      'claimUnembedded',
      'passagesToEmbed',
      'keepVectors',
      'endEmbedding',
      'postponeEmbedding',
      'embeddingHolders',
      'freeHeldBy',
      'nearestPassages',
      'isPartlyEmbedded',
    ].map((name) => `knowledge-vectors.${name}`),
    ...['openQuery', 'loadQuery', 'keepQueryVector'].map((name) => `knowledge-queries.${name}`),
    'github-integration.loadGithubAccess',
    ...['rationaleCollection', 'loadRationale', 'keepRationale', 'rationaleTexts'].map((name) => `rationales.${name}`),
    ...[
      'ledger.openAccount',
      'ledger.closeAccounts',
      'ledger.reserve',
      'ledger.settle',
      'ledger.loadLedger',
      'request-slots.takeSlot',
    ],
    ...['toMcpServer', 'loadMcpServer', 'activeMcpServers', 'keepFindings', 'blankFindings', 'McpServerModel'].map(
      (name) => `mcp-server-record.${name}`,
    ),
    'mcp-tools.mcpToolsOf',
    ...['agent-upkeep.loadAgent', 'agent-upkeep.delegatesOf'],
    ...['agent-upkeep.loadAgent', 'agent-upkeep.delegatesOf', 'flow-targets.definitionFor'],
    ...['workflow-source.loadWorkflow', 'workflow-source.loadWorkflowNamed'],
    ...['agents.keepAgentVersion', 'definition-versions.keepVersion', 'definition-versions.versionsBelow'],
    ...['definition-record.keepDefinitionVersion', 'run-tools.runToolsOf'],
    ...['loadDefinition', 'loadDefinitionVersion', 'loadIntegration'].map((name) => `definition-upkeep.${name}`),
    ...['activeSchedulesOf', 'activeSchedulesOfAgent'].map((name) => `schedule-uses.${name}`),
    ...['credentialCollection', 'sealCredential', 'loadCredentials', 'renewCredentials'].map(
      (name) => `credential-upkeep.${name}`,
    ),
    ...[
      'leaseCollection',
      'rootOf',
      'leaseIdOf',
      'loadLease',
      'claimExecutor',
      'renewLease',
      'nextSeq',
      'releaseLease',
      'leasesInUse',
    ].map((name) => `checkout-leases.${name}`),
    ...['takeSetupTurn', 'endSetupTurn', 'setupDone', 'recordSetup'].map((name) => `setup-turns.${name}`),
    ...['keepSnapshot', 'loadSnapshot', 'packsOf', 'newestKept', 'keptBelow', 'dropSnapshots'].map(
      (name) => `checkout-snapshots.${name}`,
    ),
    ...[
      'executorCollection',
      'beatExecutor',
      'removeExecutor',
      'liveExecutors',
      'executorsOn',
      'checkoutsByExecutor',
      'countExecutors',
    ].map((name) => `executors.${name}`),
    ...['blobs.writeBytes', 'blobs.readBytes'],
    ...['system-user.systemCaller', 'triggered-runs.draftTriggered'],
    ...['loadSchedule', 'scheduleApplied', 'forgetSchedule', 'schedulesToCheck', 'noteFired'].map(
      (name) => `schedule-upkeep.${name}`,
    ),
    ...['recordDelivery', 'knownDelivery', 'deliveriesToStart', 'settlePart', 'addAttempt'].map(
      (name) => `event-deliveries.${name}`,
    ),
    ...['event-sources.loadSource', 'event-sources.loadHookSecret'],
    ...['event-subscriptions.subscriptionsOf', 'event-subscriptions.loadSubscription'],
    ...[
      'log-watch.watchLog',
      'notebook-upkeep.loadNotebook',
      'notebook-upkeep.notebookSetup',
      'notebook-upkeep.loadGitNotebook',
      'notebook-credentials.loadNotebookAccess',
      'notebook-upkeep.loadLeftNotebook',
      'notebook-upkeep.isUsedByOthers',
      'notebook-upkeep.dropNotebook',
      'run-projection.asTold',
      'run-projection.projectRun',
      'run-record.runCollection',
      'event-deliveries.deliveryCollection',
      'run-record.RunModel',
    ],
  ],
};

const modules = import.meta.glob<Record<string, unknown>>('../../store/*.ts', { eager: true });
const exported = Object.entries(modules).flatMap(([path, module]) =>
  Object.entries(module)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => `${path.replace(/^.*\/(.+)\.ts$/, '$1')}.${name}`),
);

async function everything(): Promise<string> {
  const found: unknown[] = [];
  for (const { name } of (await mongoose.connection.db?.listCollections().toArray()) ?? []) {
    const mine = { $or: [{ org_id: home.org }, { _id: { $in: Object.values(home) as never[] } }] };
    found.push([name, await mongoose.connection.collection(name).find(mine).sort({ _id: 1 }).toArray()]);
  }
  return JSON.stringify(found.sort());
}

/** Of all that is stored, by the store itself: one question in place of one for each collection. */
const fingerprint = async (): Promise<unknown> => (await mongoose.connection.db?.command({ dbHash: 1 }))?.md5;
/** As everything was before the first stranger came, and must be after the last. */
let whole = '';

beforeAll(async () => {
  await ownStore();
  await organizations.ensureOrganization(home.org, 'Home');
  await organizations.ensureOrganization(foreign.org_id, 'Elsewhere');
  await workspaces.createWorkspace(owner, { id: home.workspace, name: 'Home' });
  await memberships.addMember(owner, home.workspace, {
    id: home.user,
    email: home.email,
    name: 'Member',
    role: 'read',
  });
  await users.setPasswordHash({ ...owner, user_id: home.user }, 'a hash');
  await userSettings.keepSettings(
    { ...owner, user_id: home.user },
    { enabled_tools: ['secret_tool'], enabled_agents: [home.agent] },
  );
  await notebooks.createNotebook(owner, newNotebook(home.notebook));
  await notebooks.createNotebook(owner, {
    ...{ id: home.repository, workspace_id: home.workspace, name: 'Repository' },
    ...{ kind: 'git', path: null, url: 'https://secret.example/x.git', default_branch: null },
  });
  await notebookCredentials.setNotebookCredential(owner, [SECRET_KEY], {
    ...{ notebook_id: home.repository, key: 'token', value: 'secret token' },
  });
  agent = await agents.createAgent(owner, newAgent(home.agent));
  await credentials.setCredential(owner, [SECRET_KEY], { agent_id: home.agent, key: 'api_key', value: 'secret value' });
  await definitions.createDefinition(owner, 'tool', newTool(home.tool));
  await definitions.createDefinition(owner, 'workflow', {
    ...newTool(home.workflow),
    name: 'Secret workflow',
    content: workflowPlanSchema.parse({ steps: [{ id: 'w', type: 'wait', duration: 1 }] }),
  });
  await definitions.createDefinition(owner, 'integration', newIntegration(home.integration));
  await integrationCredentials.setIntegrationCredential(owner, [SECRET_KEY], {
    integration_id: home.integration,
    key: 'token',
    value: 'secret value',
  });
  await github.setGithubIntegration(owner, [SECRET_KEY], {
    workspace_id: home.workspace,
    enabled: true,
    api_url: 'https://api.github.com',
    token: 'secret value',
  });
  await mcpServers.createMcpServer(owner, newMcpServer(home.mcp));
  await schedules.createSchedule(owner, newSchedule(home.schedule));
  await eventSources.createSource(owner, [SECRET_KEY], newHook(home.hook));
  await subscriptions.createSubscription(owner, newSubscription(home.subscription));
  await deliveries.recordDelivery(newDelivery());
  await apiKeys.createApiKey(owner, { id: home.key, name: 'Home key', expires_at: null });
  await knowledge.addSource(owner, newSource(home.source));
  run = await runs.insertRun(owner, {
    ...newRun(home.run, agent),
    session: { id: home.session, context_rows: [] },
  });
  const begun = await sessions.insertSession(owner, newSession(home.session));
  session = (await sessions.claimNextRun(owner, begun, opening(home.run, null))) ?? begun;
  await tasks.createTask(owner, newTask(home.task));
  await checkpoints.writeCheckpoint(newCheckpoint, []);
  await checkpoints.markApplied(home.checkpoint);
  checkpoint = await checkpoints.findCheckpoint(owner, home.checkpoint);
  const line = auditLine({ workspace_id: home.workspace, user_id: home.user, input: 'secret input' });
  await audit.addAuditLines([{ org_id: home.org, caller_user_id: owner.user_id, line }]);
  run = await runs.insertRun(owner, newRun(home.run, agent));
  const above = { run_id: home.run, relation: 'delegation', step: null } as const;
  await insertChildRun(run, { ...newRun(home.child, agent), parent: above, line: [home.run, home.child] });
  await idempotency.admitRequest(owner, request);
  await idempotency.keepReply(owner, request, { status: 200, body: 'ours' });
  whole = await everything();
});
afterAll(disconnectStore);

async function demandNothing(act: () => unknown): Promise<void> {
  const before = await fingerprint();
  const found: unknown = await Promise.resolve()
    .then(act)
    .catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      expect(['not_found', 'forbidden', 'conflict', 'invalid_request']).toContain(error.code);
    });
  const told = JSON.stringify(found) ?? '';
  for (const secret of [home.org, home.workspace, home.user, home.email, 'secret', 'a hash', 'Home', 'ours']) {
    expect(told).not.toContain(secret);
  }
  // A stranger may keep things of their own; ours are looked at wherever anything has changed.
  expect(before).toBeTypeOf('string');
  if ((await fingerprint()) !== before) expect(await everything()).toBe(whole);
}

describe('the owner of another organization finds and changes nothing through', () => {
  it.each(Object.entries({ ...CASES, ...ORGANIZATION_CASES }))('%s', (_name, act) => demandNothing(() => act(foreign)));
});

describe('a user of the same organization who is no member finds and changes nothing through', () => {
  it.each(Object.entries(CASES))('%s', (_name, act) => demandNothing(() => act(outsider)));
});

it('nothing was changed by all of them together', async () => {
  expect(await everything()).toBe(whole);
});

it('every function of the store has a case here, or a reason why it needs none', () => {
  const known = new Set([...Object.keys(CASES), ...Object.keys(ORGANIZATION_CASES), ...Object.values(TRUSTED).flat()]);
  expect(exported.filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !exported.includes(name))).toEqual([]);
});
