import type { z } from 'zod';
import { agentSchema } from '../domain/agent.ts';
import * as identity from '../domain/identity.ts';
import * as knowledge from '../domain/knowledge.ts';
import { quoteSchema } from '../domain/quote.ts';
import * as rationale from '../domain/rationale.ts';
import * as run from '../domain/run.ts';
import * as session from '../domain/session.ts';
import { createWorkspaceBody, notebookSchema, workspaceSchema } from '../domain/workspace.ts';
import { errorSchema } from './error-response.ts';
import { newAgentBody } from './routes/agents.ts';
import { newKnowledgeBody } from './routes/knowledge.ts';
import { newNotebookBody } from './routes/notebooks.ts';

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
  [identity.addedMemberSchema, 'AddedMember'],
  [workspaceSchema, 'Workspace'],
  [createWorkspaceBody, 'NewWorkspace'],
  [notebookSchema, 'Notebook'],
  [newNotebookBody, 'NewNotebook'],
  [knowledge.knowledgeSourceSchema, 'KnowledgeSource'],
  [newKnowledgeBody, 'NewKnowledge'],
  [knowledge.knowledgeHitSchema, 'KnowledgeHit'],
  [knowledge.knowledgeTextSchema, 'KnowledgeText'],
  [agentSchema, 'Agent'],
  [newAgentBody, 'NewAgent'],
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
  [session.sessionSchema, 'Session'],
  [session.sessionSummarySchema, 'SessionSummary'],
  [session.contextRowSchema, 'ContextRow'],
  [session.createSessionBody, 'NewSession'],
  [session.changeSessionBody, 'SessionChange'],
  [session.sessionMessageBody, 'SessionMessage'],
  [session.actionLogSchema, 'ActionLog'],
]);
