import type { z } from 'zod';
import { agentSchema, changeAgentBody } from '../domain/agent.ts';
import { templateSchema } from '../domain/agent-templates.ts';
import { auditLineSchema } from '../domain/audit.ts';
import { versionDiffSchema, versionListSchema, versionSchema } from '../domain/definition-diff.ts';
import { workflowSchema } from '../domain/definition-kinds.ts';
import { proposedEditSchema } from '../domain/edits/edit.ts';
import * as edits from '../domain/edits/wire.ts';
import { evaluatorSchema } from '../domain/evaluator-definition.ts';
import * as file from '../domain/file.ts';
import * as identity from '../domain/identity.ts';
import { integrationSchema } from '../domain/integration.ts';
import * as knowledge from '../domain/knowledge.ts';
import * as pending from '../domain/pending.ts';
import { probeSchema } from '../domain/probe.ts';
import { quoteSchema } from '../domain/quote.ts';
import * as rationale from '../domain/rationale.ts';
import * as run from '../domain/run.ts';
import * as runEvents from '../domain/run-events.ts';
import * as runRequests from '../domain/run-requests.ts';
import * as session from '../domain/session.ts';
import { taskSchema, taskStatusSchema } from '../domain/task.ts';
import { toolSchema } from '../domain/tool-definition.ts';
import { stepSchema } from '../domain/workflow-definition.ts';
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

/** Shapes inside bodies that hold themselves, and so must have a name to be referred to. */
export const INNER_BODY_NAMES: ReadonlyMap<z.ZodType, string> = new Map([[stepSchema, 'NewWorkflowStep']]);

/** Under which names shared schemas stand in the OpenAPI document; others are named after their operation. */
export const SCHEMA_NAMES: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [errorSchema, 'Error'],
  [toolSchema, 'Tool'],
  [workflowSchema, 'Workflow'],
  [stepSchema, 'WorkflowStep'],
  [evaluatorSchema, 'Evaluator'],
  [integrationSchema, 'Integration'],
  [versionListSchema, 'VersionList'],
  [versionSchema, 'DefinitionVersion'],
  [versionDiffSchema, 'VersionDiff'],
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
  [runRequests.startRunBody, 'NewRun'],
  [run.startedRunSchema, 'StartedRun'],
  [pending.pendingActionSchema, 'PendingAction'],
  [pending.pendingQuestionSchema, 'PendingQuestion'],
  [runEvents.stepSchema, 'Step'],
  [quoteSchema, 'Quote'],
  [rationale.rationaleSchema, 'Rationale'],
  [runEvents.eventSchema, 'RunEvent'],
  [runEvents.eventPageSchema, 'EventPage'],
  [runRequests.confirmBody, 'Confirmation'],
  [runRequests.reviseBody, 'Revision'],
  [runRequests.answerBody, 'Answer'],
  [runRequests.messageBody, 'Message'],
  [pending.inboxItemSchema, 'InboxItem'],
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
  [pending.pendingReviewSchema, 'PendingReview'],
  [edits.reviewSummarySchema, 'ReviewSummary'],
  [edits.editContextRowSchema, 'EditContextRow'],
  [edits.newEditSessionBody, 'NewEditSession'],
  [edits.changeEditSessionBody, 'EditSessionChange'],
  [edits.createdEditSessionSchema, 'CreatedEditSession'],
  [edits.editSessionSchema, 'EditSession'],
  [edits.editSessionSummarySchema, 'EditSessionSummary'],
  [edits.startJobBody, 'NewJob'],
  [edits.startedJobSchema, 'StartedJob'],
  [edits.jobSchema, 'Job'],
  [edits.jobSummarySchema, 'JobSummary'],
  [edits.jobEventsSchema, 'JobEvents'],
  [proposedEditSchema, 'ProposedEdit'],
  [edits.diffBundleSchema, 'DiffBundle'],
  [edits.hunkSchema, 'Hunk'],
  [edits.reviewFileSchema, 'ReviewFile'],
  [edits.conflictFileSchema, 'ConflictFile'],
  [edits.clarifyBody, 'Clarification'],
  [edits.reviewBody, 'ReviewDecision'],
  [edits.changesBody, 'ManualChange'],
  [edits.rerunBody, 'Rerun'],
  [edits.applyBody, 'Apply'],
  [edits.appliedSchema, 'Applied'],
  [edits.checkpointSchema, 'Checkpoint'],
  [edits.checkpointSummarySchema, 'CheckpointSummary'],
  [edits.diff3Schema, 'Diff3'],
  [edits.rollbackBody, 'Rollback'],
  [edits.rollbackReplySchema, 'RolledBack'],
  [edits.saveBody, 'SaveRollback'],
  [edits.savedSchema, 'SavedRollback'],
]);
