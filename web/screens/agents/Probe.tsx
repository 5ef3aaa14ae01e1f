import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Operation } from '../../../domain/agent.ts';
import { agentsApi, type Probed, type ProbeQuestion } from '../../agents-api.ts';
import { Select, TextField } from '../../components/Fields.tsx';
import { marksOf, NO_MARKS, probeWords } from '../../probe-words.ts';
import { useNotebooks } from '../../queries.ts';
import { useSettled } from '../../settled.ts';
import { notebookFor } from '../frame/composer.ts';
import { useForm } from './form.ts';

const PAUSE_MS = 200;
const OPERATIONS: readonly Operation[] = ['read', 'write', 'create', 'delete', 'execute'];
const operationIn = (text: string): Operation => OPERATIONS.find((each) => each === text) ?? 'read';

/** "May it write /drafts/a.md in Notes?", answered by the server for the form as it stands, saved or not. */
export function Probe() {
  const { draft } = useForm();
  const { data: notebooks = [] } = useNotebooks();
  const [operation, setOperation] = useState<Operation>('write');
  const [path, setPath] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const notebook = notebooks.find(({ id }) => id === chosen) ?? notebookFor(draft, notebooks) ?? notebooks[0];
  return (
    <section
      aria-label="Probe"
      className="sticky bottom-0 z-10 flex flex-col gap-2 rounded-lg border border-line bg-raised p-3 shadow-float max-sm:static"
    >
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">May it</span>
        <div className="w-28">
          <Select
            label="Operation"
            hideLabel
            value={operation}
            onChange={({ target }) => setOperation(operationIn(target.value))}
          >
            {OPERATIONS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        </div>
        <div className="min-w-40 flex-1">
          <TextField
            label="Path to probe"
            hideLabel
            placeholder="/drafts/a.md"
            className="font-mono"
            spellCheck={false}
            autoCapitalize="off"
            value={path}
            onChange={({ target }) => setPath(target.value)}
          />
        </div>
        <span>in</span>
        <div className="w-44 max-w-full max-sm:flex-1">
          <Select
            label="Notebook to probe"
            hideLabel
            value={notebook?.id ?? ''}
            onChange={({ target }) => setChosen(target.value)}
          >
            {notebooks.length === 0 && <option value="">No notebook</option>}
            {notebooks.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </div>
        <span className="font-medium">?</span>
      </div>
      {path.trim() === '' || !notebook ? (
        <p className="text-small text-faint">
          Type a path: the guard answers for the form as it stands, saved or not, and the rule that decides is marked.
        </p>
      ) : (
        <Answer notebookId={notebook.id} path={path.trim()} operation={operation} />
      )}
    </section>
  );
}

function Answer({ notebookId, path, operation }: { notebookId: string; path: string; operation: Operation }) {
  const { draft, setMarks } = useForm();
  const agent: Probed = {
    scope: draft.scope,
    can_read: draft.can_read,
    can_write: draft.can_write,
    can_create: draft.can_create,
    can_delete: draft.can_delete,
    can_execute_code: draft.can_execute_code,
    can_access_integrations: draft.can_access_integrations,
    confirmation: draft.confirmation,
    system_tools: draft.system_tools,
  };
  const question: ProbeQuestion = { agent, notebook_id: notebookId, path, operation };
  const settled = useSettled(JSON.stringify(question), PAUSE_MS);
  const probe = useQuery({
    queryKey: ['probe', settled],
    queryFn: async ({ signal }) => {
      const asked: ProbeQuestion = JSON.parse(settled);
      return { ...(await agentsApi.probe(asked, signal)), operation: asked.operation };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const answer = probe.error ? undefined : probe.data;
  const rule = answer?.rule;
  useEffect(() => {
    setMarks(rule === undefined ? NO_MARKS : marksOf({ rule }, operation));
    return () => setMarks(NO_MARKS);
  }, [rule, operation, setMarks]);

  const isOld = probe.isPlaceholderData || settled !== JSON.stringify(question);
  return (
    <p role="status" aria-busy={isOld} className={`flex min-h-5 items-start gap-2 ${isOld ? 'opacity-60' : ''}`}>
      {probe.error ? (
        <span className="text-failed">The guard could not be asked: {probe.error.message}</span>
      ) : answer === undefined ? (
        <span className="text-faint">Asking…</span>
      ) : (
        <>
          {answer.allowed ? (
            <CircleCheck aria-hidden size={16} className="mt-0.5 shrink-0 text-done" />
          ) : (
            <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-failed" />
          )}
          <span className="min-w-0 break-words">
            {probeWords(answer, answer.operation)}
            {answer.path !== path && <span className="text-faint"> Judged as {answer.path}.</span>}
          </span>
        </>
      )}
    </p>
  );
}
