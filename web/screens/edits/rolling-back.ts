import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Checkpoint, RollbackReply } from '../../../domain/edits/wire.ts';
import { toast } from '../../components/Toasts.tsx';
import { editsApi } from '../../edits-api.ts';
import { plural } from '../../format.ts';

/** Going back, in two steps: into the buffer, where it can be looked at, and to disk when somebody says so. */
export function useRollback(checkpoint: Checkpoint) {
  const id = checkpoint.checkpoint_id;
  const client = useQueryClient();
  const { rollback } = checkpoint;
  const [told, setTold] = useState<RollbackReply | null>(null);
  const [contents, setContents] = useState<ReadonlyMap<string, string>>(new Map());
  // Somebody else may have made another one since.
  const reply = told !== null && told.rollback_id === rollback?.rollback_id ? told : null;
  const isOpen = rollback?.state === 'buffer' || rollback?.state === 'conflict';
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['checkpoint', id] }),
      client.invalidateQueries({ queryKey: ['compare', id] }),
      client.invalidateQueries({ queryKey: ['checkpoints'] }),
    ]);

  const back = useMutation({
    mutationFn: (hunk_ids: string[]) =>
      editsApi.rollback(id, { mode: hunk_ids.length === 0 ? 'hard_all' : 'scoped_selected', hunk_ids }),
    onSuccess: async (came) => {
      setTold(came);
      setContents(new Map());
      save.reset();
      await refresh();
    },
  });
  const save = useMutation({
    mutationFn: () =>
      editsApi.save(id, {
        rollback_id: rollback?.rollback_id ?? '',
        ...(contents.size > 0
          ? { contents: [...contents].map(([file_path, content]) => ({ file_path, content })) }
          : {}),
      }),
    onSuccess: ({ saved_files, state }) => {
      if (state === 'saved') toast(`Rolled back: ${plural(saved_files.length, 'file')} written`);
      client.invalidateQueries({ queryKey: ['file'] });
    },
    onSettled: refresh,
  });
  const inTheWay = new Set((reply?.conflicts ?? []).map(({ file_path }) => file_path));
  const isResolved =
    rollback?.state !== 'conflict' || (reply !== null && [...inTheWay].every((path) => contents.has(path)));
  return {
    back,
    save,
    reply,
    isOpen,
    contents,
    resolve: (path: string, content: string) => setContents(new Map([...contents, [path, content]])),
    canSave: isOpen && isResolved && !save.isPending,
  };
}

export type RollingBack = ReturnType<typeof useRollback>;
