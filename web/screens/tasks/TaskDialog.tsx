import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import type { Task } from '../../../domain/task.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select, TextArea, TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { newKey } from '../../http.ts';
import { useAgents, useNotebooks, useWorkspace } from '../../queries.ts';
import { modName } from '../../shortcuts.ts';
import { type TaskDraft, tasksApi } from '../../tasks-api.ts';
import { notebookFor } from '../frame/composer.ts';

/** Who may assign a task may not change its words: only what is different is sent. */
const changesOf = (task: Task, draft: TaskDraft): Partial<TaskDraft> => ({
  ...(draft.title === task.title ? {} : { title: draft.title }),
  ...(draft.description === task.description ? {} : { description: draft.description }),
  ...(draft.notebook_id === task.notebook_id ? {} : { notebook_id: draft.notebook_id }),
  ...(draft.assigned_to === null && task.assigned_to === null ? {} : { assigned_to: draft.assigned_to }),
});

interface Form {
  title: string;
  description: string;
  /** Undefined until the person says: then it is the one the agent works in. */
  notebook_id: string | undefined;
  agent_id: string;
}

/** A new task, or one that no run is at work on. With an agent chosen its run starts at once. */
export function TaskDialog({ task, onClose }: { task: Task | null; onClose: () => void }) {
  const workspace = useWorkspace();
  const { data: agents = [] } = useAgents();
  const { data: known } = useNotebooks();
  const notebooks = known ?? [];
  const client = useQueryClient();
  const [key, setKey] = useState(newKey);
  const [form, setForm] = useState<Form>({
    title: task?.title ?? '',
    description: task?.description ?? '',
    notebook_id: task ? (task.notebook_id ?? '') : undefined,
    agent_id: task?.assigned_to ?? '',
  });
  const active = agents.filter(({ is_active }) => is_active);
  const agent = active.find(({ id }) => id === form.agent_id);
  const notebookId = form.notebook_id ?? notebookFor(agent, notebooks)?.id ?? '';
  const canSave = form.title.trim() !== '' && workspace !== undefined && (agent === undefined || known !== undefined);

  const save = useMutation({
    mutationFn: (draft: TaskDraft) =>
      task ? tasksApi.change(task.id, changesOf(task, draft), key) : tasksApi.create(workspace?.id ?? '', draft, key),
    onSuccess: ({ status, assigned_name }) => {
      client.invalidateQueries({ queryKey: ['tasks'] });
      if (status === 'in_progress') toast(`${assigned_name} is at work on it.`);
      onClose();
    },
  });
  const change = (part: Partial<Form>): void => {
    setForm({ ...form, ...part });
    setKey(newKey());
  };
  const submit = (): void => {
    if (!canSave || save.isPending) return;
    const { title, description } = form;
    save.mutate({ title: title.trim(), description, notebook_id: notebookId || null, assigned_to: agent?.id ?? null });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };

  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title={task ? 'Task' : 'New task'}>
      <form
        className="flex flex-col gap-4"
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {task?.error_message && (
          <p className="rounded-md bg-failed-wash p-3 break-words">
            <span className="font-medium text-failed">It failed. </span>
            {task.error_message}
          </p>
        )}
        <TextField
          label="Title"
          placeholder="Summarize last week’s experiments"
          autoFocus
          maxLength={200}
          value={form.title}
          onChange={(event) => change({ title: event.target.value })}
        />
        <TextArea
          label="Description"
          placeholder="What must be done, and how one can tell that it is"
          rows={4}
          className="max-h-80"
          maxLength={100_000}
          value={form.description}
          onChange={(event) => change({ description: event.target.value })}
        />
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <Select
            label="Assigned to"
            value={agent?.id ?? ''}
            onChange={(event) => change({ agent_id: event.target.value })}
          >
            <option value="">Nobody yet</option>
            {active.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
          <Select label="Notebook" value={notebookId} onChange={(event) => change({ notebook_id: event.target.value })}>
            <option value="">No notebook</option>
            {notebooks.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </div>
        {save.error && <ErrorNote title="The task was not saved" error={save.error} />}
        <div className="flex items-center justify-end gap-3 max-sm:*:flex-1">
          <kbd className="font-sans text-small text-faint max-sm:hidden">{modName()} ↵</kbd>
          <Button type="submit" kind="primary" busy={save.isPending} disabled={!canSave}>
            {agent ? 'Assign and start' : task ? 'Save task' : 'Make task'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
