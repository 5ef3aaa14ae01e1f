import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useNavigate } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import type { Notebook } from '../../../domain/workspace.ts';
import { api } from '../../api.ts';

export interface Draft {
  agent_id?: string;
  notebook_id?: string;
  input?: string;
}

/** Opens the dialog that starts a run, from anywhere in the frame. */
export const ComposerContext = createContext<(draft?: Draft) => void>(() => undefined);
export const useComposer = () => useContext(ComposerContext);

/** Starts a run. Sent twice it is still one run: the key is made when the dialog opens and changes with the form. */
export function useStartRun() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ key, ...run }: { agent_id: string; notebook_id?: string | undefined; input: string; key: string }) =>
      api.startRun(run, key),
    onSuccess: ({ id }) => {
      client.invalidateQueries({ queryKey: ['latest-runs'] });
      navigate(`/runs/${encodeURIComponent(id)}`);
    },
  });
}

/** The notebook an agent works in, unless the person says otherwise: the first it may touch. */
export const notebookFor = (
  agent: Pick<Agent, 'scope'> | undefined,
  notebooks: readonly Notebook[],
): Notebook | undefined => {
  const { notebooks: allowed = [] } = agent?.scope ?? {};
  return notebooks.find(({ id }) => allowed.includes('*') || allowed.includes(id));
};
