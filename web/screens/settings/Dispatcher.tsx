import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserSettings } from '../../../domain/dispatch.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { dispatchApi } from '../../dispatch-api.ts';
import { dispatchable, isDispatcher } from '../../enabled-list.ts';
import { useMe } from '../../queries.ts';
import { EnabledList, type Switchable } from './EnabledList.tsx';
import { Section } from './Section.tsx';

const SETTINGS = ['dispatcher-settings'];

/** Whole lists are kept: one change after the other, or the slower one would undo the faster. */
function useSettings() {
  const client = useQueryClient();
  const settings = useQuery({ queryKey: SETTINGS, queryFn: dispatchApi.settings });
  // Shown until it is kept and read again: whatever is read meanwhile may be from before.
  const [wanted, setWanted] = useState<UserSettings | null>(null);
  const shown = wanted ?? settings.data;
  const keep = useMutation({
    mutationKey: SETTINGS,
    mutationFn: dispatchApi.keepSettings,
    scope: { id: 'dispatcher-settings' },
    onSettled: async () => {
      // After the last of several only: what is read between two would undo the second on the page.
      if (client.isMutating({ mutationKey: SETTINGS }) > 1) return;
      await client.invalidateQueries({ queryKey: SETTINGS });
      if (client.isMutating({ mutationKey: SETTINGS }) === 1) setWanted(null);
    },
  });
  const change = (part: Partial<UserSettings>): void => {
    if (!shown) return;
    const next = { ...shown, ...part };
    setWanted(next);
    keep.mutate(next);
  };
  return { settings, shown, keep, change };
}

export function Dispatcher() {
  const { settings, shown, keep, change } = useSettings();
  const { data: me } = useMe();
  const tools = useQuery({ queryKey: ['dispatcher-tools'], queryFn: dispatchApi.tools });
  const agents = useQuery({ queryKey: ['agents', 'everywhere'], queryFn: dispatchApi.agents });
  const error = settings.error ?? tools.error ?? agents.error;
  const placeOf = (id: string | null): string =>
    (me && me.workspaces.length > 1 && me.workspaces.find((each) => each.id === id)?.name) || '';
  const lines = {
    tools: dispatchable(tools.data ?? []).map(
      ({ name, description, is_builtin, workspace_id }): Switchable => ({
        ref: name,
        title: name,
        about: description,
        place: is_builtin ? '' : placeOf(workspace_id),
      }),
    ),
    agents: (agents.data ?? [])
      .filter((agent) => agent.is_active && !isDispatcher(agent))
      .map(
        ({ id, name, description, workspace_id }): Switchable => ({
          ref: id,
          title: name,
          about: description,
          place: placeOf(workspace_id),
        }),
      ),
  };
  const isReady = settings.data && tools.data && agents.data;
  const saved = keep.isPending ? 'Saving…' : keep.isSuccess ? 'Saved' : '';
  return (
    <Section
      anchor="dispatcher"
      title="Tools and agents the dispatcher may use"
      about="Where you let Longhaul choose, it chooses among these and nothing else. This is for you alone, and holds in all your workspaces."
    >
      {error && !isReady && <ErrorNote title="What the dispatcher may use could not be read" error={error} />}
      {!isReady && !error && <Skeleton className="h-24 w-full" />}
      {shown && isReady && (
        <>
          <EnabledList
            label="Agents"
            lines={lines.agents}
            enabled={shown.enabled_agents}
            onChange={(enabled_agents) => change({ enabled_agents })}
          />
          <EnabledList
            label="Tools"
            mono
            lines={lines.tools}
            enabled={shown.enabled_tools}
            onChange={(enabled_tools) => change({ enabled_tools })}
          />
          <p role="status" className="min-h-4 text-small text-faint">
            {saved}
          </p>
        </>
      )}
      {keep.error && <ErrorNote title="The settings were not saved" error={keep.error} />}
    </Section>
  );
}
