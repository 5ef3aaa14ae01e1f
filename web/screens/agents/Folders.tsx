import { useQueries, useQueryClient } from '@tanstack/react-query';
import { FolderTree } from 'lucide-react';
import { useState } from 'react';
import { agentsApi } from '../../agents-api.ts';
import { CheckTree } from '../../components/CheckTree.tsx';
import { Select } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { boxOf, type FolderRules, MOST_RULES, neededFor, textRules, tick, untick } from '../../folder-rules.ts';
import { type Level, treeRows } from '../../folder-tree.ts';
import { useNotebooks } from '../../queries.ts';
import { notebookFor } from '../frame/composer.ts';
import { FolderRuleList } from './FolderRuleList.tsx';
import { Part } from './FormSection.tsx';
import { MARKED, useForm } from './form.ts';

const folderQuery = (notebookId: string, path: string) => ({
  queryKey: ['folder', notebookId, path],
  queryFn: () => agentsApi.folder(notebookId, path, MOST_RULES),
  staleTime: 30_000,
});

/** Folder rules, as text and as boxes on the real tree of a notebook; both change the same list. */
export function Folders() {
  const { draft, change, errorOf, marks } = useForm();
  const { data: notebooks } = useNotebooks();
  const [chosen, setChosen] = useState<string | null>(null);
  const rules = draft.scope.folders;
  const notebook = notebooks?.find(({ id }) => id === chosen) ?? notebookFor(draft, notebooks ?? []) ?? notebooks?.[0];
  const set = (folders: FolderRules): void =>
    change({ scope: { ...draft.scope, folders: folders === undefined ? undefined : [...folders] } });
  return (
    <Part
      title="Folders"
      hint="A folder covers all below it, also what is made there later. The rules hold in every notebook it may touch."
      className={marks.folders === 'list' ? MARKED : ''}
    >
      <div className="grid grid-cols-2 gap-4 max-lg:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-2">
          {notebooks && notebooks.length > 1 && (
            <Select
              label="Show the folders of"
              hideLabel
              value={notebook?.id ?? ''}
              onChange={({ target }) => setChosen(target.value)}
            >
              {notebooks.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
          <div className="max-h-96 min-h-40 overflow-y-auto rounded-md border border-line">
            {notebook ? (
              <Picker key={notebook.id} notebook={notebook} rules={rules} onChange={set} />
            ) : notebooks ? (
              <p className="flex items-center gap-2 p-3 text-faint">
                <FolderTree aria-hidden size={14} /> There is no notebook to choose folders from.
              </p>
            ) : (
              <Skeleton className="m-3 w-1/2" />
            )}
          </div>
          <Beside rules={rules} />
        </div>
        <FolderRuleList rules={rules} error={errorOf('scope.folders')} onChange={set} />
      </div>
    </Part>
  );
}

/** What the tree does not show is said, so that nobody takes it for the whole truth. */
function Beside({ rules }: { rules: FolderRules }) {
  const numbers = textRules(rules);
  if (numbers.length === 0) return null;
  return (
    <p className="text-small text-faint">
      {numbers.length === 1 ? `Rule ${numbers[0]} is a pattern` : `Rules ${numbers.join(', ')} are patterns`}: the tree
      cannot show what {numbers.length === 1 ? 'it covers' : 'they cover'}; the probe below can tell.
    </p>
  );
}

interface PickerProps {
  notebook: { id: string; name: string };
  rules: FolderRules;
  onChange: (rules: FolderRules) => void;
}

function Picker({ notebook, rules, onChange }: PickerProps) {
  const { disabled } = useForm();
  const client = useQueryClient();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set(['/']));
  const paths = [...opened];
  const levels = useQueries({ queries: paths.map((path) => folderQuery(notebook.id, path)) });
  const levelOf = (folder: string): Level | undefined => {
    const level = levels[paths.indexOf(folder)];
    if (level?.data) return { entries: level.data };
    return level?.error ? { error: level.error.message } : 'reading';
  };

  const toggleOpen = (path: string): void => {
    const next = new Set(opened);
    if (!next.delete(path)) next.add(path);
    setOpened(next);
  };
  const toggleTick = async (path: string): Promise<void> => {
    if (boxOf(rules, path) !== 'all') return onChange(tick(rules, path));
    try {
      const known = new Map<string, string[]>();
      for (const folder of neededFor(rules, path)) {
        const entries = await client.ensureQueryData(folderQuery(notebook.id, folder));
        known.set(
          folder,
          entries.map((entry) => entry.path),
        );
      }
      const left = untick(rules, path, (folder) => known.get(folder) ?? []);
      if (left.rules.length > MOST_RULES)
        return toast(
          `Everything beside it would take more than ${MOST_RULES} rules. Write a pattern instead.`,
          'failed',
        );
      if (left.lost.length > 0) toast(`No rule can name ${left.lost.join(', ')}: not covered any more.`, 'failed');
      onChange(left.rules);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'failed');
    }
  };
  return (
    <CheckTree
      label={`Folders of ${notebook.name}`}
      rows={treeRows(notebook.name, rules, opened, levelOf)}
      disabled={disabled}
      onOpen={toggleOpen}
      onTick={(path) => void toggleTick(path)}
    />
  );
}
