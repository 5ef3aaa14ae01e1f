import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Agent, createAgentBody } from '../../domain/agent.ts';
import { isFailure } from '../../domain/failures.ts';
import type { Caller } from '../../domain/identity.ts';
import * as agentChanges from '../../store/agent-changes.ts';
import * as agentReferences from '../../store/agent-references.ts';
import * as agents from '../../store/agents.ts';
import * as apiKeys from '../../store/api-keys.ts';
import * as audit from '../../store/audit.ts';
import * as auditPlaces from '../../store/audit-places.ts';
import { connectStore, disconnectStore, ensureIndexes } from '../../store/connection.ts';
import * as credentials from '../../store/credentials.ts';
import * as idempotency from '../../store/idempotency.ts';
import { newId } from '../../store/ids.ts';
import * as knowledge from '../../store/knowledge.ts';
import * as knowledgeSearch from '../../store/knowledge-search.ts';
import * as memberships from '../../store/memberships.ts';
import * as notebooks from '../../store/notebooks.ts';
import * as organizations from '../../store/organizations.ts';
import * as quotes from '../../store/quotes.ts';
import * as runList from '../../store/run-list.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { insertChildRun } from '../../store/run-upkeep.ts';
import * as runs from '../../store/runs.ts';
import * as sessionLogs from '../../store/session-logs.ts';
import * as sessionView from '../../store/session-view.ts';
import * as sessions from '../../store/sessions.ts';
import * as tasks from '../../store/tasks.ts';
import * as users from '../../store/users.ts';
import * as workspaces from '../../store/workspaces.ts';
import { auditLine } from '../audit-line.ts';
import { draft } from '../recorded-run.ts';

/**
 * Every function of the store that acts for somebody is called by two strangers: the owner of another organization,
 * and a user of the same organization who is a member of nothing. Neither may find or change anything.
 */
const home = {
  org: newId('org'),
  workspace: newId('ws'),
  notebook: newId('nb'),
  agent: newId('agt'),
  key: newId('key'),
  user: newId('usr'),
  email: `${newId('x')}@home.example`,
  run: newId('run'),
  child: newId('run'),
  source: newId('kn'),
  session: newId('ses'),
  task: newId('tsk'),
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
const newTask = (id: string) => ({
  id,
  workspace_id: home.workspace,
  title: 'secret task',
  description: '',
  notebook_id: null,
  assigned_to: null,
});
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
  'agent-references.demandReferences': (stranger) =>
    agentReferences.demandReferences(stranger, home.workspace, {
      scope: { notebooks: [home.notebook] },
      grants: null,
      knowledge_sources: [home.source],
      delegated_agents: [{ agent_id: home.agent }],
    }),
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
  'audit.listAudit': (stranger) => audit.listAudit(stranger, {}, page),
  'audit.everyAuditLine': (stranger) => audit.everyAuditLine(stranger, {}).next(),
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
    knowledgeSearch.searchKnowledge(stranger, { query: 'secret', limit: 10 }),
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
  'notebooks.renameNotebook': (stranger) => notebooks.renameNotebook(stranger, home.notebook, 'Mine now'),
  'notebooks.removeNotebook': (stranger) => notebooks.removeNotebook(stranger, home.notebook),
  'notebooks.listNotebooks': (stranger) => notebooks.listNotebooks(stranger, undefined, page),
  'quotes.pastRuns': (stranger) => quotes.pastRuns(stranger, { llm_model: 'gpt-4o' }),
  'run-list.listRuns': (stranger) => runList.listRuns(stranger, {}, { limit: 100, sort: 'newest' }),
  'runs.currentRun': (stranger) => runs.currentRun(stranger, home.run),
  'runs.findRun': (stranger) => runs.findRun(stranger, home.run),
  'runs.insertRun': (stranger) => runs.insertRun(stranger, newRun(home.run, agent)),
  'runs.openRunsBelow': (stranger) => runs.openRunsBelow(stranger, home.run),
  'runs.treeOf': (stranger) => runs.treeOf(stranger, run),
  'runs.waitingRuns': (stranger) => runs.waitingRuns(stranger),
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
  'organizations.ownOrganization': (stranger) => organizations.ownOrganization(stranger),
  'users.findUser': (stranger) => users.findUser(stranger, home.user),
  'users.usersById': async (stranger) => [...(await users.usersById(stranger, [home.user])).values()],
  'users.inviteUser': (stranger) => users.inviteUser(stranger, { id: newId('usr'), email: home.email, name: 'X' }),
  'users.passwordHashOf': (stranger) => users.passwordHashOf({ ...stranger, user_id: home.user }),
  'users.setPasswordHash': (stranger) => users.setPasswordHash({ ...stranger, user_id: home.user }, 'theirs'),
};

