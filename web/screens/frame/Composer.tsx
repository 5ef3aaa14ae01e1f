import { type KeyboardEvent, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select, TextArea } from '../../components/Fields.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { newKey } from '../../http.ts';
import { useAgents, useNotebooks } from '../../queries.ts';
import { modName } from '../../shortcuts.ts';
import { CostQuote } from './CostQuote.tsx';
import { type Draft, notebookFor, useStartRun } from './composer.ts';

export function Composer({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const { data: agents = [] } = useAgents();
  const { data: known } = useNotebooks();
  const notebooks = known ?? [];
  const [form, setForm] = useState(draft);
  const [key, setKey] = useState(newKey);
  const start = useStartRun();

  const active = agents.filter((agent) => agent.is_active);
  const agent = active.find(({ id }) => id === form.agent_id) ?? active[0];
  const notebookId = form.notebook_id ?? notebookFor(agent, notebooks)?.id ?? '';
  const input = form.input ?? '';
  // Sent before the notebooks are known it would start without one.
  const canStart = agent !== undefined && known !== undefined && input.trim() !== '';

  const change = (part: Draft): void => {
    setForm({ ...form, ...part });
    setKey(newKey());
  };
  const submit = (): void => {
    if (!canStart || start.isPending) return;
    start.mutate(
      { agent_id: agent.id, notebook_id: notebookId || undefined, input: input.trim(), key },
      { onSuccess: onClose },
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };

  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title="New run">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextArea
          label="What should it do?"
          placeholder="Summarize the experiments into drafts/summary.md"
          autoFocus
          rows={4}
          className="max-h-80"
          maxLength={100_000}
          value={input}
          onKeyDown={onKeyDown}
          onChange={(event) => change({ input: event.target.value })}
        />
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <Select label="Agent" value={agent?.id ?? ''} onChange={(event) => change({ agent_id: event.target.value })}>
            {active.length === 0 && <option value="">No active agent</option>}
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
        {agent && <CostQuote agentId={agent.id} model={agent.model} input={input} />}
        {start.error && <ErrorNote title="The run was not started" error={start.error} />}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 text-small text-faint">{agent && <ModelName model={agent.model} />}</span>
          <span className="flex items-center gap-3 max-sm:w-full max-sm:*:flex-1">
            <kbd className="font-sans text-small text-faint max-sm:hidden">{modName()} ↵</kbd>
            <Button type="submit" kind="primary" busy={start.isPending} disabled={!canStart}>
              Start run
            </Button>
          </span>
        </div>
      </form>
    </Modal>
  );
}
