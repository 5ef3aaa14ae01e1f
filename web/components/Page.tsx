import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';

interface Props {
  title: string;
  /** What the browser's tab says, where it should say more than the heading. */
  tab?: string;
  crumbs?: { to: string; name: string }[];
  /** One primary action. */
  action?: ReactNode;
  /** Beside the heading: a filter, a count. */
  aside?: ReactNode;
  children: ReactNode;
  /** The page scrolls inside its own panes. */
  fixed?: boolean;
}

export function Page({ title, tab = title, crumbs = [], action, aside, children, fixed = false }: Props) {
  useEffect(() => {
    document.title = `${tab} · Longhaul`;
  }, [tab]);
  return (
    <main id="main" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <header className="flex min-h-14 items-center gap-x-4 gap-y-2 border-b border-line px-6 py-2 max-sm:flex-wrap max-sm:px-4">
        <div className="flex min-w-0 items-center gap-1.5 max-sm:flex-[1_1_12rem]">
          {crumbs.length > 0 && (
            <nav aria-label="Breadcrumbs" className="flex shrink-0 items-center gap-1.5 text-soft">
              {crumbs.map(({ to, name }, at) => (
                <span
                  key={to}
                  // On a phone there is room for the way back alone, and no other way to it is in sight.
                  className={`flex items-center gap-1.5 ${at === crumbs.length - 1 ? '' : 'max-sm:hidden'}`}
                >
                  <Link
                    to={to}
                    title={name}
                    className="rounded hover:text-ink hover:underline max-sm:-mr-2 max-sm:-ml-3 max-sm:flex max-sm:size-10 max-sm:items-center max-sm:justify-center"
                  >
                    <ChevronLeft aria-hidden size={20} className="sm:hidden" />
                    <span className="max-sm:sr-only">{name}</span>
                  </Link>
                  <ChevronRight aria-hidden size={14} className="text-faint max-sm:hidden" />
                </span>
              ))}
            </nav>
          )}
          <h1
            className="text-title font-semibold tracking-tight break-words max-sm:line-clamp-2 sm:truncate"
            title={title}
          >
            {title}
          </h1>
        </div>
        {aside}
        {action && <div className="ml-auto shrink-0">{action}</div>}
      </header>
      <div className={fixed ? 'relative flex min-h-0 flex-1 flex-col' : 'relative min-h-0 flex-1 overflow-y-auto'}>
        {children}
      </div>
    </main>
  );
}
