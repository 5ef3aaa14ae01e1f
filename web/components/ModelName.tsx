import type { ReactNode } from 'react';
import { isDemo } from '../format.ts';

/** A model's name; the demo model never shows without saying what it is. */
export function ModelName({ model }: { model: string }) {
  return (
    <span className="inline-flex min-w-0 max-w-full flex-wrap items-center gap-x-2 gap-y-0.5">
      <span className="truncate font-mono text-small">{model}</span>
      {isDemo(model) && <Label>rule-based, not an LLM</Label>}
    </span>
  );
}

export const DemoLabel = () => <Label>demo model, rule-based, not an LLM</Label>;

function Label({ children }: { children: ReactNode }) {
  return (
    <span className="rounded border border-line bg-canvas px-1.5 text-small font-normal whitespace-nowrap text-soft">
      {children}
    </span>
  );
}
