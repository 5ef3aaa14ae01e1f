import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { wordsOf } from '../../command-words.ts';
import { Button } from '../../components/Button.tsx';
import { Checkbox, Select, TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { mcpApi } from '../../mcp-api.ts';
import { AddForm } from './AddForm.tsx';

export function NewMcpServer({ workspaceId }: { workspaceId: string }) {
  const client = useQueryClient();
  const [kind, setKind] = useState<'http' | 'stdio'>('http');
  const [place, setPlace] = useState('');
  const [name, setName] = useState('');
  const [folder, setFolder] = useState('');
  /** The address may be private; the program may use the network. */
  const [granted, setGranted] = useState(false);
  const add = useMutation({
    mutationFn: () => {
      const [command = '', ...args] = wordsOf(place);
      const folders = folder.trim() ? [{ path: folder.trim(), writable: true }] : [];
      return mcpApi.add({
        workspace_id: workspaceId,
        name: name.trim(),
        transport:
          kind === 'http'
            ? { kind, url: place.trim(), allow_private: granted }
            : { kind, command, args, folders, network: granted },
      });
    },
    onSuccess: (made) => {
      setPlace('');
      setName('');
      setFolder('');
      setGranted(false);
      toast(made.findings.state === 'failed' ? `Added ${made.name}, but it was not reached` : `Added ${made.name}`);
      client.invalidateQueries({ queryKey: ['mcp-servers'] });
    },
  });
  return (
    <AddForm
      label="Add an MCP server"
      onSubmit={() => add.mutate()}
      error={add.error}
      failed="The MCP server was not added"
    >
      <div className="w-36 max-sm:w-full">
        <Select
          label="Reached by"
          value={kind}
          onChange={(event) => {
            setKind(event.target.value === 'stdio' ? 'stdio' : 'http');
            add.reset();
          }}
        >
          <option value="http">Address</option>
          <option value="stdio">Program</option>
        </Select>
      </div>
      <div className="w-40 max-sm:w-full">
        <TextField
          label="Server name"
          required
          maxLength={32}
          placeholder="tickets"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="min-w-64 flex-1">
        <TextField
          label={kind === 'http' ? 'Address of the server' : 'Command that starts it'}
          className="font-mono"
          required
          placeholder={kind === 'http' ? 'https://mcp.example.org/mcp' : 'npx -y @scope/server /srv/notes'}
          hint={
            kind === 'http'
              ? 'Streamable HTTP. Secret headers are set once it is there.'
              : 'Runs confined on the worker. Secret variables are set once it is there.'
          }
          value={place}
          onChange={(event) => setPlace(event.target.value)}
        />
      </div>
      {kind === 'stdio' && (
        <div className="w-48 max-sm:w-full">
          <TextField
            label="Folder it may use"
            className="font-mono"
            placeholder="none"
            hint="Below a folder for notebooks."
            value={folder}
            onChange={(event) => setFolder(event.target.value)}
          />
        </div>
      )}
      <div className="flex w-full flex-wrap items-center gap-4">
        <Checkbox
          label={kind === 'http' ? 'May lie in a private network' : 'May use the network'}
          checked={granted}
          onChange={(event) => setGranted(event.target.checked)}
        />
        <Button type="submit" busy={add.isPending} disabled={place.trim() === '' || name.trim() === ''}>
          Add MCP server
        </Button>
      </div>
    </AddForm>
  );
}
