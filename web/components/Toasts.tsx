import { CircleCheck, CircleX } from 'lucide-react';
import { useSyncExternalStore } from 'react';

interface Toast {
  id: number;
  text: string;
  tone: 'done' | 'failed';
  action: Action | null;
}

interface Action {
  name: string;
  run: () => void;
}

const SHOWN_MS = 5_000;
/** With something to decide about it, it stays long enough to do so. */
const OFFERED_MS = 12_000;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let last = 0;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says what was done where the thing itself has left the page. */
export function toast(text: string, tone: Toast['tone'] = 'done', action: Action | null = null): void {
  last += 1;
  const id = last;
  set([...toasts.slice(-2), { id, text, tone, action }]);
  window.setTimeout(() => drop(id), action ? OFFERED_MS : SHOWN_MS);
}

const drop = (id: number): void => set(toasts.filter((each) => each.id !== id));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      role="status"
      className="pointer-events-none fixed right-4 bottom-16 z-50 flex flex-col items-end gap-2 max-sm:right-2 max-sm:bottom-32 max-sm:left-2"
    >
      {shown.map(({ id, text, tone, action }) => (
        <p
          key={id}
          className="flex max-w-sm items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2 shadow-float"
        >
          {tone === 'done' ? (
            <CircleCheck aria-hidden size={16} className="shrink-0 text-done" />
          ) : (
            <CircleX aria-hidden size={16} className="shrink-0 text-failed" />
          )}
          {text}
          {action && (
            <button
              type="button"
              className="pointer-events-auto -my-1 rounded px-2 py-1 font-medium text-accent-ink hover:bg-hover"
              onClick={() => {
                drop(id);
                action.run();
              }}
            >
              {action.name}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
