import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ChangeStatus } from '../../../domain/edits/change-log.ts';
import { afterReply, withStatuses } from '../../../domain/edits/job-after.ts';
import type { ChangesBody, Job, ReviewBody, ReviewReply } from '../../../domain/edits/wire.ts';
import { toast } from '../../components/Toasts.tsx';
import { acceptedIds, NO_STEPS, type Steps, stepped, steppedBack, steppedForth } from '../../edit-review.ts';
import { editsApi } from '../../edits-api.ts';
import { plural } from '../../format.ts';
import { ApiError, newKey, outlast } from '../../http.ts';
import { goOn, jobKey, reviewFileKey } from './job-queries.ts';

type Statuses = Readonly<Record<string, ChangeStatus>>;

const STATUS: Record<NonNullable<ReviewBody['decision']>, ChangeStatus> = {
  accept: 'accepted',
  reject: 'rejected',
  pending: 'pending',
};

/** What a decision comes to, as far as that can be told before it is answered. */
function foreseen({ diff_bundle }: Job, { hunk_id, hunk_ids, file_path, decision }: ReviewBody): Statuses {
  if (!decision) return {};
  const file = diff_bundle?.files.find((each) => each.file_path === file_path);
  const ids = hunk_ids ?? (hunk_id === undefined ? file?.hunks.map((each) => each.hunk_id) : [hunk_id]) ?? [];
  return Object.fromEntries(ids.map((each) => [each, STATUS[decision]]));
}

/** All that a person does in a review. One thing after the other, in the order in which it was done. */
export function useReviewing(job: Job) {
  const id = job.job_id;
  const client = useQueryClient();
  const [steps, setSteps] = useState<Steps>(NO_STEPS);
  const proposal = job.review?.proposal ?? 0;
  const applyKey = useRef(newKey());

  /** Shown and not answered yet: who decides fast must not wait for each answer, nor see it taken back by an earlier one. */
  const ahead = useRef<Statuses[]>([]);
  const withAhead = (now: Job): Job => ahead.current.reduce((so, statuses) => withStatuses(so, statuses).job, now);

  async function take(reply: ReviewReply): Promise<void> {
    await client.cancelQueries({ queryKey: jobKey(id) });
    const now = client.getQueryData<Job>(jobKey(id));
    if (!now) return;
    for (const file of reply.files) client.setQueryData([...reviewFileKey(id, file.file_path), proposal], file);
    const read = new Set(reply.files.map(({ file_path }) => file_path));
    const { job: after, touched, stale } = afterReply(now, reply);
    await goOn(client, { job: withAhead(after), touched: touched.filter((path) => !read.has(path)), stale });
  }
  const refresh = (): void => {
    client.invalidateQueries({ queryKey: jobKey(id) });
    client.invalidateQueries({ queryKey: ['job-file', id] });
  };
  const scope = { id: `review-${id}` };
  const onError = (_error: Error, _body: unknown, kept: { before: Steps } | undefined): void => {
    if (kept) setSteps(kept.before);
    refresh();
  };

  const review = useMutation({
    scope,
    // A decision that was taken already changes nothing; a comment would be there twice.
    mutationFn: (body: ReviewBody) =>
      body.comment === undefined ? outlast(() => editsApi.review(id, body)) : editsApi.review(id, body),
    onMutate: (body) => {
      const now = client.getQueryData<Job>(jobKey(id)) ?? job;
      const statuses = foreseen(now, body);
      const { job: next, touched } = withStatuses(now, statuses);
      ahead.current.push(statuses);
      client.setQueryData<Job>(jobKey(id), next);
      // What changes nothing is no step to the server either.
      if (touched.length > 0) setSteps((done) => stepped(done, touched));
      return { statuses, before: steps };
    },
    onSuccess: (reply, _body, { statuses }) => {
      ahead.current = ahead.current.filter((each) => each !== statuses);
      return take(reply);
    },
    onError: (error, body, kept) => {
      ahead.current = ahead.current.filter((each) => each !== kept?.statuses);
      onError(error, body, kept);
    },
  });
  const change = useMutation({
    scope,
    mutationFn: (body: ChangesBody) => editsApi.change(id, body),
    onMutate: ({ file_path, file_paths, undo, redo }) => {
      const paths = file_paths ?? [file_path ?? ''];
      setSteps((now) => (undo ? steppedBack(now, paths) : redo ? steppedForth(now, paths) : stepped(now, paths)));
      return { before: steps };
    },
    onSuccess: take,
    onError,
  });
  const apply = useMutation({
    scope,
    mutationFn: () =>
      editsApi.apply(
        { session_id: job.session_id, job_id: id, accepted_hunk_ids: acceptedIds(job.diff_bundle?.files ?? []) },
        applyKey.current,
      ),
    onSuccess: ({ applied_files, status }) => {
      if (status === 'completed') toast(`Applied: ${plural(applied_files.length, 'file')} written`);
      client.invalidateQueries({ queryKey: ['file'] });
    },
    onSettled: (_, error) => {
      // Once it was answered, a new try is another apply. Where no answer came it is still the same one.
      if (!(error instanceof ApiError && error.status === 0)) applyKey.current = newKey();
      refresh();
      client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  const rerun = useMutation({
    mutationFn: (comment: string) => editsApi.rerun(id, comment),
    onSettled: () => {
      refresh();
      client.invalidateQueries({ queryKey: ['inbox'] });
      client.invalidateQueries({ queryKey: ['edit-session'] });
    },
  });
  const problem = [review.error, change.error].find((error) => error !== null) ?? null;
  const forget = (): void => {
    review.reset();
    change.reset();
  };
  return { review, change, apply, rerun, steps, problem, forget };
}

export type Reviewing = ReturnType<typeof useReviewing>;
