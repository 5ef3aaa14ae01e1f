import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FileContent } from '../../../domain/file.ts';
import { toast } from '../../components/Toasts.tsx';
import { nameOf } from '../../file-paths.ts';
import { filesApi } from '../../files-api.ts';
import { ApiError } from '../../http.ts';
import { fileKey, useFile } from './file-queries.ts';

/** What somebody has typed, and the text it is a change of. */
interface Edit {
  base: FileContent;
  text: string;
}

const isConflict = (error: Error | null): boolean => error instanceof ApiError && error.code === 'file_changed';
const isGone = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** One file being looked at and perhaps edited. Saved when somebody says so, and only over the text they have seen. */
export function useEditedFile(notebookId: string, path: string) {
  const client = useQueryClient();
  const file = useFile(notebookId, path);
  const [edit, setEdit] = useState<Edit | null>(null);
  const [hasMet, setHasMet] = useState(false);
  const current = isGone(file.error) ? null : (file.data ?? null);
  const base = edit?.base ?? current;

  const save = useMutation({
    mutationFn: ({ text, over }: { text: string; over: string | null }) =>
      filesApi.write(notebookId, { path, content: text, expected_hash: over }),
    onSuccess: ({ hash }, { text }) => {
      const size = new TextEncoder().encode(text).length;
      const saved = { path, text, hash, size, modified_at: new Date().toISOString() };
      client.setQueryData(fileKey(notebookId, path), saved);
      // Somebody may have gone on typing while it was on its way.
      setEdit((now) => (now && now.text !== text ? { base: saved, text: now.text } : null));
      setHasMet(false);
      toast(`Saved ${nameOf(path)}`);
      client.invalidateQueries({ queryKey: ['folder', notebookId] });
    },
    onError: async (error) => {
      if (!isConflict(error)) return;
      await file.refetch();
      setHasMet(true);
    },
  });

  return {
    file,
    base,
    /** What is on disk as far as is known; null where it is gone. */
    current,
    text: edit?.text ?? base?.text ?? '',
    isDirty: edit !== null,
    isBehind: edit !== null && (current === null ? isGone(file.error) : current.hash !== edit.base.hash),
    hasMet: hasMet && edit !== null,
    compare: () => setHasMet(true),
    change: (text: string) => base && setEdit(text === base.text && !hasMet ? null : { base, text }),
    drop: () => {
      setEdit(null);
      setHasMet(false);
    },
    save: () => edit && !save.isPending && save.mutate({ text: edit.text, over: edit.base.hash }),
    saveOver: () => edit && save.mutate({ text: edit.text, over: current?.hash ?? null }),
    isSaving: save.isPending,
    problem: isConflict(save.error) ? null : save.error,
  };
}
