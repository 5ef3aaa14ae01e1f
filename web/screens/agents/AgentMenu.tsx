import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleOff, CirclePlay, CopyPlus, FileDown, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { whyReadOnly } from '../../agent-list.ts';
import { type AgentView, agentsApi } from '../../agents-api.ts';
import { Menu, type MenuItem } from '../../components/Menu.tsx';
import { toast } from '../../components/Toasts.tsx';
import { download } from '../../download.ts';
import { useMe, useWorkspace } from '../../queries.ts';
import { RemoveAgent } from './RemoveAgent.tsx';

const failed = (error: Error): void => toast(error.message, 'failed');

/** What else can be done with an agent, by those who may. */
export function AgentMenu({ agent, isOpened = false }: { agent: AgentView; isOpened?: boolean }) {
  const [asks, setAsks] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: me } = useMe();
  const role = useWorkspace()?.role;
  const mayChange = whyReadOnly(agent, me?.user.id, role) === null;
  const mayMake = role !== undefined && role !== 'read';

  const activate = useMutation({
    mutationFn: (active: boolean) => agentsApi.activate(agent.id, active),
    onSuccess: (changed) => {
      client.setQueryData(['agent', agent.id], changed);
      client.invalidateQueries({ queryKey: ['agents'] });
      const undo = () => activate.mutate(!changed.is_active);
      toast(`${agent.name} is ${changed.is_active ? 'active' : 'inactive'}`, 'done', undo);
    },
    onError: failed,
  });
  const save = useMutation({
    mutationFn: () => agentsApi.exported(agent.id),
    onSuccess: (yaml) => download(`${agent.slug}.yaml`, yaml, 'text/yaml'),
    onError: failed,
  });

  const page = `/agents/${encodeURIComponent(agent.id)}`;
  const items: MenuItem[] = [
    ...(isOpened ? [] : [{ name: mayChange ? 'Edit' : 'Look at it', icon: Pencil, run: () => void navigate(page) }]),
    ...(mayMake
      ? [
          {
            name: 'Duplicate',
            icon: CopyPlus,
            run: () => void navigate(`/agents/new?from=${encodeURIComponent(agent.id)}`),
          },
        ]
      : []),
    { name: 'Export YAML', icon: FileDown, run: () => save.mutate() },
    ...(mayChange
      ? [
          agent.is_active
            ? { name: 'Deactivate', icon: CircleOff, run: () => activate.mutate(false) }
            : { name: 'Activate', icon: CirclePlay, run: () => activate.mutate(true) },
          { name: 'Delete', icon: Trash2, danger: true, run: () => setAsks(true) },
        ]
      : []),
  ];
  return (
    <>
      <Menu label={`More about ${agent.name}`} items={items} />
      <RemoveAgent agent={agent} open={asks} onOpenChange={setAsks} onRemoved={() => isOpened && navigate('/agents')} />
    </>
  );
}
