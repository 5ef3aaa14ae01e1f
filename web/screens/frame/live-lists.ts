import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect } from 'react';
import { LiveContext } from '../../live-hooks.ts';
import { useMe } from '../../queries.ts';

const TOGETHER_MS = 150;

/** What is being read for the first time may have been read too early as well: it is asked for anew, not awaited. */
async function readAllAgain(client: QueryClient): Promise<void> {
  await client.cancelQueries({ predicate: ({ state }) => state.data === undefined }, { silent: true });
  await client.invalidateQueries();
}

/** Keeps what lists and counts show true: reads them again when a run of any of the person's workspaces changes. */
export function useLiveLists(): void {
  const live = useContext(LiveContext);
  const client = useQueryClient();
  const { data: me } = useMe();
  const workspaces = me?.workspaces.map(({ id }) => id).join(' ') ?? '';

  useEffect(() => {
    if (!live || workspaces === '') return;
    const stops = workspaces.split(' ').map((id) => live.watchWorkspace(id));
    return () => {
      for (const stop of stops) stop();
    };
  }, [live, workspaces]);

  useEffect(() => {
    if (!live) return;
    let timer = 0;
    const stop = live.onRunChanged((change) => {
      if (change === null) {
        void readAllAgain(client);
        return;
      }
      client.invalidateQueries({ queryKey: ['run', change.run_id] });
      if (timer !== 0) return;
      timer = window.setTimeout(() => {
        timer = 0;
        client.invalidateQueries({ queryKey: ['inbox'] });
        client.invalidateQueries({ queryKey: ['latest-runs'] });
        client.invalidateQueries({ queryKey: ['sessions'] });
        client.invalidateQueries({ queryKey: ['session'] });
        client.invalidateQueries({ queryKey: ['tree'] });
        client.invalidateQueries({ queryKey: ['tasks'] });
      }, TOGETHER_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [live, client]);
}
