import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { isRecord } from '../../../domain/json-value.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { newKey } from '../../http.ts';
import { useNotebooks } from '../../queries.ts';
import { type Workflow, workflowsApi } from '../../workflows-api.ts';
import { JsonField } from './JsonField.tsx';
import { useJsonText } from './json-text.ts';

/** An object with the names its schema has, to be filled in. */
function exampleOf({ input_schema }: Workflow): unknown {
  const properties = input_schema && isRecord(input_schema.properties) ? input_schema.properties : {};
  const blank = (schema: unknown): unknown => {
    const type = isRecord(schema) ? schema.type : undefined;
    if (type === 'number' || type === 'integer') return 0;
    return type === 'boolean' ? false : type === 'array' ? [] : type === 'object' ? {} : '';
  };
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, blank(schema)]));
}

export function RunWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const navigate = useNavigate();
  const { data: notebooks = [] } = useNotebooks();
  const folders = notebooks.filter(({ kind }) => kind === 'folder');
  const [notebook, setNotebook] = useState<string | null>(null);
  const input = useJsonText(exampleOf(workflow));
  const [key, setKey] = useState(newKey);
  const notebook_id = (notebook ?? folders[0]?.id) || undefined;
  const start = useMutation({
    mutationFn: () => workflowsApi.start({ workflow_id: workflow.id, input: input.value, notebook_id }, key),
    onSuccess: ({ id }) => navigate(`/runs/${encodeURIComponent(id)}`),
    onError: () => setKey(newKey()),
  });
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Run ${workflow.name}`}
      description="Its steps see this as input. You can leave the page: it goes on by itself."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!input.isWrong) start.mutate();
        }}
      >
        <JsonField label="Input" hint={'JSON: an object, a list, a "text" or a number.'} input={input} />
        <Select
          label="Notebook"
          hint="Whose files its steps read and change."
          value={notebook_id ?? ''}
          onChange={({ target }) => setNotebook(target.value)}
        >
          <option value="">None</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        {start.error && <ErrorNote title="It was not started" error={start.error} />}
        <div className="flex justify-end gap-2 max-sm:*:flex-1">
          <Button kind="quiet" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" kind="primary" busy={start.isPending} disabled={input.isWrong}>
            Start run
          </Button>
        </div>
      </form>
    </Modal>
  );
}
