import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schedule } from '../../../domain/schedule.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { comingTimes, inZone } from '../../cron-words.ts';
import { plural } from '../../format.ts';
import { triggersApi } from '../../triggers-api.ts';
import { errorsOf } from '../agents/saving.ts';

const DAY_MS = 86_400_000;
const MOST = 100;
/** As the browser's own field has it: the clock of who looks at it. */
const local = (at: Date): string => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Makes up for what was missed: shows which times these are before anything runs. */
export function BackfillDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const client = useQueryClient();
  const [from, setFrom] = useState(() => local(new Date(Date.now() - 7 * DAY_MS)));
  const [to, setTo] = useState(() => local(new Date()));
  const [start, end] = [new Date(from), new Date(to)];
  const isGiven = !Number.isNaN(start.getTime()) && !Number.isNaN(end.getTime());
  const { cron_expression, time_zone } = schedule;
  const times = isGiven
    ? comingTimes(cron_expression, time_zone, MOST + 1, new Date(start.getTime() - 1)).filter((time) => time <= end)
    : [];
  const run = useMutation({
    mutationFn: () =>
      triggersApi.backfillSchedule(schedule.id, { start_at: start.toISOString(), end_at: end.toISOString() }),
    onSuccess: (done) => {
      toast(`${plural(done.times.length, 'run')} will be made up for`);
      void client.invalidateQueries({ queryKey: ['schedules'] });
      onClose();
    },
  });
  const errors = errorsOf(run.error);
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title={`Backfill ${schedule.name}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <TextField
            label="From"
            type="datetime-local"
            required
            value={from}
            error={errors.start_at}
            onChange={(event) => setFrom(event.target.value)}
          />
          <TextField
            label="To"
            type="datetime-local"
            required
            value={to}
            error={errors.end_at}
            onChange={(event) => setTo(event.target.value)}
          />
        </div>
        <p className="text-soft" aria-live="polite">
          {times.length === 0 && 'The schedule has no time between the two.'}
          {times.length > MOST && `More than ${MOST} times: choose a shorter span.`}
          {times.length > 0 &&
            times.length <= MOST &&
            `${plural(times.length, 'run')}: ${times
              .slice(0, 5)
              .map((time) => inZone(time, time_zone))
              .join('; ')}${times.length > 5 ? '; …' : '.'} Times that have run are not run again.`}
        </p>
        {run.error && Object.keys(errors).length === 0 && <ErrorNote title="Nothing was started" error={run.error} />}
        <div className="flex justify-end max-sm:*:flex-1">
          <Button
            type="submit"
            kind="primary"
            busy={run.isPending}
            disabled={times.length === 0 || times.length > MOST}
          >
            Run them now
          </Button>
        </div>
      </form>
    </Modal>
  );
}
