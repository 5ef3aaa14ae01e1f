import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { FlowStepView } from '../../../domain/flow-view.ts';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { newKey } from '../../http.ts';
import { workflowsApi } from '../../workflows-api.ts';
import { JsonField } from './JsonField.tsx';
import { useJsonText } from './json-text.ts';

const TAKES_INPUT = ['agent', 'tool', 'workflow', 'approval', 'map'];

const WAYS = {
  resume: {
    title: 'Resume from',
    description:
      'A new run takes over what the steps before gave and begins with this one. None of them is done again, and this run stays as it is.',
    hint: 'Change it if that was the problem.',
    refused: 'The run was not resumed',
    word: 'Resume run',
  },
  fork: {
    title: 'Fork from',
    description:
      'A new run begins with this step, with what was completed before it and with the files as they were then. This run and its files stay as they are.',
    hint: 'Change it to go another way.',
    refused: 'The run was not forked',
    word: 'Fork run',
  },
};

interface Props {
  runId: string;
  way: keyof typeof WAYS;
  step: FlowStepView;
  onClose: () => void;
}

/** Goes on from a step, with what it is given as it was or changed. */
export function GoOnFromStep({ runId, way, step, onClose }: Props) {
  const words = WAYS[way];
  const navigate = useNavigate();
  const input = useJsonText(step.input);
  const [key, setKey] = useState(newKey);
  const canChange = TAKES_INPUT.includes(step.type);
  const start = useMutation({
    mutationFn: () => {
      const body = {
        from_step: step.address,
        ...(canChange && input.isChanged ? { override_input: input.value } : {}),
      };
      return way === 'fork' ? api.forkRun(runId, body, key) : workflowsApi.resume(runId, body, key);
    },
    onSuccess: ({ id }) => {
      onClose();
      navigate(`/runs/${encodeURIComponent(id)}`);
    },
    onError: () => setKey(newKey()),
  });
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${words.title} ${step.address}`}
      description={words.description}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!input.isWrong) start.mutate();
        }}
      >
        {canChange && <JsonField label="What the step is given" hint={words.hint} input={input} />}
        {start.error && <ErrorNote title={words.refused} error={start.error} />}
        <div className="flex justify-end gap-2 max-sm:*:flex-1">
          <Button kind="quiet" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" kind="primary" busy={start.isPending} disabled={canChange && input.isWrong}>
            {words.word}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
