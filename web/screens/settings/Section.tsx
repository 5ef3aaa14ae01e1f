import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  about: ReactNode;
  /** What an address has behind its # to lead here. */
  anchor: string;
  children: ReactNode;
}

export function Section({ title, about, anchor, children }: Props) {
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} tabIndex={-1} className="flex flex-col gap-4 py-6 outline-none">
      <div>
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="text-soft">{about}</p>
      </div>
      {children}
    </section>
  );
}
