import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Teaches what will be here, with one thing to do about it. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-16 text-center">
      <span className="mb-2 flex size-10 items-center justify-center rounded-lg border border-line bg-canvas text-faint">
        <Icon aria-hidden size={20} />
      </span>
      <h2 className="font-semibold">{title}</h2>
      <p className="text-pretty text-soft">{children}</p>
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}
