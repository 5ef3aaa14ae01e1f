import { useQueryClient } from '@tanstack/react-query';
import { CircleX, LoaderCircle, X } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { IconButton } from '../../components/Button.tsx';
import { toast } from '../../components/Toasts.tsx';
import { fileProblem, uploadOf } from '../../knowledge-files.ts';

interface Upload {
  id: number;
  name: string;
  /** Null while it is on its way. */
  problem: string | null;
}

let last = 0;

/** Files on their way, one after the other, and those that did not arrive. */
export function useUploads(workspaceId: string | undefined) {
  const client = useQueryClient();
  const [items, setItems] = useState<Upload[]>([]);
  const remove = (id: number): void => setItems((now) => now.filter((item) => item.id !== id));

  async function send(id: number, file: File, workspace: string): Promise<void> {
    try {
      await api.addKnowledge(await uploadOf(file, workspace));
      remove(id);
      toast(`Added ${file.name}`);
      await client.invalidateQueries({ queryKey: ['knowledge'] });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      setItems((now) => now.map((item) => (item.id === id ? { ...item, problem } : item)));
    }
  }

  async function add(files: readonly File[]): Promise<void> {
    if (workspaceId === undefined) return;
    const fresh = files.map((file) => {
      last += 1;
      return { id: last, name: file.name, problem: fileProblem(file), file };
    });
    setItems((now) => [...now, ...fresh.map(({ id, name, problem }) => ({ id, name, problem }))]);
    for (const { id, file, problem } of fresh) if (problem === null) await send(id, file, workspaceId);
  }
  return { items, remove, add: (files: readonly File[]) => void add(files) };
}

export function Uploads({ uploads: { items, remove } }: { uploads: ReturnType<typeof useUploads> }) {
  if (items.length === 0) return null;
  return (
    <ul aria-label="Uploads" role="status" className="flex flex-col gap-2">
      {items.map(({ id, name, problem }) => (
        <li
          key={id}
          className={`flex min-h-10 items-center gap-2.5 rounded-md px-3 py-1 ${problem === null ? 'bg-running-wash' : 'bg-failed-wash'}`}
        >
          {problem === null ? (
            <LoaderCircle aria-hidden size={15} className="shrink-0 animate-spin text-running" />
          ) : (
            <CircleX aria-hidden size={15} className="shrink-0 text-failed" />
          )}
          <span className="min-w-0 flex-1 break-words">
            {problem === null ? `Adding ${name}…` : problem.includes(name) ? problem : `${name}: ${problem}`}
          </span>
          {problem !== null && (
            <IconButton label={`Dismiss ${name}`} onClick={() => remove(id)}>
              <X aria-hidden size={15} />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  );
}