/** Functions that act for nobody in particular, and why they may. */
const TRUSTED: Record<string, string[]> = {
  'the connection, and pure functions': [
    ...['connectStore', 'disconnectStore', 'ensureIndexes', 'nativeCollection', 'storeIsReachable'].map(
      (name) => `connection.${name}`,
    ),
    ...['isDuplicate', 'isUnreachable', 'outlast'].map((name) => `connection.${name}`),
    ...['deriveKey', 'keyIdOf', 'newSecret', 'hashToken', 'seal', 'unseal'].map((name) => `secrets.${name}`),
    ...['visibleWorkspaces', 'boundedBy', 'missing', 'demandRole', 'demandOwner'].map((name) => `tenancy.${name}`),
    ...[
      'ids.newId',
      'agents.slugTaken',
      'agent-references.wantedBy',
      ...['AgentModel', 'agentCollection', 'toAgent', 'withinReach', 'visibleTo'].map((name) => `agent-record.${name}`),
      'pages.readPage',
      'pages.readCursor',
      'pages.writeCursor',
      'insert-once.insertOnce',
      'api-keys.tokenOf',
      'run-record.toRun',
      'run-record.completeRecord',
      'new-run.recordOf',
      'new-run.budgetOf',
      'deltas.toDelta',
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
    ...['agents.ensureBuiltinAgent', 'api-keys.ensureApiKey', 'api-keys.dropApiKey', 'notebooks.ensureNotebook'],
    ...['organizations.ensureOrganization', 'users.ensureUser', 'users.setEmail', 'workspaces.ensureWorkspace'],
  ],
  'the log and upkeep of a run that was found for its caller, or that a worker was given': [
    ...[
      'RunLog',
      'StaleAttempt',
      'toEntry',
      'entriesAfter',
      'entriesFromCursor',
      'entriesAroundStep',
      'entriesOfKinds',
      'nextCursorOf',
      'allEntries',
    ].map((name) => `event-log.${name}`),
    ...['audit.addAuditLines', 'audited-runs.auditedRuns', 'audited-runs.argumentsBefore'],
    ...['claimPosition', 'keepPosition', 'leavePosition', 'auditedUpTo'].map((name) => `audit-position.${name}`),
    ...['task-record.TaskModel', 'task-record.toTask', 'task-record.runsOf'],
    ...['tasksToCheck', 'settleTasks', 'endTask'].map((name) => `task-upkeep.${name}`),
    ...['LogTail', 'HistoryLost', 'appendsSince'].map((name) => `log-tail.${name}`),
    ...['insertChildRun', 'loadRun', 'markWake', 'clearWake', 'runsToWake', 'runsToCheck', 'runsUnderWay'].map(
      (name) => `run-upkeep.${name}`,
    ),
    ...[
      'blobs.writeBlob',
      'blobs.readBlob',
      'blobs.deleteBlob',
      'run-purge.rootsEndedBefore',
      'run-purge.purgeTree',
      'session-upkeep.letSessionGo',
      'deltas.insertDelta',
      'deltas.textSoFar',
      'deltas.lastDelta',
    ],
    ...['sourceCollection', 'passageCollection', 'dropSource', 'sourcesLeftBehind'].map((name) => `knowledge.${name}`),
    'knowledge-search.searchForRun',
    ...['rationaleCollection', 'loadRationale', 'keepRationale', 'rationaleTexts'].map((name) => `rationales.${name}`),
    ...['ledger.openAccount', 'ledger.reserve', 'ledger.settle', 'ledger.loadLedger', 'request-slots.takeSlot'],
    ...['agent-upkeep.loadAgent', 'agent-upkeep.delegatesOf'],
    ...['agents.keepAgentVersion', 'definition-versions.keepVersion'],
    ...['credentialCollection', 'sealCredential', 'loadCredentials', 'renewCredentials'].map(
      (name) => `credential-upkeep.${name}`,
    ),
    ...[
      'log-watch.watchLog',
      'notebook-upkeep.loadNotebook',
      'notebook-upkeep.loadLeftNotebook',
      'notebook-upkeep.isUsedByOthers',
      'notebook-upkeep.dropNotebook',
      'run-projection.projectRun',
      'run-record.runCollection',
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

beforeAll(async () => {
  await connectStore(inject('MONGODB_URI'), { dbName: `strangers_${randomBytes(6).toString('hex')}` });
  await ensureIndexes();
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
  await notebooks.createNotebook(owner, newNotebook(home.notebook));
  agent = await agents.createAgent(owner, newAgent(home.agent));
  await credentials.setCredential(owner, [SECRET_KEY], { agent_id: home.agent, key: 'api_key', value: 'secret value' });
  await apiKeys.createApiKey(owner, { id: home.key, name: 'Home key', expires_at: null });
  await knowledge.addSource(owner, newSource(home.source));
  run = await runs.insertRun(owner, {
    ...newRun(home.run, agent),
    session: { id: home.session, context_rows: [] },
  });
  const begun = await sessions.insertSession(owner, newSession(home.session));
  session = (await sessions.claimNextRun(owner, begun, opening(home.run, null))) ?? begun;
  await tasks.createTask(owner, newTask(home.task));
  const line = auditLine({ workspace_id: home.workspace, user_id: home.user, input: 'secret input' });
  await audit.addAuditLines([{ org_id: home.org, caller_user_id: owner.user_id, line }]);
  run = await runs.insertRun(owner, newRun(home.run, agent));
  const above = { run_id: home.run, relation: 'delegation', step: null } as const;
  await insertChildRun(run, { ...newRun(home.child, agent), parent: above, line: [home.run, home.child] });
  await idempotency.admitRequest(owner, request);
  await idempotency.keepReply(owner, request, { status: 200, body: 'ours' });
});
afterAll(disconnectStore);

async function demandNothing(act: () => unknown): Promise<void> {
  const before = await everything();
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
  expect(await everything()).toBe(before);
}

describe('the owner of another organization finds and changes nothing through', () => {
  it.each(Object.entries({ ...CASES, ...ORGANIZATION_CASES }))('%s', (_name, act) => demandNothing(() => act(foreign)));
});

describe('a user of the same organization who is no member finds and changes nothing through', () => {
  it.each(Object.entries(CASES))('%s', (_name, act) => demandNothing(() => act(outsider)));
});

it('every function of the store has a case here, or a reason why it needs none', () => {
  const known = new Set([...Object.keys(CASES), ...Object.keys(ORGANIZATION_CASES), ...Object.values(TRUSTED).flat()]);
  expect(exported.filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !exported.includes(name))).toEqual([]);
});
