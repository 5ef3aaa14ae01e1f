import { type ReactNode, useId } from 'react';

export function Section({ title, about, children }: { title: string; about: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4 py-6">
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
