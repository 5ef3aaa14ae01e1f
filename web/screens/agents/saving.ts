import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Agent } from '../../../domain/agent.ts';
import { type AgentDraft, changesOf, draftOf, fieldErrors, hasChanges } from '../../agent-draft.ts';
import { agentsApi } from '../../agents-api.ts';
import { toast } from '../../components/Toasts.tsx';
import { ApiError, newKey } from '../../http.ts';

/** A draft beside what it was before. */
export function useDraft(initial: AgentDraft) {
  const [base, setBase] = useState(initial);
  const [draft, setDraft] = useState(initial);
  return {
    base,
    draft,
    isChanged: hasChanges(base, draft),
    change: (part: Partial<AgentDraft>): void => setDraft((before) => ({ ...before, ...part })),
    restart: (from: AgentDraft): void => {
      setBase(from);
      setDraft(from);
    },
  };
}
export type Drafting = ReturnType<typeof useDraft>;

/** What the server said of single fields when it refused. */
export const errorsOf = (error: Error | null): Record<string, string> =>
  error instanceof ApiError ? fieldErrors(error.details) : {};

export const isConflict = (error: Error | null): boolean =>
  error instanceof ApiError && (error.status === 412 || error.code === 'version_conflict');

/** Saves what was changed, unless somebody else has saved meanwhile. */
export function useSave(agent: Agent, drafting: Drafting) {
  const client = useQueryClient();
  const [version, setVersion] = useState(agent.version);
  const { base, draft, isChanged, restart } = drafting;

  const take = (saved: Agent): void => {
    setVersion(saved.version);
    restart(draftOf(saved));
    client.setQueryData(['agent', saved.id], saved);
  };
  // Read again in the background: who has changed nothing here sees it at once, everybody else when they save.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read again counts, not what is typed meanwhile
  useEffect(() => {
    if (agent.version > version && !isChanged) take(agent);
  }, [agent]);

  const save = useMutation({
    mutationFn: (mode: 'checked' | 'over') =>
      agentsApi.change(agent.id, changesOf(base, draft), mode === 'checked' ? version : undefined),
    onSuccess: (saved) => {
      take(saved);
      toast(`Saved as version ${saved.version}`);
      client.invalidateQueries({ queryKey: ['agents'] });
    },
  });
  const reload = useMutation({
    mutationFn: () => agentsApi.agent(agent.id),
    onSuccess: (theirs) => {
      save.reset();
      take(theirs);
    },
  });
  return { version, save, reload };
}

/** Makes an agent; sent twice it is still one. */
export function useCreate(workspaceId: string, drafting: Drafting, onMade: (agent: Agent) => void) {
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  const { draft } = drafting;
  return useMutation({
    mutationFn: (blank: AgentDraft) => {
      const { name, model } = draft;
      return agentsApi.create(workspaceId, { ...changesOf(blank, draft), name, model }, key);
    },
    onSuccess: (made) => {
      client.setQueryData(['agent', made.id], made);
      client.invalidateQueries({ queryKey: ['agents'] });
      onMade(made);
    },
    // What was refused is changed and sent anew, which is another request.
    onError: () => setKey(newKey()),
  });
}
