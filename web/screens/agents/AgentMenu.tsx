import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleOff, CirclePlay, CopyPlus, FileDown, Pencil, Trash2 } from 'lucide-react';
import { useNavigate } from 'react-router';
import type { Agent } from '../../../domain/agent.ts';
import { whyReadOnly } from '../../agent-list.ts';
import { agentsApi } from '../../agents-api.ts';
import { Menu, type MenuItem } from '../../components/Menu.tsx';
import { toast } from '../../components/Toasts.tsx';
import { download } from '../../download.ts';
import { useWorkspace } from '../../queries.ts';
import { Uses } from '../definitions/Uses.tsx';

const failed = (error: Error): void => toast(error.message, 'failed');

/** What else can be done with an agent, by those who may. */
export function AgentMenu({ agent, isOpened = false }: { agent: Agent; isOpened?: boolean }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const role = useWorkspace()?.role;
  const mayChange = whyReadOnly(agent, role) === null;
  const mayMake = role !== undefined && role !== 'read';
  const readAgain = () => client.invalidateQueries({ queryKey: ['agents'] });

  const activate = useMutation({
    mutationFn: (active: boolean) => agentsApi.activate(agent.id, active),
    onSuccess: (changed) => {
      client.setQueryData(['agent', agent.id], changed);
      void readAgain();
      const undo = () => activate.mutate(!changed.is_active);
      toast(`${agent.name} is ${changed.is_active ? 'active' : 'inactive'}`, 'done', { name: 'Undo', run: undo });
    },
    onError: failed,
  });
  const save = useMutation({
    mutationFn: () => agentsApi.exported(agent.id),
    onSuccess: (yaml) => download(`${agent.slug}.agent.yaml`, yaml, 'text/yaml'),
    onError: failed,
  });
  const remove = useMutation({
    mutationFn: () => agentsApi.remove(agent.id),
    onSuccess: () => {
      // The card that asked is gone by the time somebody thinks better of it.
      const undo = () => agentsApi.restore(agent).then(readAgain, failed);
      toast(`Deleted ${agent.name}`, 'done', { name: 'Undo', run: () => void undo() });
      if (isOpened) navigate('/agents');
      client.removeQueries({ queryKey: ['agent', agent.id] });
      void readAgain();
    },
  });

  const page = `/agents/${encodeURIComponent(agent.id)}`;
  const copy = `/agents/new?from=${encodeURIComponent(agent.id)}`;
  const items: MenuItem[] = [
    ...(isOpened ? [] : [{ name: mayChange ? 'Edit' : 'Look at it', icon: Pencil, run: () => void navigate(page) }]),
    ...(mayMake ? [{ name: 'Duplicate', icon: CopyPlus, run: () => void navigate(copy) }] : []),
    { name: 'Export YAML', icon: FileDown, run: () => save.mutate() },
    ...(mayChange
      ? [
          agent.is_active
            ? { name: 'Deactivate', icon: CircleOff, run: () => activate.mutate(false) }
            : { name: 'Activate', icon: CirclePlay, run: () => activate.mutate(true) },
          { name: 'Delete', icon: Trash2, danger: true, run: () => remove.mutate() },
        ]
      : []),
  ];
  return (
    <>
      <Menu label={`More about ${agent.name}`} items={items} />
      <Uses title={`“${agent.name}” was not deleted`} error={remove.error} onClose={remove.reset} />
    </>
  );
}
