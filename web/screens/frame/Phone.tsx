import { Ellipsis, Search } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { Link, useLocation, useNavigate } from 'react-router';
import { IconButton } from '../../components/Button.tsx';
import { useInbox } from '../../queries.ts';
import { ConnectionDot } from './ConnectionDot.tsx';
import { isOn, PAGE_GROUPS, PAGES } from './pages.ts';
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

/** As many as a thumb can tell apart; the others are under More. */
const IN_SIGHT = 4;
const CELL = 'flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-small';

export function BottomBar() {
  const waiting = useInbox().data?.length ?? 0;
  const { pathname } = useLocation();
  return (
    <nav aria-label="Main" className="flex border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] sm:hidden">
      {PAGES.slice(0, IN_SIGHT).map((page) => {
        const { to, name, icon: Icon } = page;
        const badge = to === '/inbox' ? waiting : 0;
        const isHere = isOn(pathname, page);
        return (
          <Link
            key={to}
            to={to}
            aria-current={isHere ? 'page' : undefined}
            className={`${CELL} ${isHere ? 'font-medium text-accent-ink' : 'text-soft'}`}
          >
            <span className="relative px-2">
              <Icon aria-hidden size={20} />
              {badge > 0 && <Badge count={badge} isCorner />}
            </span>
            {name}
          </Link>
        );
      })}
      <More />
    </nav>
  );
}

function More() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const inSight = PAGES.slice(0, IN_SIGHT);
  const isThere = PAGES.some((page) => !inSight.includes(page) && isOn(pathname, page));
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className={`${CELL} ${isThere ? 'font-medium text-accent-ink' : 'text-soft'}`}>
        <Ellipsis aria-hidden size={20} />
        More
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          side="top"
          align="end"
          sideOffset={4}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) w-52 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float"
        >
          {PAGE_GROUPS.map(({ name: group, pages }, at) => (
            <DropdownMenu.Group key={group}>
              {at > 0 && (
                <DropdownMenu.Label className="px-3 pt-2 pb-1 text-small text-faint">{group}</DropdownMenu.Label>
              )}
              {pages
                .filter((page) => !inSight.includes(page))
                .map((page) => (
                  <DropdownMenu.Item
                    key={page.to}
                    onSelect={() => navigate(page.to)}
                    className={`flex h-10 items-center gap-3 rounded px-3 outline-none select-none data-highlighted:bg-hover ${isOn(pathname, page) ? 'font-medium text-accent-ink' : ''}`}
                  >
                    <page.icon aria-hidden size={18} className="text-faint" /> {page.name}
                  </DropdownMenu.Item>
                ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
