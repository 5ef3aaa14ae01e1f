import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { afterEvents, type JobAfter, withHunks } from '../../../domain/edits/job-after.ts';
import type { Job } from '../../../domain/edits/wire.ts';
import { editsApi } from '../../edits-api.ts';
import { useRunFeed } from '../../live-hooks.ts';

export const jobKey = (id: string) => ['job', id];
export const reviewFileKey = (id: string, path: string) => ['job-file', id, path];

const TOGETHER_MS = 150;

export const useJobRecord = (id: string | null) =>
  useQuery({ queryKey: jobKey(id ?? ''), queryFn: () => editsApi.job(id ?? ''), enabled: id !== null });

/** More than this and one reading of the whole job is the smaller part. */
const MOST_FILES_READ = 8;

/** Shows a job as it is after a step of its review, and reads again only what that does not tell. */
export async function goOn(client: QueryClient, { job, touched, stale }: JobAfter): Promise<void> {
  const id = job.job_id;
  client.setQueryData<Job>(jobKey(id), job);
  for (const path of touched) client.invalidateQueries({ queryKey: reviewFileKey(id, path) });
  if (stale.length === 0) return;
  if (stale.length > MOST_FILES_READ) return client.invalidateQueries({ queryKey: jobKey(id) });
  const read = await Promise.all(stale.map((path) => editsApi.file(id, path)));
  client.setQueryData<Job>(jobKey(id), (now) => now && withHunks(now, read));
}

/** What its log tells that is not shown yet. Decisions of a review are told by their events; for all else it is read. */
async function catchUp(client: QueryClient, id: string): Promise<void> {
  const known = client.getQueryData<Job>(jobKey(id));
  const told = known?.diff_bundle ? await editsApi.events(id, known.cursor + 1).catch(() => null) : null;
  const now = client.getQueryData<Job>(jobKey(id));
  const after = told && now ? afterEvents(now, told.events) : null;
  if (after) return goOn(client, after);
  // Told meanwhile by the reply to a step of one's own.
  if (told && now && now.cursor >= told.next_cursor - 1) return;
  client.invalidateQueries({ queryKey: jobKey(id) });
  client.invalidateQueries({ queryKey: ['job-file', id] });
}

/** Ends a job whose proposal nobody wants. */
export function useDiscard(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => editsApi.cancel(id),
    onSettled: () => client.invalidateQueries({ queryKey: jobKey(id) }),
  });
}

/** A job and what it says, live. */
export function useJob(id: string) {
  const client = useQueryClient();
  const feed = useRunFeed(id);
  const job = useJobRecord(id);
  const seen = job.data?.cursor ?? 0;
  const told = feed.transcript.next_cursor - 1;
  useEffect(() => {
    if (told <= seen) return;
    const timer = window.setTimeout(() => void catchUp(client, id), TOGETHER_MS);
    return () => window.clearTimeout(timer);
  }, [client, id, told, seen]);
  return { job, feed };
}

export const useReviewFile = (id: string, path: string, proposal: number) =>
  useQuery({
    // Another proposal has other texts.
    queryKey: [...reviewFileKey(id, path), proposal],
    queryFn: ({ signal }) => editsApi.file(id, path, signal),
    enabled: path !== '',
  });

export const useEditSessions = () =>
  useQuery({ queryKey: ['edit-sessions'], queryFn: editsApi.sessions, select: (page) => page.items });

export const useEditSession = (id: string | null) =>
  useQuery({ queryKey: ['edit-session', id], queryFn: () => editsApi.session(id ?? ''), enabled: id !== null });

export const useCheckpoint = (id: string) =>
  useQuery({
    queryKey: ['checkpoint', id],
    queryFn: () => editsApi.checkpoint(id),
    refetchOnWindowFocus: 'always',
    // A save goes on without the request that asked for it.
    refetchInterval: ({ state }) => (state.data?.rollback?.state === 'saving' ? 1_000 : false),
  });
