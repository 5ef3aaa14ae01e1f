import { Ellipsis, Search } from 'lucide-react';
import { NavLink } from 'react-router';
import { IconButton } from '../../components/Button.tsx';
import { useInbox } from '../../queries.ts';
import { ConnectionDot } from './ConnectionDot.tsx';
import { PAGES } from './pages.ts';
import { Badge } from './Rail.tsx';
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx';

/** What the rail holds, on a screen too narrow for one: the top strip and the bottom bar. */
export function TopStrip({ onSearch }: { onSearch: () => void }) {
  return (
    <div className="flex items-center gap-2 border-b border-line bg-canvas px-2 py-1 sm:hidden">
      <div className="min-w-0 flex-1">
        <WorkspaceSwitcher />
      </div>
      <ConnectionDot compact />
      <IconButton label="Search or run a command" onClick={onSearch}>
        <Search aria-hidden size={18} />
      </IconButton>
    </div>
  );
}

const CELL = 'flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-small';

export function BottomBar({ onMore }: { onMore: () => void }) {
  const waiting = useInbox().data?.length ?? 0;
  return (
    <nav aria-label="Main" className="flex border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] sm:hidden">
      {PAGES.filter(({ isAside }) => !isAside).map(({ to, name, icon: Icon }) => {
        const badge = to === '/inbox' ? waiting : 0;
        return (
          <NavLink
            key={to}
            to={to}
            end={to === '/'}
            className={({ isActive }) => `${CELL} ${isActive ? 'font-medium text-accent-ink' : 'text-soft'}`}
          >
            <span className="relative px-2">
              <Icon aria-hidden size={20} />
              {badge > 0 && <Badge count={badge} isCorner />}
            </span>
            {name}
          </NavLink>
        );
      })}
      <button type="button" className={`${CELL} text-soft`} onClick={onMore}>
        <Ellipsis aria-hidden size={20} />
        More
      </button>
    </nav>
  );
}
