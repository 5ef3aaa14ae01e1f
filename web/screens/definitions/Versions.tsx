import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createPatch } from 'diff';
import { History, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { DefinitionChange, VersionLine } from '../../../domain/definition-diff.ts';
import { Button } from '../../components/Button.tsx';
import { Diff } from '../../components/Diff.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { definitionsApi } from '../../definitions-api.ts';
import { asText } from '../../format.ts';
import { Uses } from './Uses.tsx';

interface Props {
  /** Of an agent, a tool, a workflow, an evaluator or an integration. */
  id: string;
  /** The version that is shown beside it. */
  version: number;
  mayChange: boolean;
  /** Something is typed and not saved yet: going back would be lost under it. */
  isDirty?: boolean;
  /** After a version was brought back: the page reads the definition again. */
  onChanged: () => void;
}

/** Every version of a definition: who changed what, the difference between any two, and a way back to each. */
export function Versions({ id, version, mayChange, isDirty = false, onChanged }: Props) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<number | null>(null);
  const list = useInfiniteQuery({
    queryKey: ['versions', id, version],
    queryFn: ({ pageParam }) => definitionsApi.versions(id, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  const back = useMutation({
    mutationFn: (n: number) => definitionsApi.rollback(id, n, version),
    onSuccess: (made) => {
      setChosen(null);
      toast(`${made.changes}: it is version ${made.version} now`);
      onChanged();
      void client.invalidateQueries({ queryKey: ['versions', id] });
    },
  });
  const versions = list.data?.pages.flatMap((page) => page.versions);
  if (list.error && !versions) return <ErrorNote title="The versions could not be read" error={list.error} />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ol
        aria-label="Versions"
        aria-busy={list.isPending}
        className="divide-y divide-line rounded-md border border-line"
      >
        {versions?.map((each) => (
          <Line
            key={each.version}
            of={id}
            line={each}
            versions={versions}
            isNewest={each.version === version}
            isChosen={chosen === each.version}
            onChoose={() => setChosen(chosen === each.version ? null : each.version)}
            action={
              mayChange && each.version !== version ? (
                <Button
                  busy={back.isPending}
                  disabled={isDirty}
                  title={isDirty ? 'Save or discard your changes first' : undefined}
                  onClick={() => back.mutate(each.version)}
                >
                  <Undo2 aria-hidden size={14} /> Roll back to version {each.version}
                </Button>
              ) : null
            }
          />
        )) ?? (
          <li className="px-3 py-3">
            <Skeleton className="w-1/2" />
          </li>
        )}
      </ol>
      {list.hasNextPage && (
        <Button className="self-center" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show earlier versions
        </Button>
      )}
      <Uses title="It was not rolled back" error={back.error} onClose={back.reset} />
    </div>
  );
}

interface LineProps {
  of: string;
  line: VersionLine;
  versions: VersionLine[];
  isNewest: boolean;
  isChosen: boolean;
  onChoose: () => void;
  action: React.ReactNode;
}

function Line({ of, line, versions, isNewest, isChosen, onChoose, action }: LineProps) {
  const { version, changes, updated_by, updated_by_name, updated_at } = line;
  const [against, setAgainst] = useState<number | null>(null);
  const other = against ?? (isNewest ? version - 1 : (versions[0]?.version ?? version - 1));
  const others = versions.filter((each) => each.version !== version);
  return (
    <li className="flex min-w-0 flex-col">
      <button
        type="button"
        aria-expanded={isChosen}
        onClick={onChoose}
        className="flex min-h-10 min-w-0 items-center gap-x-3 gap-y-0.5 px-3 py-2 text-left hover:bg-hover max-sm:flex-wrap pointer-coarse:min-h-11"
      >
        <History aria-hidden size={14} className="shrink-0 text-faint" />
        <span className="shrink-0 font-medium tabular-nums">
          v{version}
          {isNewest && <span className="font-normal text-faint"> now</span>}
        </span>
        <span className="min-w-0 flex-1 truncate max-sm:basis-full" title={changes}>
          {changes}
        </span>
        <span className="shrink-0 text-small text-faint">
          {updated_by_name ?? (updated_by === 'system' ? 'Longhaul' : 'somebody who has left')} ·{' '}
          <Ago at={updated_at} />
        </span>
      </button>
      {isChosen && (
        <div className="flex min-w-0 flex-col gap-3 border-t border-line bg-canvas p-3">
          {others.length > 0 && (
            <div className="flex flex-wrap items-end justify-between gap-3">
              <div className="w-56 max-sm:w-full">
                <Select
                  label="Compare with"
                  value={String(other)}
                  onChange={({ target }) => setAgainst(Number(target.value))}
                >
                  {others.map((each) => (
                    <option key={each.version} value={each.version}>
                      version {each.version}
                    </option>
                  ))}
                </Select>
              </div>
              {action}
            </div>
          )}
          {other >= 1 && other !== version ? (
            <Changes of={of} from={Math.min(other, version)} to={Math.max(other, version)} />
          ) : (
            <p className="text-soft">The first version: there is none to compare it with.</p>
          )}
        </div>
      )}
    </li>
  );
}

function Changes({ of, from, to }: { of: string; from: number; to: number }) {
  const diff = useQuery({
    queryKey: ['version-diff', of, from, to],
    queryFn: () => definitionsApi.diff(of, from, to),
    // What a definition was at a version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (diff.error && !diff.data) return <ErrorNote title="The difference could not be read" error={diff.error} />;
  if (!diff.data) return <Skeleton className="h-16 w-full" />;
  return (
    <section aria-label={`From version ${from} to version ${to}`} className="flex min-w-0 flex-col gap-3">
      <p className="text-small text-faint">
        From version {from} to version {to}
      </p>
      {diff.data.changes.length === 0 && <p className="text-soft">They are the same.</p>}
      {diff.data.changes.map((change) => (
        <Diff key={change.path} label={change.path} patch={patchOf(change)} />
      ))}
    </section>
  );
}

const lines = (value: unknown): string => (value === null ? '' : `${asText(value)}\n`);

const patchOf = ({ path, before, after }: DefinitionChange): string =>
  createPatch(path, lines(before), lines(after), '', '', { context: 3 });
