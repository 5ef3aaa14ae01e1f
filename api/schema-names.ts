import type { z } from 'zod';
import { agentSchema, changeAgentBody } from '../domain/agent.ts';
import { templateSchema } from '../domain/agent-templates.ts';
import { auditLineSchema } from '../domain/audit.ts';
import * as file from '../domain/file.ts';
import * as identity from '../domain/identity.ts';
import * as knowledge from '../domain/knowledge.ts';
import { probeSchema } from '../domain/probe.ts';
import { quoteSchema } from '../domain/quote.ts';
import * as rationale from '../domain/rationale.ts';
import * as run from '../domain/run.ts';
import * as session from '../domain/session.ts';
import { taskSchema, taskStatusSchema } from '../domain/task.ts';
import {
  createWorkspaceBody,
  notebookRootsSchema,
  notebookSchema,
  renameBody,
  workspaceSchema,
} from '../domain/workspace.ts';
import { errorSchema } from './error-response.ts';
import { importAgentBody } from './routes/agent-files.ts';
import { newAgentBody } from './routes/agents.ts';
import { newKnowledgeBody } from './routes/knowledge.ts';
import { newNotebookBody } from './routes/notebooks.ts';
import { newProbeBody } from './routes/probes.ts';
import { changedTaskBody, newTaskBody } from './routes/tasks.ts';

/** Under which names shared schemas stand in the OpenAPI document; others are named after their operation. */
export const SCHEMA_NAMES: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [errorSchema, 'Error'],
  [identity.userSchema, 'User'],
  [identity.roleSchema, 'Role'],
  [identity.meSchema, 'Me'],
  [identity.signInBody, 'SignIn'],
  [identity.signInLinkBody, 'SignInLink'],
  [identity.signedInSchema, 'SignedIn'],
  [identity.passwordBody, 'NewPassword'],
  [identity.apiKeySchema, 'ApiKey'],
  [identity.createApiKeyBody, 'NewApiKey'],
  [identity.createdApiKeySchema, 'CreatedApiKey'],
  [identity.memberSchema, 'Member'],
  [identity.addMemberBody, 'NewMember'],
  [identity.memberRoleBody, 'MemberRole'],
  [identity.addedMemberSchema, 'AddedMember'],
  [workspaceSchema, 'Workspace'],
  [createWorkspaceBody, 'NewWorkspace'],
  [notebookSchema, 'Notebook'],
  [newNotebookBody, 'NewNotebook'],
  [notebookRootsSchema, 'NotebookRoots'],
  [renameBody, 'NewName'],
  [file.fileEntrySchema, 'FileEntry'],
  [file.fileContentSchema, 'FileContent'],
  [file.writeFileBody, 'NewFileContent'],
  [file.writtenFileSchema, 'WrittenFile'],
  [file.fileHitSchema, 'FileHit'],
  [knowledge.knowledgeSourceSchema, 'KnowledgeSource'],
  [newKnowledgeBody, 'NewKnowledge'],
  [knowledge.knowledgeHitSchema, 'KnowledgeHit'],
  [knowledge.knowledgeTextSchema, 'KnowledgeText'],
  [agentSchema, 'Agent'],
  [newAgentBody, 'NewAgent'],
  [changeAgentBody, 'ChangedAgent'],
  [importAgentBody, 'ImportedAgent'],
  [templateSchema, 'AgentTemplate'],
  [newProbeBody, 'NewProbe'],
  [probeSchema, 'Probe'],
  [run.runSchema, 'Run'],
  [run.runStatusSchema, 'RunStatus'],
  [run.runErrorSchema, 'RunError'],
  [run.startRunBody, 'NewRun'],
  [run.startedRunSchema, 'StartedRun'],
  [run.pendingActionSchema, 'PendingAction'],
  [run.pendingQuestionSchema, 'PendingQuestion'],
  [run.stepSchema, 'Step'],
  [quoteSchema, 'Quote'],
  [rationale.rationaleSchema, 'Rationale'],
  [run.eventSchema, 'RunEvent'],
  [run.eventPageSchema, 'EventPage'],
  [run.confirmBody, 'Confirmation'],
  [run.answerBody, 'Answer'],
  [run.messageBody, 'Message'],
  [run.inboxItemSchema, 'InboxItem'],
  [taskSchema, 'Task'],
  [taskStatusSchema, 'TaskStatus'],
  [newTaskBody, 'NewTask'],
  [changedTaskBody, 'ChangedTask'],
  [auditLineSchema, 'AuditLine'],
  [session.sessionSchema, 'Session'],
  [session.sessionSummarySchema, 'SessionSummary'],
  [session.contextRowSchema, 'ContextRow'],
  [session.createSessionBody, 'NewSession'],
  [session.changeSessionBody, 'SessionChange'],
  [session.sessionMessageBody, 'SessionMessage'],
  [session.actionLogSchema, 'ActionLog'],
]);
