import { useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import type { Schedule } from '../../../domain/schedule.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useMe, useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { triggersApi } from '../../triggers-api.ts';
import { ScheduleDialog } from './ScheduleDialog.tsx';
import { ScheduleRow } from './ScheduleRow.tsx';

/** Schedules of others, and what comes of them. */
const LOOK_MS = 10_000;

interface Props {
  isMaking: boolean;
  onMake: (making: boolean) => void;
}

export function Schedules({ isMaking, onMake }: Props) {
  const workspace = useWorkspace();
  const { data: me } = useMe();
  const [edited, setEdited] = useState<Schedule | null>(null);
  const list = useQuery({
    queryKey: ['schedules', workspace?.id],
    queryFn: () => triggersApi.schedules(workspace?.id ?? ''),
    enabled: workspace !== undefined,
    refetchInterval: LOOK_MS,
  });
  const mayMake = workspace !== undefined && workspace.role !== 'read';
  const mayChange = ({ created_by }: Schedule) => isAdmin(workspace?.role) || (mayMake && created_by === me?.user.id);
  return (
    <section aria-label="Schedules" aria-busy={list.isPending}>
      {list.error && !list.data && <ErrorNote title="The schedules could not be read" error={list.error} />}
      {list.isPending && <Skeleton className="h-14 w-full" />}
      {list.data?.length === 0 && (
        <EmptyState
          icon={CalendarClock}
          title="No schedules yet"
          action={mayMake && <Button onClick={() => onMake(true)}>Make the first schedule</Button>}
        >
          A schedule runs an agent or a workflow at certain times, in a time zone of your choice. What it asks comes to
          the inbox of the workspace.
        </EmptyState>
      )}
      {list.data && list.data.length > 0 && (
        <ul aria-label="Schedules" className="divide-y divide-line overflow-hidden rounded-lg border border-line">
          {list.data.map((schedule) => (
            <ScheduleRow
              key={schedule.id}
              schedule={schedule}
              mayChange={mayChange(schedule)}
              onEdit={() => setEdited(schedule)}
            />
          ))}
        </ul>
      )}
      {isMaking && <ScheduleDialog schedule={null} onClose={() => onMake(false)} />}
      {edited && <ScheduleDialog schedule={edited} onClose={() => setEdited(null)} />}
    </section>
  );
}
