import type { LucideIcon } from 'lucide-react';

/** One quiet word about a thing. */
export function Badge({
  icon: Icon,
  word,
  title,
  warns = false,
}: {
  icon: LucideIcon;
  word: string;
  title?: string;
  warns?: boolean;
}) {
  const ink = warns ? 'bg-waits-wash text-waits' : 'bg-canvas text-soft ring-1 ring-line ring-inset';
  return (
    <span
      title={title}
      className={`inline-flex h-5 items-center gap-1 rounded px-1.5 text-small whitespace-nowrap ${ink}`}
    >
      <Icon aria-hidden size={12} className="shrink-0" />
      {word}
    </span>
  );
}
