import type { ReactNode } from 'react';
import { Ago } from '../../components/Times.tsx';

export function Section({ title, at, children }: { title: ReactNode; at: string | null; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-4">
      <h2 className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 font-semibold">
        <span className="min-w-0 break-words">{title}</span>
        {at && <Ago at={at} className="text-small font-normal text-faint" />}
      </h2>
      {children}
    </div>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-small text-faint">{name}</dt>
      <dd className="min-w-0 truncate">{children}</dd>
    </div>
  );
}
