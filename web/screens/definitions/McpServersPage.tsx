import { Page } from '../../components/Page.tsx';
import { McpServers } from '../settings/McpServers.tsx';
import { ToolKinds } from './ToolKinds.tsx';

export default function McpServersPage() {
  return (
    <Page title="MCP servers">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-6 max-sm:p-4">
        <ToolKinds at="/mcp-servers" />
        <McpServers />
      </div>
    </Page>
  );
}
