import { History, Plus, Sparkles, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Notebook } from '../../../domain/workspace.ts';
import { IconButton } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import type { Selection } from '../../edit-rows.ts';
import { lookOf } from '../../status.ts';
import { CurrentJob } from './CurrentJob.tsx';
import { checkpointsHref } from './hrefs.ts';
import { InstructionForm } from './InstructionForm.tsx';
import { useEditSession, useEditSessions, useJobRecord } from './job-queries.ts';
import { PastJobs } from './PastJobs.tsx';

interface Props {
  notebook: Notebook;
  /** The open file; null in a folder. */
  path: string | null;
  selection: Selection | null;
  onClose: () => void;
}

const NEW = 'new';

/** Edits over all files of a notebook: what is wanted, what the agent is doing about it, and what it did before. */
export function AgentSidebar({ notebook, path, selection, onClose }: Props) {
  const sessions = useEditSessions();
  const [choice, setChoice] = useState<string | null>(null);
  const mine = (sessions.data ?? []).filter(
    ({ notebook_id, status }) => notebook_id === notebook.id && status === 'active',
  );
  const chosen = choice ?? mine[0]?.id ?? NEW;
  const id = chosen === NEW ? null : chosen;
  const session = useEditSession(id);
  const jobs = session.data?.jobs ?? [];
  const [last, ...past] = jobs;
  // The job knows first that it is over; the list of the session follows.
  const { data: newest } = useJobRecord(last?.job_id ?? null);
  const isBusy = last !== undefined && !lookOf(newest?.status ?? last.status).ended;
  return (
    <aside
      aria-label="Agent"
      className="flex w-96 shrink-0 flex-col border-l border-line bg-surface max-lg:w-80 max-md:w-full max-md:border-l-0"
    >
      <header className="flex min-h-12 items-center gap-1 border-b border-line py-1.5 pr-2 pl-4">
        <h2 className="flex items-center gap-2 font-semibold">
          <Sparkles aria-hidden size={15} className="text-accent-ink" /> Agent
        </h2>
        <div className="ml-auto flex items-center gap-1">
          <Link
            to={checkpointsHref(notebook.id)}
            aria-label="Checkpoints"
            title="Checkpoints: what was applied, and the way back"
            className="inline-flex size-8 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink pointer-coarse:size-10"
          >
            <History aria-hidden size={15} />
          </Link>
          <IconButton label="New session" disabled={id === null} onClick={() => setChoice(NEW)}>
            <Plus aria-hidden size={15} />
          </IconButton>
          <IconButton label="Close the agent" onClick={onClose}>
            <X aria-hidden size={15} />
          </IconButton>
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
        {mine.length > 1 && (
          <Select label="Session" hideLabel value={chosen} onChange={(event) => setChoice(event.target.value)}>
            {chosen === NEW && <option value={NEW}>New session</option>}
            {mine.map((each) => (
              <option key={each.id} value={each.id}>
                {each.title || 'Untitled'}
              </option>
            ))}
          </Select>
        )}
        {(sessions.error || session.error) && (
          <ErrorNote title="The sessions could not be read" error={sessions.error ?? session.error ?? new Error('')} />
        )}
        {sessions.isPending || (id !== null && session.isPending) ? (
          <div aria-busy className="flex flex-col gap-3">
            <Skeleton className="w-2/3" />
            <Skeleton className="w-1/2" />
          </div>
        ) : last ? (
          <>
            <CurrentJob key={last.job_id} id={last.job_id} onOver={() => void session.refetch()} />
            <PastJobs jobs={past} />
          </>
        ) : (
          <EmptyState icon={Sparkles} title="Edit the whole notebook">
            Say what should change. The agent searches and reads, then proposes edits over as many files as it takes.
            You review them hunk by hunk; nothing is written before you apply it.
          </EmptyState>
        )}
      </div>
      <InstructionForm
        notebook={notebook}
        session={id === null ? null : (session.data ?? null)}
        isNew={id === null && !sessions.isPending}
        isBusy={isBusy}
        path={path}
        selection={selection}
        onStarted={setChoice}
        onNew={() => setChoice(NEW)}
      />
    </aside>
  );
}
