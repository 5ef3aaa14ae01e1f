import { createContext, useContext } from 'react';

export interface Draft {
  agent_id?: string;
  notebook_id?: string;
  input?: string;
}

/** Opens the dialog that starts a run, from anywhere in the frame. */
export const ComposerContext = createContext<(draft?: Draft) => void>(() => undefined);
export const useComposer = () => useContext(ComposerContext);
