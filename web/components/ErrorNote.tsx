import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { failureHint, isFailureCode } from '../../domain/failures.ts';
import { ApiError } from '../http.ts';
import { Copyable } from './Copyable.tsx';

interface Props {
  title: string;
  code: string;
  message: string;
  request_id?: string | null;
  children?: ReactNode;
}

/** What happened, what to do, and what to quote when asking for help. */
export function Problem({ title, code, message, request_id = null, children }: Props) {
  const hint = isFailureCode(code) ? failureHint(code) : '';
  const does = message.includes(hint) ? '' : hint;
  return (
    <div className="flex gap-2.5 rounded-md bg-failed-wash p-3 text-ink">
      <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-failed" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium text-failed">{title}</p>
        <p className="break-words whitespace-pre-wrap">
          {message} {does}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-small text-soft">
          <span className="font-mono">{code}</span>
          {request_id && (
            <span className="inline-flex min-w-0 items-center gap-1">
              Request <Copyable text={request_id} label="request id" />
            </span>
          )}
        </p>
        {children}
      </div>
    </div>
  );
}

export function ErrorNote({ title, error }: { title: string; error: Error }) {
  const told = error instanceof ApiError ? error : new ApiError(0, 'internal', error.message, null);
  return (
    <div role="alert">
      <Problem title={title} code={told.code} message={told.message} request_id={told.request_id} />
    </div>
  );
}
