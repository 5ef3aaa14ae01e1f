import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Circle, CircleCheck, CircleX, LoaderCircle, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Task, TaskStatus } from '../../../domain/task.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useMe, useWorkspace } from '../../queries.ts';
import { tasksApi } from '../../tasks-api.ts';

export const TASK_LOOKS: Record<TaskStatus, { word: string; icon: typeof Circle; ink: string }> = {
  in_progress: { word: 'In progress', icon: LoaderCircle, ink: 'text-running' },
  open: { word: 'Open', icon: Circle, ink: 'text-soft' },
  failed: { word: 'Failed', icon: CircleX, ink: 'text-failed' },
  done: { word: 'Done', icon: CircleCheck, ink: 'text-done' },
};

const TITLE = 'block max-w-full truncate text-left font-medium hover:underline';
const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

/** Where a run is at work on it or has done it, the run tells all; else the task itself can be changed. */
function Title({ task, onOpen }: { task: Task; onOpen: () => void }) {
  const isRuns = task.run_id !== null && (task.status === 'in_progress' || task.status === 'done');
  return isRuns && task.run_id ? (
    <Link data-task to={runPath(task.run_id)} title={task.title} className={TITLE}>
      {task.title}
    </Link>
  ) : (
    <button type="button" data-task onClick={onOpen} title={task.title} className={TITLE}>
      {task.title}
    </button>
  );
}

export function TaskRow({ task, onOpen }: { task: Task; onOpen: () => void }) {
  const { data: me } = useMe();
  const workspace = useWorkspace();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const mayRemove = task.created_by === me?.user.id || workspace?.role === 'admin';
  const remove = useMutation({
    mutationFn: () => tasksApi.remove(task.id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['tasks'] }),
    onError: (error) => toast(error.message, 'failed'),
  });
  const { icon: Icon, ink, word } = TASK_LOOKS[task.status];
  return (
    <li className="flex min-h-14 items-center gap-3 px-4 py-2 hover:bg-hover">
      <Icon aria-hidden size={16} className={`shrink-0 ${ink}`} />
      <span className="sr-only">{word}</span>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <Title task={task} onOpen={onOpen} />
        {task.status === 'in_progress' && task.run_status && (
          <span className="text-small sm:hidden">
            <StatusBadge status={task.run_status} />
          </span>
        )}
        <p className="truncate text-small text-soft">
          {task.status === 'failed' && task.error_message ? (
            <span className="text-failed">{task.error_message}</span>
          ) : (
            <>
              {task.assigned_name ?? 'Nobody has it yet'} · by {task.created_by_name}, <Ago at={task.created_at} />
            </>
          )}
        </p>
      </div>
      {task.status === 'in_progress' && task.run_status && (
        <span className="max-sm:hidden">
          <StatusBadge status={task.run_status} />
        </span>
      )}
      {task.status === 'failed' && task.run_id && (
        <Link to={runPath(task.run_id)} className="shrink-0 rounded text-small text-accent-ink hover:underline">
          See run
        </Link>
      )}
      {(task.status === 'open' || task.status === 'failed') && (
        // On a phone its title does the same, and needs the room.
        <Button
          className="max-sm:hidden"
          onClick={onOpen}
          aria-label={`${task.status === 'failed' ? 'Try again' : 'Assign'}: ${task.title}`}
        >
          {task.status === 'failed' ? 'Try again' : 'Assign'}
        </Button>
      )}
      {mayRemove && (
        <IconButton label={`Remove ${task.title}`} title="Remove" onClick={() => setAsks(true)}>
          <Trash2 aria-hidden size={15} />
        </IconButton>
      )}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title="Remove this task?"
        description={
          task.status === 'in_progress'
            ? 'It is gone for everybody. The run that is at work on it goes on; cancel it on its own page.'
            : 'It is gone for everybody. Its run, where it had one, stays.'
        }
        confirm="Remove task"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}
