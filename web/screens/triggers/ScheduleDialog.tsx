import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Overlap, overlapSchema, type Schedule } from '../../../domain/schedule.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select, TextArea, TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { comingTimes, zoneOfBrowser } from '../../cron-words.ts';
import { newKey } from '../../http.ts';
import { asTyped, typedProblem, typedValue } from '../../json-text.ts';
import { triggersApi } from '../../triggers-api.ts';
import { errorsOf } from '../agents/saving.ts';
import { CronField } from './CronField.tsx';
import { draftOfTarget, NO_TARGET, TargetFields, targetOf } from './TargetFields.tsx';

const OVERLAPS: Record<Overlap, string> = {
  skip: 'Leave this time out',
  buffer_one: 'Run once more when it has ended',
  buffer_all: 'Run all that were missed, one after the other',
  cancel_other: 'Cancel it, then run',
  terminate_other: 'Stop it at once, then run',
  allow_all: 'Run beside it',
};

/** A new schedule, or one to change. */
export function ScheduleDialog({ schedule, onClose }: { schedule: Schedule | null; onClose: () => void }) {
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  const [target, setTarget] = useState(schedule ? draftOfTarget(schedule) : NO_TARGET);
  const [form, setForm] = useState({
    name: schedule?.name ?? '',
    input: asTyped(schedule?.input),
    input_mapping: asTyped(schedule?.input_mapping),
    cron_expression: schedule?.cron_expression ?? '0 9 * * 1-5',
    time_zone: schedule?.time_zone ?? zoneOfBrowser(),
    overlap: schedule?.overlap ?? 'skip',
  });
  const save = useMutation({
    mutationFn: () => {
      const body = {
        ...targetOf(target),
        ...form,
        input: typedValue(form.input),
        input_mapping: typedValue(form.input_mapping),
      };
      return schedule
        ? triggersApi.changeSchedule(schedule.id, body, schedule.version)
        : triggersApi.addSchedule(body, key);
    },
    onSuccess: ({ name }) => {
      void client.invalidateQueries({ queryKey: ['schedules'] });
      toast(schedule ? `Saved ${name}` : `${name} is scheduled`);
      onClose();
    },
  });
  const errors = errorsOf(save.error);
  const change = (part: Partial<typeof form>): void => {
    setForm({ ...form, ...part });
    setKey(newKey());
  };
  const wrong = { input: typedProblem(form.input), mapping: typedProblem(form.input_mapping) };
  const isReady =
    target.target !== '' &&
    wrong.input === null &&
    wrong.mapping === null &&
    comingTimes(form.cron_expression, form.time_zone, 1).length > 0;
  const isAtField = Object.keys(errors).length > 0;
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title={schedule ? 'Schedule' : 'New schedule'}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !save.isPending) save.mutate();
        }}
      >
        <TextField
          label="Name"
          maxLength={200}
          placeholder="Morning summary"
          value={form.name}
          error={errors.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <TargetFields
          draft={target}
          errors={errors}
          onChange={(part) => {
            setTarget({ ...target, ...part });
            setKey(newKey());
          }}
        />
        <CronField cron={form.cron_expression} zone={form.time_zone} errors={errors} onChange={change} />
        <TextArea
          label="Input"
          rows={3}
          className="max-h-60 font-mono"
          placeholder="Sum up what was written yesterday"
          hint="Words, or JSON. Without it, the run is told when it was due."
          value={form.input}
          error={errors.input ?? wrong.input ?? undefined}
          onChange={(event) => change({ input: event.target.value })}
        />
        <details className="group" open={form.input_mapping !== '' || form.overlap !== 'skip'}>
          <summary className="cursor-pointer font-medium text-soft hover:text-ink">More</summary>
          <div className="mt-3 flex flex-col gap-4">
            <TextArea
              label="Input mapping"
              rows={2}
              className="max-h-60 font-mono"
              placeholder={'{ "day": "{{ schedule.scheduled_time }}", "who": "{{ input.who }}" }'}
              hint="Makes the input from {{ input … }} and {{ schedule.scheduled_time }}."
              value={form.input_mapping}
              error={errors.input_mapping ?? wrong.mapping ?? undefined}
              onChange={(event) => change({ input_mapping: event.target.value })}
            />
            <Select
              label="When the run before is still under way"
              value={form.overlap}
              error={errors.overlap}
              onChange={(event) => change({ overlap: overlapSchema.parse(event.target.value) })}
            >
              {overlapSchema.options.map((overlap) => (
                <option key={overlap} value={overlap}>
                  {OVERLAPS[overlap]}
                </option>
              ))}
            </Select>
          </div>
        </details>
        {save.error && !isAtField && <ErrorNote title="The schedule was not saved" error={save.error} />}
        <div className="flex justify-end max-sm:*:flex-1">
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!isReady}>
            {schedule ? 'Save schedule' : 'Make schedule'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
