import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { type ChangeEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { agentsApi } from '../../agents-api.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { numberOrNull } from '../../event-data.ts';
import { ApiError, newKey } from '../../http.ts';

interface Props {
  workspaceId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The line of the file the server stumbled over. */
const lineOf = (error: Error | null): number | null =>
  error instanceof ApiError ? numberOrNull(error.details, 'line') : null;

/** Makes an agent from a file, pasted or picked. */
export function ImportYaml({ workspaceId, open, onOpenChange }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [yaml, setYaml] = useState('');
  const [key, setKey] = useState(newKey);
  const picker = useRef<HTMLInputElement>(null);
  const make = useMutation({
    mutationFn: () => agentsApi.importYaml(workspaceId, yaml, key),
    onSuccess: (agent) => {
      toast(`Made ${agent.name}`);
      client.setQueryData(['agent', agent.id], agent);
      client.invalidateQueries({ queryKey: ['agents'] });
      navigate(`/agents/${encodeURIComponent(agent.id)}`);
    },
  });
  const change = (text: string): void => {
    setYaml(text);
    setKey(newKey());
    make.reset();
  };
  const pick = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? [];
    if (file) change(await file.text());
    // The same file picked again is picked again.
    target.value = '';
  };
  const line = lineOf(make.error);
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title="Import an agent"
      description="Paste the YAML of an agent, or choose a file. It becomes an agent of this workspace, which you can then look over and change."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <TextArea
          label="YAML"
          rows={10}
          spellCheck={false}
          autoFocus
          placeholder={'name: Summarizer\nmodel: gpt-4o'}
          className="max-h-80 font-mono text-small"
          aria-invalid={make.error !== null}
          value={yaml}
          onChange={({ target }) => change(target.value)}
        />
        {make.error && <ErrorNote title="It is not an agent yet" error={make.error} />}
        {line !== null && (
          <p className="flex gap-3 rounded-md bg-canvas px-3 py-2 font-mono text-small">
            <span className="shrink-0 text-faint">line {line}</span>
            <span className="min-w-0 break-words whitespace-pre-wrap">{yaml.split('\n')[line - 1]}</span>
          </p>
        )}
        <input
          ref={picker}
          type="file"
          accept=".yaml,.yml,text/yaml,application/yaml"
          aria-label="YAML file"
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => void pick(event)}
        />
        <div className="flex justify-between gap-3">
          <Button onClick={() => picker.current?.click()}>
            <FileUp aria-hidden size={14} /> Choose a file
          </Button>
          <Button type="submit" kind="primary" busy={make.isPending} disabled={yaml.trim() === ''}>
            Import
          </Button>
        </div>
      </form>
    </Modal>
  );
}
