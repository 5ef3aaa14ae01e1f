import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useSessionTaken } from '../../session-queries.ts';
import { type NewSession, sessionsApi } from '../../sessions-api.ts';

/** Begins a conversation and says the first thing in it. Sent twice with one key it is still one conversation. */
export function useStartChat() {
  const navigate = useNavigate();
  const taken = useSessionTaken();
  return useMutation({
    mutationFn: async ({ content, key, ...session }: NewSession & { content: string; key: string }) => {
      const { id } = await sessionsApi.create(session, `${key}-session`);
      return sessionsApi.message(id, content, `${key}-message`);
    },
    onSuccess: async (session) => {
      await taken(session);
      navigate(`/chat/${encodeURIComponent(session.id)}`);
    },
  });
}
