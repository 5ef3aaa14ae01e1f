import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Told } from '../../dispatching.ts';
import { useSessionTaken } from '../../session-queries.ts';
import { type NewSession, sessionsApi } from '../../sessions-api.ts';

interface Begun extends NewSession {
  content: string;
  key: string;
  /** Why it is this agent, where that was decided for whoever asks. */
  dispatched?: Told;
}

/** Begins a conversation and says the first thing in it. Sent twice with one key it is still one conversation. */
export function useStartChat() {
  const navigate = useNavigate();
  const taken = useSessionTaken();
  return useMutation({
    mutationFn: async ({ content, key, dispatched: _, ...session }: Begun) => {
      const { id } = await sessionsApi.create(session, `${key}-session`);
      return sessionsApi.message(id, content, `${key}-message`);
    },
    onSuccess: async (session, { dispatched }) => {
      await taken(session);
      navigate(`/chat/${encodeURIComponent(session.id)}`, { state: dispatched ? { dispatched } : null });
    },
  });
}
