import { ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';

declare module 'react' {
  interface CSSProperties {
    '--rows'?: number;
    '--indent'?: string;
  }
}

const FIELD =
  'w-full rounded-md border border-control bg-surface px-2.5 text-ink transition-colors hover:border-soft disabled:opacity-60 aria-invalid:border-failed';

interface Labelled {
  label: string;
  /** Kept for screen readers where the layout speaks for itself. */
  hideLabel?: boolean;
  hint?: ReactNode;
  /** What is wrong with it, as the server said. */
  error?: string | undefined;
}

const describedBy = (id: string, { hint, error }: Pick<Labelled, 'hint' | 'error'>) => ({
  'aria-describedby': [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined,
  ...(error !== undefined && { 'aria-invalid': true }),
});

function Labels({ id, label, hideLabel, hint, error, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {children}
      {error && (
        <p id={`${id}-error`} className="text-small text-failed">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-small text-faint">
          {hint}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hideLabel = false,
  hint,
  error,
  className = '',
  ...rest
}: ComponentProps<'input'> & Labelled) {
  const id = useId();
  return (
    <Labels id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <input
        id={id}
        {...describedBy(id, { hint, error })}
        className={`${FIELD} h-8 pointer-coarse:h-10 ${className}`}
        {...rest}
      />
    </Labels>
  );
}

export function TextArea({
  label,
  hideLabel = false,
  hint,
  error,
  className = '',
  rows = 2,
  ...rest
}: ComponentProps<'textarea'> & Labelled) {
  const id = useId();
  return (
    <Labels id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <textarea
        id={id}
        {...describedBy(id, { hint, error })}
        className={`${FIELD} field-sizing-content min-h-[calc(var(--rows)*1.25rem+0.875rem)] resize-none py-1.5 pointer-coarse:min-h-[calc(var(--rows)*1.5rem+1rem)] pointer-coarse:py-2 ${className}`}
        rows={rows}
        // A field as high as its text has forgotten its rows.
        style={{ '--rows': rows }}
        {...rest}
      />
    </Labels>
  );
}

export function Select({
  label,
  hideLabel = false,
  hint,
  error,
  className = '',
  ...rest
}: ComponentProps<'select'> & Labelled) {
  const id = useId();
  return (
    <Labels id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <div className="relative">
        <select
          id={id}
          {...describedBy(id, { hint, error })}
          className={`${FIELD} h-8 appearance-none truncate pr-8 pointer-coarse:h-10 ${className}`}
          {...rest}
        />
        <ChevronDown
          aria-hidden
          size={14}
          className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-faint"
        />
      </div>
    </Labels>
  );
}

export function Checkbox({ label, title, ...rest }: ComponentProps<'input'> & { label: string }) {
  return (
    <label title={title} className="inline-flex h-8 items-center gap-2 whitespace-nowrap pointer-coarse:h-10">
      <input type="checkbox" className="size-4 accent-accent" {...rest} />
      {label}
    </label>
  );
}
