import { useInfiniteQuery } from '@tanstack/react-query';
import { ListTodo, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Task, TaskStatus } from '../../../domain/task.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useMaking } from '../../making.ts';
import { useWorkspace } from '../../queries.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { tasksApi } from '../../tasks-api.ts';
import { TaskDialog } from './TaskDialog.tsx';
import { TASK_LOOKS, TaskRow } from './TaskRow.tsx';

/** What is going on first, then what is left to do, what went wrong, and what is over. */
const ORDER: TaskStatus[] = ['in_progress', 'open', 'failed', 'done'];
/** Tasks that others make and assign: runs tell of themselves. */
const LOOK_MS = 5_000;

export function Tasks() {
  const workspace = useWorkspace();
  const box = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Task | null>(null);
  const [isMaking, setMaking] = useMaking();
  const list = useInfiniteQuery({
    queryKey: ['tasks', workspace?.id],
    queryFn: ({ pageParam }) => tasksApi.list(workspace?.id ?? '', pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: workspace !== undefined,
    refetchInterval: LOOK_MS,
  });
  const tasks = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const groups = ORDER.map((status) => ({ status, tasks: tasks.filter((task) => task.status === status) }));

  const step = (by: number): void => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[data-task]') ?? [])];
    const at = all.findIndex((each) => each.matches(':focus'));
    const next = all[at < 0 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts({ n: () => setMaking(true), j: () => step(1), k: () => step(-1) });

  return (
    <Page
      title="Tasks"
      action={
        <Button kind="primary" title="New task (n)" onClick={() => setMaking(true)}>
          <Plus aria-hidden size={15} /> New task
        </Button>
      }
    >
      <div ref={box} className="mx-auto flex max-w-5xl flex-col gap-6 p-6 max-sm:p-4" aria-busy={list.isPending}>
        {list.error && !list.data ? (
          <ErrorNote title="The tasks could not be read" error={list.error} />
        ) : list.isSuccess && tasks.length === 0 ? (
          <EmptyState
            icon={ListTodo}
            title="No tasks yet"
            action={<Button onClick={() => setMaking(true)}>Make the first task</Button>}
          >
            A task is work with a name, for you to remember or for an agent to do. Assigning it starts a run; when the
            run ends, the task is done, or says why it is not.
          </EmptyState>
        ) : (
          groups
            .filter((group) => list.isPending || group.tasks.length > 0)
            .slice(0, list.isPending ? 1 : ORDER.length)
            .map((group) => (
              <section key={group.status} aria-label={TASK_LOOKS[group.status].word} className="flex flex-col gap-2">
                <h2 className="flex items-baseline gap-2 font-semibold">
                  {TASK_LOOKS[group.status].word}
                  <span className="text-small font-normal text-faint">{list.isPending ? '' : group.tasks.length}</span>
                </h2>
                <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
                  {list.isPending
                    ? [0, 1, 2].map((each) => (
                        <li key={each} className="flex h-14 items-center px-4">
                          <Skeleton className="w-1/2" />
                        </li>
                      ))
                    : group.tasks.map((task) => <TaskRow key={task.id} task={task} onOpen={() => setOpened(task)} />)}
                </ul>
              </section>
            ))
        )}
        {list.hasNextPage && (
          <Button className="self-center" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
      {opened && <TaskDialog task={opened} onClose={() => setOpened(null)} />}
      {isMaking && <TaskDialog task={null} onClose={() => setMaking(false)} />}
    </Page>
  );
}
