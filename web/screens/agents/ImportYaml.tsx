import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { type ChangeEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { fieldErrors } from '../../agent-draft.ts';
import { agentsApi } from '../../agents-api.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextArea } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { numberOrNull, record } from '../../event-data.ts';
import { ApiError, newKey } from '../../http.ts';

interface Props {
  workspaceId: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

interface Stumble {
  field: string;
  said: string;
  line: number | null;
}

/** What the server stumbled over, by field and line; the first in the file first. */
function stumblesOf(error: Error | null): Stumble[] {
  if (!(error instanceof ApiError)) return [];
  const lines = record(error.details, 'lines');
  return Object.entries(fieldErrors(error.details))
    .map(([field, said]) => ({ field, said, line: numberOrNull(lines, field) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

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
  const stumbles = stumblesOf(make.error);
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
        {make.error && stumbles.length === 0 && <ErrorNote title="It was not imported" error={make.error} />}
        {stumbles.length > 0 && <Stumbles stumbles={stumbles} lines={yaml.split('\n')} />}
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

function Stumbles({ stumbles, lines }: { stumbles: readonly Stumble[]; lines: readonly string[] }) {
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-failed-wash p-3">
      <p className="font-medium text-failed">It is not an agent yet</p>
      <ul className="flex max-h-40 flex-col gap-2 overflow-y-auto">
        {stumbles.map(({ field, said, line }) => (
          <li key={field} className="min-w-0 break-words">
            {line !== null && <span className="font-medium">Line {line}: </span>}
            {field !== 'yaml' && <span className="font-mono text-small">{field}</span>} {said}
            {line !== null && (
              <span className="block truncate font-mono text-small text-soft">{lines[line - 1]?.trim()}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
