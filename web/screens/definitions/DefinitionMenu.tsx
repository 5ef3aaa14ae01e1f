import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useNavigate } from 'react-router';
import { Menu } from '../../components/Menu.tsx';
import { toast } from '../../components/Toasts.tsx';
import { type DefinedKind, definitionsApi, PLACES, pageOf } from '../../definitions-api.ts';
import { Uses } from './Uses.tsx';

interface Props {
  kind: DefinedKind;
  definition: { id: string; name: string };
  isOpened?: boolean;
}

const failed = (error: Error): void => toast(error.message, 'failed');

/** What else can be done with a definition, by those who may. */
export function DefinitionMenu({ kind, definition: { id, name }, isOpened = false }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const readAgain = () => client.invalidateQueries({ queryKey: ['definitions', kind] });
  const remove = useMutation({
    mutationFn: () => definitionsApi.remove(kind, id),
    onSuccess: () => {
      const undo = () => definitionsApi.change(kind, id, { is_active: true }).then(readAgain, failed);
      toast(`Deleted ${name}`, 'done', { name: 'Undo', run: () => void undo() });
      if (isOpened) navigate(PLACES[kind].page);
      client.removeQueries({ queryKey: ['definition', id] });
      void readAgain();
    },
  });
  return (
    <>
      <Menu
        label={`More about ${name}`}
        items={[
          ...(isOpened ? [] : [{ name: 'Edit', icon: Pencil, run: () => void navigate(pageOf(kind, id)) }]),
          { name: 'Delete', icon: Trash2, danger: true, run: () => remove.mutate() },
        ]}
      />
      <Uses title={`“${name}” was not deleted`} error={remove.error} onClose={remove.reset} />
    </>
  );
}
