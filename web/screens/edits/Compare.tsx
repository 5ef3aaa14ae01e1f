import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Checkpoint, Diff3 } from '../../../domain/edits/wire.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { editsApi } from '../../edits-api.ts';
import { fileHref } from '../../file-paths.ts';
import { plural } from '../../format.ts';
import { useIsNarrow } from '../../media.ts';
import { SIDES, type ThreeRow, threeParts } from '../../three-way.ts';

interface Props {
  checkpoint: Checkpoint;
  path: string;
  /** Now is a rollback that is not saved. */
  isBuffer: boolean;
}

/** One file three times: as it is, as it was before the job, as the agent proposed it. */
export function Compare({ checkpoint, path, isBuffer }: Props) {
  const id = checkpoint.checkpoint_id;
  const found = useQuery({
    queryKey: ['compare', id, path],
    queryFn: ({ signal }) => editsApi.compare(id, path, signal),
    enabled: path !== '',
    refetchOnWindowFocus: 'always',
  });
  const names = {
    current: isBuffer ? 'After the rollback, not saved' : 'Now',
    base: 'Before the job',
    proposed: 'Proposed by the agent',
  };
  return (
    <section aria-label="Compare" className="flex min-w-0 flex-1 flex-col">
      <header className="flex min-h-12 flex-wrap items-center gap-x-4 border-b border-line px-4 py-1.5">
        <h2 className="min-w-0 truncate font-mono text-small font-medium">
          <Link to={fileHref(checkpoint.notebook_id, `/${path}`)} className="rounded hover:underline">
            {path}
          </Link>
        </h2>
        <p className="flex flex-wrap gap-x-3 text-small text-soft">
          <Key wash="bg-running-wash" word="changed now" />
          <Key wash="bg-done-wash" word="proposed" />
          <Key wash="bg-chosen" word="both the same" />
          <Key wash="bg-failed-wash" word="both, differently" />
        </p>
      </header>
      {found.error && !found.data ? (
        <div className="p-4">
          <ErrorNote title="The file could not be compared" error={found.error} />
        </div>
      ) : found.data ? (
        <Versions found={found.data} names={names} />
      ) : (
        <Skeleton className="m-6 h-24" />
      )}
    </section>
  );
}

const Key = ({ wash, word }: { wash: string; word: string }) => (
  <span className="flex items-center gap-1.5">
    <span aria-hidden className={`size-3 rounded-xs ring-1 ring-line ${wash}`} /> {word}
  </span>
);

type Names = Record<(typeof SIDES)[number], string>;

/** Which sides of a row are coloured, and how. */
const WASH: Record<ThreeRow['kind'], Names> = {
  same: { current: '', base: '', proposed: '' },
  current: { current: 'bg-running-wash', base: '', proposed: '' },
  proposed: { current: '', base: '', proposed: 'bg-done-wash' },
  both: { current: 'bg-chosen', base: '', proposed: 'bg-chosen' },
  conflict: { current: 'bg-failed-wash', base: '', proposed: 'bg-failed-wash' },
};

function Versions({ found, names }: { found: Diff3; names: Names }) {
  const isNarrow = useIsNarrow();
  const parts = threeParts(found.regions);
  const exists = {
    current: found.current_file.exists,
    base: found.checkpoint_base.exists,
    proposed: found.agent_proposed.exists,
  };
  if (isNarrow) return <Stacked found={found} names={names} />;
  return (
    <section
      aria-label={`${found.file_path}: three versions`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto -outline-offset-2"
    >
      <table className="w-full table-fixed border-collapse font-mono text-small">
        <thead>
          <tr>
            {SIDES.map((side) => (
              <th
                key={side}
                scope="col"
                className="border-b border-l border-line px-3 py-1.5 text-left font-sans font-normal text-faint first:border-l-0"
              >
                {names[side]}
                {!exists[side] && ': no file'}
              </th>
            ))}
          </tr>
        </thead>
        {parts.map((part) =>
          part.type === 'gap' ? (
            <tbody key={part.key}>
              <tr>
                <td colSpan={3} className="bg-canvas px-3 py-1 text-center font-sans text-faint">
                  {plural(part.lines, 'line')} the same in all three
                </td>
              </tr>
            </tbody>
          ) : (
            <tbody key={part.key}>
              {part.rows.map(({ key, kind, cells }) => (
                <tr key={key}>
                  {SIDES.map((side) => (
                    <td
                      key={side}
                      className={`border-l border-line px-0 align-top first:border-l-0 ${WASH[kind][side]}`}
                    >
                      <span className="flex leading-5">
                        <span aria-hidden className="w-9 shrink-0 pr-2 text-right text-faint select-none">
                          {cells[side]?.line}
                        </span>
                        <span className="min-w-0 pr-2 break-words whitespace-pre-wrap">{cells[side]?.text}</span>
                      </span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          ),
        )}
      </table>
    </section>
  );
}

/** Where three columns do not fit: each place that differs, one version under the other. */
function Stacked({ found, names }: { found: Diff3; names: Names }) {
  const regions = found.regions.filter(({ kind }) => kind !== 'same');
  if (regions.length === 0) return <p className="p-4 text-soft">All three versions are the same.</p>;
  return (
    <ol className="flex flex-col gap-4 p-3">
      {regions.map((region) => (
        <li
          key={`${region.base.start_line} ${region.current.start_line}`}
          className="overflow-hidden rounded-lg border border-line"
        >
          {SIDES.map((side) => (
            <div key={side} className={`border-t border-line first:border-t-0 ${WASH[region.kind][side]}`}>
              <p className="px-3 pt-1.5 text-small text-faint">
                {names[side]}, line {region[side].start_line}
              </p>
              <pre className="px-3 pb-1.5 font-mono text-small break-words whitespace-pre-wrap">
                {region[side].lines.join('').replace(/\n$/, '') || '(nothing)'}
              </pre>
            </div>
          ))}
        </li>
      ))}
    </ol>
  );
}
