import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { McpServer } from '../../../domain/mcp.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { mcpApi } from '../../mcp-api.ts';

/** Headers of a service, or variables of a program, that nobody sees again. */
export function McpSecrets({ server: { id, name, transport } }: { server: McpServer }) {
  const client = useQueryClient();
  const prefix = transport.kind === 'http' ? 'header_' : 'env_';
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const queryKey = ['mcp-secrets', id];
  const secrets = useQuery({ queryKey, queryFn: () => mcpApi.secrets(id) });
  const again = () => {
    void client.invalidateQueries({ queryKey });
    // Looked at again with what it has now.
    void mcpApi.refresh(id).finally(() => client.invalidateQueries({ queryKey: ['mcp-servers'] }));
  };
  const set = useMutation({
    mutationFn: () => mcpApi.setSecret(id, { key: prefix + key.trim().toLowerCase().replaceAll('-', '_'), value }),
    onSuccess: (made) => {
      setKey('');
      setValue('');
      toast(`${made.key} is set`);
      again();
    },
  });
  const remove = useMutation({ mutationFn: (each: string) => mcpApi.removeSecret(id, each), onSuccess: again });
  const wrong = set.error ?? remove.error;
  return (
    <div className="flex flex-col gap-2">
      {secrets.data && secrets.data.length > 0 && (
        <ul aria-label={`Secrets of ${name}`} className="flex flex-wrap gap-2">
          {secrets.data.map(({ key: each }) => (
            <li key={each} className="flex items-center gap-1 rounded border border-line pl-2 font-mono text-small">
              {each}
              <IconButton label={`Remove ${each}`} onClick={() => remove.mutate(each)}>
                <X aria-hidden size={12} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          set.mutate();
        }}
      >
        <div className="w-48 max-sm:w-full">
          <TextField
            label={transport.kind === 'http' ? 'Secret header' : 'Secret variable'}
            placeholder={transport.kind === 'http' ? 'authorization' : 'API_TOKEN'}
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </div>
        <div className="w-56 max-sm:w-full">
          <TextField
            label="Value"
            type="password"
            autoComplete="off"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </div>
        <Button type="submit" busy={set.isPending} disabled={key.trim() === '' || value === ''}>
          Set secret
        </Button>
      </form>
      {wrong && <ErrorNote title="The secret was not changed" error={wrong} />}
    </div>
  );
}
