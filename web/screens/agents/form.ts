import { createContext, useContext } from 'react';
import { type AgentDraft, BLANK } from '../../agent-draft.ts';
import { type Marks, NO_MARKS } from '../../probe-words.ts';

/** The form as it stands, for all its sections. */
export interface FormState {
  draft: AgentDraft;
  change: (part: Partial<AgentDraft>) => void;
  /** What the server said of a field, or of anything in it. */
  errorOf: (name: string) => string | undefined;
  disabled: boolean;
  /** null for one that is not made yet. */
  agentId: string | null;
  /** The rules that decided what the probe was asked. */
  marks: Marks;
  setMarks: (marks: Marks) => void;
}

export const FormContext = createContext<FormState>({
  draft: BLANK,
  change: () => undefined,
  errorOf: () => undefined,
  disabled: true,
  agentId: null,
  marks: NO_MARKS,
  setMarks: () => undefined,
});
export const useForm = (): FormState => useContext(FormContext);

/** The sections, in their order; each has an anchor of its name. */
export const SECTIONS = [
  { id: 'identity', name: 'Identity' },
  { id: 'model', name: 'Model' },
  { id: 'instructions', name: 'Instructions' },
  { id: 'rights', name: 'Rights and scope' },
  { id: 'tools', name: 'Tools' },
  { id: 'confirmations', name: 'What it asks first' },
  { id: 'limits', name: 'Limits' },
  { id: 'delegation', name: 'Delegation' },
  { id: 'knowledge', name: 'Knowledge' },
  { id: 'mcp', name: 'MCP tools' },
  { id: 'credentials', name: 'Credentials' },
  { id: 'yaml', name: 'YAML' },
  { id: 'history', name: 'History' },
] as const;
export type SectionId = (typeof SECTIONS)[number]['id'];

/** Around what the probe has just named. */
export const MARKED = 'rounded-md outline-2 outline-offset-4 outline-waits';
