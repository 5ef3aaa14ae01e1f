import { stored } from '../../stored.ts';

/** Which folders are open in which notebook, over reloads: `nb_1:/a`, a line each. */
const kept = stored('longhaul.open-folders');
const MOST_KEPT = 500;

export function useOpenFolders(notebookId: string): {
  open: ReadonlySet<string>;
  set: (folders: readonly string[], isOpen: boolean) => void;
} {
  const lines = (kept.use() ?? '').split('\n').filter((line) => line !== '');
  const prefix = `${notebookId}:`;
  const open = new Set(lines.flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : [])));
  return {
    open,
    set(folders, isOpen) {
      const changed = folders.map((folder) => prefix + folder);
      // As it is now, and not as it was when this was rendered: several may be opened in one go.
      const before = (kept.get() ?? '').split('\n').filter((line) => line !== '' && !changed.includes(line));
      kept.set([...before, ...(isOpen ? changed : [])].slice(-MOST_KEPT).join('\n'));
    },
  };
}
