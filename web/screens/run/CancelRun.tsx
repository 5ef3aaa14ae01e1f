import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunStatus } from '../../../domain/run.ts';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { toast } from '../../components/Toasts.tsx';
import { lookOf } from '../../status.ts';

export function CancelRun({ id, status }: { id: string; status: RunStatus }) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => api.cancelRun(id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['run', id] }),
    onError: (error) => toast(error.message, 'failed'),
  });
  if (lookOf(status).ended) return null;
  return (
    <>
      <Button kind="danger" busy={cancel.isPending || cancel.isSuccess} onClick={() => setAsks(true)}>
        {cancel.isSuccess ? 'Cancelling…' : 'Cancel run'}
      </Button>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title="Cancel this run?"
        description="It stops within seconds and cannot be taken up again. What it has done so far stays."
        confirm="Yes, cancel it"
        keep="Keep running"
        onConfirm={() => cancel.mutate()}
      />
    </>
  );
}
