import { useNavigate } from 'react-router';
import { Segments } from '../../components/Segments.tsx';

const KINDS = [
  { value: '/tools', name: 'Tools' },
  { value: '/integrations', name: 'Integrations' },
  { value: '/mcp-servers', name: 'MCP servers' },
] as const;

/** Tools, and what brings them, belong together. */
export function ToolKinds({ at }: { at: string }) {
  const navigate = useNavigate();
  const here = KINDS.find(({ value }) => value === at) ?? KINDS[0];
  return <Segments label="What is listed" value={here.value} choices={KINDS} onChange={(to) => void navigate(to)} />;
}
