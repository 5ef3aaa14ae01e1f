import { useState } from 'react';
import { Checkbox } from '../../components/Fields.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useNotebooks } from '../../queries.ts';
import { Part } from './FormSection.tsx';
import { MARKED, useForm } from './form.ts';

const ALL = '*';

export function NotebookChoice() {
  const { draft, change, errorOf, marks } = useForm();
  const { data: notebooks } = useNotebooks();
  const named = draft.scope.notebooks ?? [];
  const isAll = named.includes(ALL);
  // What was chosen one by one comes back when somebody looks at "all" and thinks better of it.
  const [kept, setKept] = useState<string[]>(named.filter((id) => id !== ALL));
  const set = (ids: string[]): void => change({ scope: { ...draft.scope, notebooks: ids } });
  const unseen = named.filter((id) => id !== ALL && notebooks && !notebooks.some((notebook) => notebook.id === id));
  const toggle = (id: string, isChosen: boolean): void =>
    set(isChosen ? [...named, id] : named.filter((each) => each !== id));
  return (
    <Part title="Notebooks" className={marks.notebooks ? MARKED : ''}>
      <Segments
        label="Notebooks"
        value={isAll ? 'all' : 'some'}
        choices={[
          { value: 'all', name: 'All of the workspace' },
          { value: 'some', name: 'Only these' },
        ]}
        onChange={(choice) => {
          if (choice === 'some') return set(kept);
          setKept(named);
          set([ALL]);
        }}
      />
      {!isAll && (
        <ul aria-label="Notebooks it may touch" className="flex max-h-60 flex-wrap gap-x-6 overflow-y-auto">
          {notebooks?.map(({ id, name }) => (
            <li key={id}>
              <Checkbox
                label={name}
                checked={named.includes(id)}
                onChange={({ target }) => toggle(id, target.checked)}
              />
            </li>
          ))}
          {unseen.map((id) => (
            <li key={id}>
              <Checkbox label={`${id} (not one you see)`} checked onChange={() => toggle(id, false)} />
            </li>
          ))}
        </ul>
      )}
      {!isAll && named.length === 0 && (
        <p className="text-small text-waits">
          {notebooks?.length === 0 ? 'The workspace has no notebook yet.' : 'None: it may touch no file at all.'}
        </p>
      )}
      {errorOf('scope.notebooks') && <p className="text-small text-failed">{errorOf('scope.notebooks')}</p>}
    </Part>
  );
}
