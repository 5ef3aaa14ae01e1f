import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CalendarClock, CirclePause, Pause, Pencil, Play, Rewind, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Schedule } from '../../../domain/schedule.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { Menu } from '../../components/Menu.tsx';
import { Ago, In } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { comingTimes, cronWords, inZone } from '../../cron-words.ts';
import { triggersApi } from '../../triggers-api.ts';
import { BackfillDialog } from './BackfillDialog.tsx';

interface Props {
  schedule: Schedule;
  mayChange: boolean;
  onEdit: () => void;
}

const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

export function ScheduleRow({ schedule, mayChange, onEdit }: Props) {
  const { id, name, is_active, next_run_time, last_run_id, last_run_time, last_error } = schedule;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asks, setAsks] = useState<'remove' | 'backfill' | null>(null);
  const again = () => client.invalidateQueries({ queryKey: ['schedules'] });
  const failed = (error: Error) => toast(error.message, 'failed');
  const pause = useMutation({
    mutationFn: () => triggersApi.pauseSchedule(id, is_active),
    onSuccess: () => toast(is_active ? `${name} is paused` : `${name} goes on`),
    onError: failed,
    onSettled: again,
  });
  const run = useMutation({
    mutationFn: () => triggersApi.runSchedule(id),
    onSuccess: ({ outcome, run_id, error }) => {
      const see = run_id ? { name: 'See run', run: () => void navigate(runPath(run_id)) } : null;
      if (outcome === 'started') toast(`${name} is running`, 'done', see);
      else if (outcome === 'requested') toast(`${name} will run as soon as it can`);
      else if (outcome === 'skipped') toast('Left out: the run before is still under way', 'failed');
      else toast(error?.message ?? 'Nothing could be started', 'failed');
    },
    onError: failed,
    onSettled: again,
  });
  const remove = useMutation({
    mutationFn: () => triggersApi.removeSchedule(id),
    onSuccess: () => toast(`Deleted ${name}`),
    onError: failed,
    onSettled: again,
  });
  const read = cronWords(schedule.cron_expression);
  const times = comingTimes(schedule.cron_expression, schedule.time_zone, 5);
  const Icon = is_active ? CalendarClock : CirclePause;
  return (
    <li className="flex min-h-14 items-start gap-3 px-4 py-3 hover:bg-hover">
      <Icon aria-hidden size={16} className={`mt-0.5 shrink-0 ${is_active ? 'text-running' : 'text-faint'}`} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 truncate font-medium" title={name}>
            {name}
          </span>
          {!is_active && <span className="text-small text-faint">Paused</span>}
          {!schedule.in_sync && (
            <span className="text-small text-waits" title="The change takes effect as soon as Temporal can be reached">
              taking effect …
            </span>
          )}
        </p>
        <p className="text-small text-soft">
          {'words' in read ? read.words : schedule.cron_expression} · {schedule.time_zone} · runs{' '}
          <span className="text-ink">{schedule.target_name}</span>
        </p>
        <p className="text-small text-faint">
          {next_run_time && (
            <span title={times.map((time) => inZone(time, schedule.time_zone)).join('\n')}>
              Next <In at={next_run_time} /> ({inZone(new Date(next_run_time), schedule.time_zone)})
            </span>
          )}
          {last_run_time && last_error === null && last_run_id && (
            <>
              {next_run_time && ' · '}last{' '}
              <Link to={runPath(last_run_id)} className="text-accent-ink hover:underline">
                <Ago at={last_run_time} />
              </Link>
            </>
          )}
        </p>
        {last_error && (
          <p className="text-small break-words text-failed">
            The last time came to nothing: {last_error.message} (<Ago at={last_error.at} />)
          </p>
        )}
      </div>
      {mayChange && (
        <div className="flex shrink-0 items-center gap-1">
          <Button
            className="max-sm:hidden"
            busy={run.isPending}
            aria-label={`Run now: ${name}`}
            onClick={() => run.mutate()}
          >
            <Play aria-hidden size={14} /> Run now
          </Button>
          <Menu
            label={`More about ${name}`}
            items={[
              { name: 'Run now', icon: Play, run: () => run.mutate() },
              is_active
                ? { name: 'Pause', icon: Pause, run: () => pause.mutate() }
                : { name: 'Let it go on', icon: RotateCcw, run: () => pause.mutate() },
              { name: 'Edit', icon: Pencil, run: onEdit },
              { name: 'Backfill', icon: Rewind, run: () => setAsks('backfill') },
              { name: 'Delete', icon: Trash2, run: () => setAsks('remove'), danger: true },
            ]}
          />
        </div>
      )}
      {asks === 'backfill' && <BackfillDialog schedule={schedule} onClose={() => setAsks(null)} />}
      <Confirm
        open={asks === 'remove'}
        onOpenChange={(open) => setAsks(open ? 'remove' : null)}
        title={`Delete “${name}”?`}
        description="It runs no more. What it has started goes on, and its runs stay."
        confirm="Delete schedule"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}
