import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, Plug, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { McpServer } from '../../../domain/mcp.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { mcpApi } from '../../mcp-api.ts';
import { useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { McpSecrets } from './McpSecrets.tsx';
import { NewMcpServer } from './NewMcpServer.tsx';

export function McpServers() {
  const workspace = useWorkspace();
  const servers = useQuery({
    queryKey: ['mcp-servers', workspace?.id],
    queryFn: () => mcpApi.servers(workspace?.id ?? ''),
    enabled: workspace !== undefined,
  });
  const mayChange = isAdmin(workspace?.role);
  return (
    <>
      <p className="max-w-3xl text-soft">
        Programs and services that bring tools and resources. Agents use those their form names; what changes something
        waits for a person.{mayChange ? '' : ' Admins add and remove them.'}
      </p>
      {mayChange && workspace && <NewMcpServer workspaceId={workspace.id} />}
      {servers.error && !servers.data && <ErrorNote title="The MCP servers could not be read" error={servers.error} />}
      {servers.isPending && <Skeleton className="h-10 w-full" />}
      {servers.data?.length === 0 && (
        <p className="flex items-center gap-2 text-faint">
          <Plug aria-hidden size={14} /> No MCP servers yet.
        </p>
      )}
      {servers.data && servers.data.length > 0 && (
        <ul aria-label="MCP servers" className="divide-y divide-line rounded-md border border-line">
          {servers.data.map((server) => (
            <Line key={server.id} server={server} mayChange={mayChange} />
          ))}
        </ul>
      )}
    </>
  );
}

const whereIs = ({ transport }: McpServer): string =>
  transport.kind === 'http' ? transport.url : [transport.command, ...transport.args].join(' ');

function Line({ server, mayChange }: { server: McpServer; mayChange: boolean }) {
  const { id, name, findings } = server;
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [asks, setAsks] = useState(false);
  const again = () => client.invalidateQueries({ queryKey: ['mcp-servers'] });
  const refresh = useMutation({ mutationFn: () => mcpApi.refresh(id), onSettled: again });
  const remove = useMutation({
    mutationFn: () => mcpApi.remove(id),
    onSuccess: () => toast(`Removed ${name}`),
    onSettled: again,
  });
  const wrong = remove.error ?? refresh.error;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-w-40 flex-1 items-center gap-2 text-left"
      >
        <ChevronRight aria-hidden size={14} className={`shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="truncate font-medium">{name}</span>
          <span className="truncate font-mono text-small text-faint" title={whereIs(server)}>
            {whereIs(server)}
          </span>
        </span>
      </button>
      <Found server={server} />
      {mayChange && (
        <>
          <IconButton label={`Look at ${name} again`} busy={refresh.isPending} onClick={() => refresh.mutate()}>
            <RefreshCw aria-hidden size={15} />
          </IconButton>
          <Button kind="danger" aria-label={`Remove ${name}`} busy={remove.isPending} onClick={() => setAsks(true)}>
            Remove
          </Button>
        </>
      )}
      {isOpen && (
        <div className="flex w-full flex-col gap-3 pb-1 pl-6">
          {findings.error && <p className="whitespace-pre-wrap break-words text-small text-failed">{findings.error}</p>}
          {findings.tools.length > 0 && (
            <ul aria-label={`Tools of ${name}`} className="flex flex-col gap-1">
              {findings.tools.map((tool) => (
                <li key={tool.name} className="flex flex-wrap items-baseline gap-x-3">
                  <span className="font-mono">{tool.name}</span>
                  <span className="text-small text-faint">{tool.read_only ? 'only reads' : 'asks first'}</span>
                  <span className="w-full truncate text-small text-soft" title={tool.description}>
                    {tool.description}
                  </span>
                </li>
              ))}
            </ul>
          )}
          {mayChange && <McpSecrets server={server} />}
        </div>
      )}
      {wrong && (
        <div className="w-full">
          <ErrorNote
            title={remove.error ? 'The MCP server was not removed' : 'The MCP server could not be looked at'}
            error={wrong}
          />
        </div>
      )}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={`Remove “${name}”?`}
        description="Agents lose its tools, and its secrets are forgotten. The server itself is not touched."
        confirm="Remove MCP server"
        keep="Keep it"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}

function Found({ server: { findings, is_active } }: { server: McpServer }) {
  if (!is_active) return <span className="text-small text-faint">Off</span>;
  if (findings.state === 'unknown') return <span className="text-small text-faint">Not looked at yet</span>;
  const word =
    findings.state === 'failed'
      ? 'Not reached'
      : `${findings.tools.length} tools${findings.has_resources ? ' and resources' : ''}`;
  return (
    <span className={`text-small ${findings.state === 'failed' ? 'text-failed' : 'text-soft'}`}>
      {word}
      {findings.checked_at && (
        <>
          {' · '}
          <Ago at={findings.checked_at} />
        </>
      )}
    </span>
  );
}
