import type { ReactNode } from 'react';
import { SECTIONS, type SectionId, useForm } from './form.ts';

interface Props {
  id: SectionId;
  about: ReactNode;
  children?: ReactNode;
  /** Works also for those who may not change the agent. */
  after?: ReactNode;
}

export function FormSection({ id, about, children, after }: Props) {
  const { disabled } = useForm();
  const title = SECTIONS.find((section) => section.id === id)?.name;
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      tabIndex={-1}
      className="flex scroll-mt-2 flex-col gap-4 py-6 outline-none"
    >
      <div>
        <h2 id={`${id}-title`} className="font-semibold">
          {title}
        </h2>
        <p className="max-w-3xl text-soft">{about}</p>
      </div>
      {children && (
        <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-5">
          <legend className="sr-only">{title}</legend>
          {children}
        </fieldset>
      )}
      {after}
    </section>
  );
}

/** A part of a section, under a heading of its own. */
export function Part({
  title,
  hint,
  className = '',
  children,
}: {
  title: string;
  hint?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={`flex min-w-0 flex-col gap-2 ${className}`}>
      <div>
        <h3 className="font-medium">{title}</h3>
        {hint && <p className="max-w-3xl text-small text-faint">{hint}</p>}
      </div>
      {children}
    </div>
  );
}
