import type { ReactNode } from 'react';
import { ErrorNote } from '../../components/ErrorNote.tsx';

interface Props {
  label: string;
  /** Fields with hints below them stand at the top, others on one line with the button. */
  align?: 'items-start' | 'items-end';
  onSubmit: () => void;
  error: Error | null;
  /** What did not happen. */
  failed: string;
  children: ReactNode;
}

/** A line of fields that adds something to the list above it; what went wrong stands below. */
export function AddForm({ label, align = 'items-start', onSubmit, error, failed, children }: Props) {
  return (
    <form
      aria-label={label}
      className={`flex flex-wrap gap-3 ${align}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error && (
        <div className="w-full">
          <ErrorNote title={failed} error={error} />
        </div>
      )}
    </form>
  );
}
