import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Evidence } from '../../../domain/evidence.ts';
import { CUT_WORDS } from '../../command-outcome.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Block } from '../../components/Value.tsx';
import { download } from '../../download.ts';
import { evidenceApi } from '../../evidence-api.ts';
import { duration } from '../../format.ts';
import { Fact } from './Section.tsx';

/** What a call has executed, exactly as it was, and all that it said. */
export function CommandEvidence({
  runId,
  callId,
  otherwise,
}: {
  runId: string;
  callId: string;
  /** Where nothing was kept of it: it was cut off with its worker, or never begun. */
  otherwise: ReactNode;
}) {
  const found = useQuery({
    queryKey: ['evidence', runId, callId],
    queryFn: () => evidenceApi.ofCall(runId, callId),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (found.error) return <ErrorNote title="The evidence could not be read" error={found.error} />;
  if (!found.data) return <Skeleton className="h-16 w-full" />;
  if (found.data.items.length === 0) return otherwise;
  return (
    <ul aria-label="Evidence" className="flex flex-col gap-5">
      {found.data.items.map((evidence) => (
        <li key={evidence.id} className="flex flex-col gap-3">
          <Summary evidence={evidence} />
          <Output runId={runId} evidence={evidence} />
        </li>
      ))}
    </ul>
  );
}

function Summary({ evidence }: { evidence: Evidence }) {
  const { operation, argv, cwd, exit_code, signal, cut, duration_ms, network, report } = evidence;
  const isBad = cut !== null || exit_code !== 0;
  return (
    <>
      <pre className="font-mono text-small break-words whitespace-pre-wrap">$ {typed(argv)}</pre>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {operation === 'setup' && <Fact name="Operation">Set-up of the notebook</Fact>}
        <Fact name="Exit">
          <span className={isBad ? 'text-failed' : 'text-done'}>
            {cut === null ? (exit_code ?? signal ?? '?') : CUT_WORDS[cut]}
          </span>
        </Fact>
        <Fact name="Time">{duration(duration_ms)}</Fact>
        <Fact name="In">
          <span className="font-mono text-small">{cwd}</span>
        </Fact>
        {network && <Fact name="Network">Public addresses</Fact>}
        {evidence.confinement !== 'bubblewrap' && <Fact name="Confinement">None</Fact>}
        {report && (
          <Fact name={`Tests (${report.runner})`}>
            {report.passed} passed,{' '}
            <span className={report.failed > 0 ? 'text-failed' : ''}>{report.failed} failed</span>
            {report.skipped > 0 && `, ${report.skipped} skipped`}
          </Fact>
        )}
      </dl>
      {report && report.failing.length > 0 && (
        <ul aria-label="Failing tests" className="list-disc pl-5 font-mono text-small text-failed">
          {report.failing.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What was given to a shell is shown as it was given. */
const typed = (argv: readonly string[]): string =>
  /\/(?:ba)?sh$/.test(argv[0] ?? '') && argv[1] === '-c' ? (argv[2] ?? '') : argv.join(' ');

function Output({ runId, evidence }: { runId: string; evidence: Evidence }) {
  const parts = useInfiniteQuery({
    queryKey: ['evidence-output', runId, evidence.id],
    queryFn: ({ pageParam }) => evidenceApi.part(runId, evidence.id, pageParam),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next_offset,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const keeping = useMutation({
    mutationFn: () => evidenceApi.output(runId, evidence.id),
    onSuccess: (output) => download(`${evidence.id}.txt`, output, 'text/plain;charset=utf-8'),
  });
  if (parts.error) return <ErrorNote title="The output could not be read" error={parts.error} />;
  if (!parts.data) return <Skeleton className="h-16 w-full" />;
  const text = parts.data.pages.map(({ output }) => output).join('');
  if (text === '') return <p className="text-faint">It said nothing.</p>;
  return (
    <div className="flex flex-col items-start gap-3">
      <div className="w-full">
        <Block text={text} label="Output" />
      </div>
      <div className="flex flex-wrap gap-2">
        {parts.hasNextPage && (
          <Button busy={parts.isFetchingNextPage} onClick={() => void parts.fetchNextPage()}>
            Show more of {evidence.output_chars.toLocaleString('en')} characters
          </Button>
        )}
        <Button busy={keeping.isPending} onClick={() => keeping.mutate()}>
          <Download size={16} aria-hidden />
          Download output
        </Button>
      </div>
      {keeping.error && <ErrorNote title="The output could not be downloaded" error={keeping.error} />}
    </div>
  );
}
