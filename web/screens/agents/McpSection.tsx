import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { PickList } from '../../components/PickList.tsx';
import { mcpApi } from '../../mcp-api.ts';
import { useWorkspace } from '../../queries.ts';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

/** What there is of MCP servers to name: a server whole, each of its tools, and its resources. */
export function useMcpEntries() {
  const workspace = useWorkspace();
  const { data: servers = [] } = useQuery({
    queryKey: ['mcp-servers', workspace?.id],
    queryFn: () => mcpApi.servers(workspace?.id ?? ''),
    enabled: workspace !== undefined,
  });
  return servers.flatMap(({ name, findings }) => [
    { id: name, name: `${name}: all ${findings.tools.length} tools` },
    ...findings.tools.map((tool) => ({ id: `${name}/${tool.name}`, name: `${name}: ${tool.name}` })),
    ...(findings.has_resources ? [{ id: `${name}/resources`, name: `${name}: resources` }] : []),
  ]);
}

export function McpSection() {
  const { draft, change, errorOf, disabled } = useForm();
  const named = draft.mcp_servers;
  const set = (mcp_servers: string[]): void => change({ mcp_servers });
  const offered = useMcpEntries();
  return (
    <FormSection
      id="mcp"
      about="Tools of MCP servers it may use: all of a server's, or single ones. It needs the right to reach integrations."
    >
      <PickList
        label="MCP tools"
        add="Add tools of an MCP server"
        disabled={disabled}
        chosen={named.map((entry) => ({
          id: entry,
          name: offered.find(({ id }) => id === entry)?.name ?? `${entry} (not there)`,
        }))}
        others={offered.filter(({ id }) => !named.includes(id))}
        onAdd={(entry) => set([...named, entry])}
        onRemove={(entry) => set(named.filter((each) => each !== entry))}
      />
      {offered.length === 0 && (
        <p className="text-small text-faint">
          There are none yet. Admins add them under{' '}
          <Link to="/mcp-servers" className="text-accent-ink hover:underline">
            MCP servers
          </Link>
          .
        </p>
      )}
      {errorOf('mcp_servers') && <p className="text-small text-failed">{errorOf('mcp_servers')}</p>}
      {named.length > 0 && !draft.can_access_integrations && (
        <p className="text-small text-waits">It may not reach integrations yet: grant it under Rights and scope.</p>
      )}
    </FormSection>
  );
}
