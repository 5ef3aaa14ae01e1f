import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { FlowStepView } from '../../../domain/flow-view.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea } from '../../components/Fields.tsx';
import { newKey } from '../../http.ts';
import { workflowsApi } from '../../workflows-api.ts';
import { useJsonText } from './json-text.ts';

const TAKES_INPUT = ['agent', 'tool', 'workflow', 'approval', 'map'];

/** Goes on from a step, with what it is given as it was or changed. */
export function ResumeStep({ runId, step, onClose }: { runId: string; step: FlowStepView; onClose: () => void }) {
  const navigate = useNavigate();
  const input = useJsonText(step.input);
  const [key, setKey] = useState(newKey);
  const canChange = TAKES_INPUT.includes(step.type);
  const start = useMutation({
    mutationFn: () =>
      workflowsApi.resume(
        runId,
        { from_step: step.address, ...(canChange && input.isChanged ? { override_input: input.value } : {}) },
        key,
      ),
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
      title={`Resume from ${step.address}`}
      description="A new run takes over what the steps before gave and begins with this one. None of them is done again, and this run stays as it is."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!input.isWrong) start.mutate();
        }}
      >
        {canChange && (
          <TextArea
            label="What the step is given"
            hint={input.isWrong ? 'This is not JSON yet.' : 'Change it if that was the problem.'}
            aria-invalid={input.isWrong}
            rows={6}
            spellCheck={false}
            className="max-h-72 font-mono text-small"
            value={input.text}
            onChange={({ target }) => input.setText(target.value)}
          />
        )}
        {start.error && <ErrorNote title="The run was not resumed" error={start.error} />}
        <div className="flex justify-end gap-2 max-sm:*:flex-1">
          <Button kind="quiet" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" kind="primary" busy={start.isPending} disabled={canChange && input.isWrong}>
            Resume run
          </Button>
        </div>
      </form>
    </Modal>
  );
}
