import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Run } from '../../../domain/run.ts';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea, TextField } from '../../components/Fields.tsx';
import { asText } from '../../format.ts';
import { newKey } from '../../http.ts';

interface Props {
  run: Run;
  onClose: () => void;
}

/** A run's input as text, and what the edited text means: words stay words, everything else is JSON. */
function useInput(run: Run) {
  const before = asText(run.input);
  const [text, setText] = useState(before);
  let value: unknown = text;
  let isWrong = false;
  if (typeof run.input !== 'string') {
    try {
      value = JSON.parse(text);
    } catch {
      isWrong = true;
    }
  }
  const field = (label: string, hint: string): ReactNode => (
    <TextArea
      label={label}
      hint={isWrong ? 'This is not JSON yet.' : hint}
      aria-invalid={isWrong}
      rows={4}
      className="max-h-72"
      maxLength={100_000}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
  return { value, isChanged: text !== before, isWrong, field };
}

/** Sent twice it is still one new run: the key changes with what is sent. */
function useNewRun(send: (key: string) => Promise<{ id: string }>, onClose: () => void, parts: readonly unknown[]) {
  const navigate = useNavigate();
  const content = JSON.stringify(parts);
  const [sent, setSent] = useState({ content, key: newKey() });
  return useMutation({
    mutationFn: () => {
      const next = sent.content === content ? sent : { content, key: newKey() };
      setSent(next);
      return send(next.key);
    },
    onSuccess: ({ id }) => {
      onClose();
      navigate(`/runs/${encodeURIComponent(id)}`);
    },
  });
}

export function ResumeDialog({ run, onClose }: Props) {
  const input = useInput(run);
  const start = useNewRun(
    (key) => api.resumeRun(run.id, input.isChanged ? { override_input: input.value } : {}, key),
    onClose,
    [input.value],
  );
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      title="Resume from where it failed"
      description="A new run takes over everything that was finished and tries the failed step again. This run stays as it is."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!input.isWrong) start.mutate();
        }}
      >
        {input.field('Task', 'Change it if the task itself was the problem.')}
        {start.error && <ErrorNote title="The run was not resumed" error={start.error} />}
        <Foot word="Resume run" busy={start.isPending} disabled={input.isWrong} onClose={onClose} />
      </form>
    </Modal>
  );
}

export function ForkDialog({ run, step, last, onClose }: Props & { step: number; last: number }) {
  const [at, setAt] = useState(String(step));
  const [model, setModel] = useState('');
  const [prompt, setPrompt] = useState('');
  const input = useInput(run);
  const number = Number(at);
  const isStep = at.trim() !== '' && Number.isInteger(number) && number >= 0 && number <= last;
  const changes = {
    ...(input.isChanged && { input: input.value }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(prompt.trim() !== '' && { system_prompt: prompt }),
  };
  const start = useNewRun((key) => api.forkRun(run.id, { step: number, ...changes }, key), onClose, [number, changes]);
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      title="Fork this run"
      description="A new run begins with the conversation and the files as they were after a step, and goes on from there. This run stays as it is."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isStep && !input.isWrong) start.mutate();
        }}
      >
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <TextField
            label="After step"
            hint={isStep ? `From 0, with nothing done yet, to ${last}.` : `A number from 0 to ${last}.`}
            aria-invalid={!isStep}
            inputMode="numeric"
            value={at}
            onChange={(event) => setAt(event.target.value)}
          />
          <TextField
            label="Model"
            hint="Empty keeps the model."
            placeholder={run.llm_model}
            spellCheck={false}
            className="font-mono"
            maxLength={200}
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
        </div>
        {input.field('Task', 'What the new run is asked to do.')}
        <TextArea
          label="System prompt"
          hint="Empty keeps the agent's."
          placeholder="As the agent has it"
          rows={2}
          className="max-h-56"
          maxLength={100_000}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
        {start.error && <ErrorNote title="The run was not forked" error={start.error} />}
        <Foot word="Fork run" busy={start.isPending} disabled={!isStep || input.isWrong} onClose={onClose} />
      </form>
    </Modal>
  );
}

function Foot({
  word,
  busy,
  disabled,
  onClose,
}: {
  word: string;
  busy: boolean;
  disabled: boolean;
  onClose: () => void;
}) {
  return (
    <div className="flex justify-end gap-2 max-sm:*:flex-1">
      <Button kind="quiet" onClick={onClose}>
        Back
      </Button>
      <Button type="submit" kind="primary" busy={busy} disabled={disabled}>
        {word}
      </Button>
    </div>
  );
}
