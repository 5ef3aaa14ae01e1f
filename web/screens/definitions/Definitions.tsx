import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus, SearchX, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAddress } from '../../address.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Page } from '../../components/Page.tsx';
import { SearchField } from '../../components/SearchField.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useDefinitions } from '../../definition-queries.ts';
import { type DefinedKind, definitionsApi, mayBulkDelete, PLACES } from '../../definitions-api.ts';
import { count, plural } from '../../format.ts';
import { useWorkspace } from '../../queries.ts';
import { withChanges } from '../../run-filters.ts';
import { DefinitionRow } from './DefinitionRow.tsx';
import { KIND_WORDS } from './kinds.ts';
import { ToolKinds } from './ToolKinds.tsx';

const AT_ONCE = 100;

/** All definitions of a kind in the workspace. */
export function Definitions({ kind }: { kind: DefinedKind }) {
  const role = useWorkspace()?.role;
  const mayMake = kind === 'integration' ? role === 'admin' : role === 'write' || role === 'admin';
  const [address, setAddress] = useAddress();
  const text = address.get('q') ?? '';
  const show = address.get('show') ?? '';
  const list = useDefinitions(kind, { isActive: show !== 'deleted' });
  const [shown, setShown] = useState(AT_ONCE);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  // What people have made here is what they look for; the rest comes with the product.
  const sorted = list.data?.toSorted((a, b) => Number(a.is_builtin) - Number(b.is_builtin));
  const found = sorted?.filter(({ name, description, is_builtin }) => {
    if ((show === 'own' && is_builtin) || (show === 'builtin' && !is_builtin)) return false;
    return words.every((word) => `${name} ${description}`.toLowerCase().includes(word));
  });
  const change = (changes: Record<string, string>): void => {
    setShown(AT_ONCE);
    setPicked([]);
    setAddress(withChanges(address, changes));
  };
  const { icon, title, make, empty, teaches } = KIND_WORDS[kind];
  const isEmpty = list.data?.length === 0 && show === '';
  const isFiltered = text !== '' || show !== '';
  return (
    <Page title={title} action={mayMake && <MakeLink kind={kind} name={make} />}>
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-6 max-sm:p-4">
        {kind !== 'evaluator' && <ToolKinds at={PLACES[kind].page} />}
        {list.error && !list.data ? (
          <ErrorNote title={`The ${PLACES[kind].nouns} could not be read`} error={list.error} />
        ) : isEmpty ? (
          <EmptyState
            icon={icon}
            title={empty}
            action={
              mayMake && <ButtonLink to={`${PLACES[kind].page}/new`}>Make the first {PLACES[kind].noun}</ButtonLink>
            }
          >
            {teaches} {!mayMake && kind === 'integration' && 'An admin of the workspace can register one.'}
          </EmptyState>
        ) : (
          <>
            <search aria-label={`Find ${PLACES[kind].nouns}`} className="flex gap-2 max-sm:flex-col">
              <SearchField
                label={`Search ${PLACES[kind].nouns}`}
                placeholder="Search by name or what it is for"
                value={text}
                onChange={({ target }) => change({ q: target.value })}
              />
              <div className="w-44 max-sm:w-full">
                <Select label="Show" hideLabel value={show} onChange={({ target }) => change({ show: target.value })}>
                  <option value="">All</option>
                  {kind === 'tool' && <option value="own">Made here</option>}
                  {kind === 'tool' && <option value="builtin">Built in</option>}
                  <option value="deleted">Deleted</option>
                </Select>
              </div>
            </search>
            {picked.length > 0 && mayBulkDelete(kind) && (
              <DeleteMany kind={kind} ids={picked} onDone={() => setPicked([])} />
            )}
            {found?.length === 0 ? (
              <EmptyState
                icon={SearchX}
                title={show === 'deleted' ? 'Nothing was deleted' : 'Nothing is like that'}
                action={isFiltered && <Button onClick={() => change({ q: '', show: '' })}>Show all</Button>}
              >
                {show === 'deleted'
                  ? 'What you delete is kept here, and can be brought back.'
                  : 'Every word must be in its name or description.'}
              </EmptyState>
            ) : (
              <ul
                aria-label={title}
                aria-busy={list.isPending}
                className="divide-y divide-line rounded-lg border border-line"
              >
                {found
                  ? found
                      .slice(0, shown)
                      .map((each) => (
                        <DefinitionRow
                          key={each.id}
                          kind={kind}
                          definition={each}
                          isPicked={picked.includes(each.id)}
                          onPick={
                            mayBulkDelete(kind) && show !== 'deleted'
                              ? (isPicked) =>
                                  setPicked(isPicked ? [...picked, each.id] : picked.filter((id) => id !== each.id))
                              : null
                          }
                        />
                      ))
                  : [0, 1, 2].map((each) => (
                      <li key={each} className="flex h-16 items-center px-4">
                        <Skeleton className="w-1/2" />
                      </li>
                    ))}
              </ul>
            )}
            {found && found.length > shown && (
              <Button className="self-center" onClick={() => setShown(shown + AT_ONCE)}>
                Show more ({count(found.length - shown)} left)
              </Button>
            )}
          </>
        )}
      </div>
    </Page>
  );
}

interface DeleteManyProps {
  kind: 'tool' | 'evaluator';
  ids: readonly string[];
  onDone: () => void;
}

function DeleteMany({ kind, ids, onDone }: DeleteManyProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => definitionsApi.removeMany(kind, [...ids]),
    onSuccess: ({ deleted, failed }) => {
      if (deleted.length > 0) toast(`Deleted ${plural(deleted.length, PLACES[kind].noun)}`);
      if (failed.length === 0) onDone();
    },
    onError: (error) => toast(error.message, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['definitions', kind] }),
  });
  const failed = remove.data?.failed ?? [];
  return (
    <div className="flex flex-col gap-2 rounded-md bg-canvas p-3">
      <div className="flex items-center gap-3">
        <span className="flex-1">{plural(ids.length, PLACES[kind].noun)} chosen</span>
        <Button kind="quiet" onClick={onDone}>
          Choose none
        </Button>
        <Button kind="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          <Trash2 aria-hidden size={14} /> Delete
        </Button>
      </div>
      {failed.length > 0 && (
        <ul role="alert" className="flex flex-col gap-1 text-failed">
          {failed.map(({ id, reason }) => (
            <li key={id} className="break-words">
              {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function MakeLink({ kind, name }: { kind: DefinedKind; name: string }) {
  return (
    <ButtonLink kind="primary" to={`${PLACES[kind].page}/new`}>
      <Plus aria-hidden size={15} /> {name}
    </ButtonLink>
  );
}
