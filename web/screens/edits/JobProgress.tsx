import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, CircleDashed, CircleX, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import type { Job } from '../../../domain/edits/wire.ts';
import { callWords } from '../../call-words.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { QuestionCard } from '../../components/QuestionCard.tsx';
import { Working } from '../../components/Working.tsx';
import { SKIPPED } from '../../decisions.ts';
import { editsApi } from '../../edits-api.ts';
import { plural } from '../../format.ts';
import { lookOf } from '../../status.ts';
import type { Transcript } from '../../transcript.ts';
import type { CallItem, Item } from '../../transcript-items.ts';
import { jobKey } from './job-queries.ts';

const SHOWN = 6;

const isCall = (item: Item): item is CallItem => item.kind === 'call';

const words = (call: CallItem): string => {
  const edits = call.arguments.edits;
  if (call.name === 'propose_edits') return `Propose ${plural(Array.isArray(edits) ? edits.length : 0, 'edit')}`;
  if (call.name === 'clarify_user') return 'Ask you';
  const { verb, object } = callWords(call);
  const { glob } = call.arguments;
  return `${verb} ${object}${typeof glob === 'string' ? ` in ${glob}` : ''}`;
};

function CallLine({ call, isReviewed }: { call: CallItem; isReviewed: boolean }) {
  const { result } = call;
  return (
    <li className="flex min-w-0 items-center gap-2 text-small text-soft">
      {result === null && call.name === 'propose_edits' && isReviewed ? (
        <CircleDashed aria-label="waits for review" size={13} className="shrink-0 text-waits" />
      ) : result === null ? (
        <LoaderCircle aria-label="under way" size={13} className="shrink-0 animate-spin text-running" />
      ) : result.ok ? (
        <Check aria-label="done" size={13} className="shrink-0 text-done" />
      ) : (
        <CircleX aria-label="not done" size={13} className="shrink-0 text-failed" />
      )}
      <span className="min-w-0 truncate" title={words(call)}>
        {words(call)}
      </span>
      {result && !result.ok && <span className="shrink-0 text-failed">{result.error?.code}</span>}
    </li>
  );
}

/** What a job has done so far, and what it asks. It goes on whether anybody looks or not. */
export function JobProgress({ job, transcript }: { job: Job; transcript: Transcript }) {
  const client = useQueryClient();
  const [showsAll, setShowsAll] = useState(false);
  const onSettled = () => {
    client.invalidateQueries({ queryKey: jobKey(job.job_id) });
    client.invalidateQueries({ queryKey: ['inbox'] });
  };
  const answer = useMutation({
    mutationFn: ({ id, text }: { id: string; text: string }) =>
      editsApi.clarify(job.job_id, id, text === SKIPPED ? null : text),
    onSettled,
  });
  const cancel = useMutation({ mutationFn: () => editsApi.cancel(job.job_id), onSettled });
  const calls = transcript.items.filter(isCall);
  const shown = showsAll ? calls : calls.slice(-SHOWN);
  const { ended } = lookOf(job.status);
  const said = transcript.items.findLast((item) => item.kind === 'model' && item.text.trim() !== '');
  return (
    <section aria-label="Progress" className="flex flex-col gap-3">
      {!ended && job.status !== 'awaiting_review' && job.question === null && (
        <div className="flex flex-wrap items-center gap-3">
          <Working word={job.status === 'queued' ? 'Waits for its turn' : `${job.agent_name} is at work`} />
          <span className="text-small text-faint">
            {job.tool_calls} of {plural(job.max_tool_calls, 'tool call')}
          </span>
          <Button kind="quiet" className="ml-auto" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </div>
      )}
      {said?.kind === 'model' && <p className="line-clamp-4 break-words text-soft">{said.text}</p>}
      {calls.length > 0 && (
        <ul aria-label="Steps" className="flex flex-col gap-1.5">
          {shown.map((call) => (
            <CallLine key={call.key} call={call} isReviewed={job.status === 'awaiting_review'} />
          ))}
        </ul>
      )}
      {calls.length > SHOWN && (
        <Button kind="quiet" className="self-start" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show the last ones' : `Show all ${calls.length} steps`}
        </Button>
      )}
      {job.question && (
        <QuestionCard
          key={job.question.question_id}
          question={{ id: job.question.question_id, question: job.question.question }}
          busy={answer.isPending}
          error={answer.error}
          takesFocus
          onAnswer={(text) => answer.mutate({ id: job.question?.question_id ?? '', text })}
        />
      )}
      {cancel.error && <ErrorNote title="It was not cancelled" error={cancel.error} />}
    </section>
  );
}
