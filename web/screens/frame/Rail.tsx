import { PanelLeftClose, PanelLeftOpen, Plus, Search } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import { Button, IconButton } from '../../components/Button.tsx';
import { useIsMedium } from '../../media.ts';
import { useInbox } from '../../queries.ts';
import { modName } from '../../shortcuts.ts';
import { stored } from '../../stored.ts';
import { ConnectionDot } from './ConnectionDot.tsx';
import { useComposer } from './composer.ts';
import { isOn, PAGE_GROUPS, type PageLink } from './pages.ts';
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx';

const rail = stored('longhaul.rail');

export function Rail({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) {
  const isMedium = useIsMedium();
  const isChosen = rail.use() === 'narrow';
  const isNarrow = isChosen || isMedium;
  const compose = useComposer();
  const waiting = useInbox().data?.length ?? 0;
  return (
    <div
      className={`flex shrink-0 flex-col gap-3 border-r border-line bg-canvas p-2 max-sm:hidden ${isNarrow ? 'w-14' : 'w-56'}`}
    >
      <WorkspaceSwitcher compact={isNarrow} onKeys={onKeys} />
      <div className={`flex gap-1 ${isNarrow ? 'flex-col items-center' : ''}`}>
        <Button
          aria-label={isNarrow ? 'Search or run a command' : undefined}
          title={`Search or run a command (${modName()} K)`}
          onClick={onSearch}
          square={isNarrow}
          className={`font-normal ${isNarrow ? '' : 'min-w-0 flex-1'}`}
        >
          <Search aria-hidden size={15} className="shrink-0" />
          {!isNarrow && (
            <>
              <span className="flex-1 truncate text-left text-soft">Search</span>
              <kbd className="font-sans text-small text-faint">{modName()} K</kbd>
            </>
          )}
        </Button>
        <IconButton label="New run (c)" aria-label="New run" kind="plain" onClick={() => compose()}>
          <Plus aria-hidden size={16} />
        </IconButton>
      </div>
      <nav aria-label="Main" className="-mx-2 flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-2">
        {PAGE_GROUPS.map(({ name, pages }, at) => (
          <div key={name}>
            {at > 0 &&
              (isNarrow ? (
                <hr className="mx-2 mb-3 border-line" />
              ) : (
                <p aria-hidden className="px-2.5 pb-1 text-small text-faint">
                  {name}
                </p>
              ))}
            <ul aria-label={name} className="flex flex-col gap-0.5">
              {pages.map((page) => (
                <li key={page.to}>
                  <RailLink page={page} isNarrow={isNarrow} badge={page.to === '/inbox' ? waiting : 0} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className={`flex items-center justify-between gap-2 ${isNarrow ? 'flex-col' : 'pl-2.5'}`}>
        <ConnectionDot compact={isNarrow} />
        {!isMedium && (
          <IconButton
            label={isNarrow ? 'Widen the rail' : 'Narrow the rail'}
            onClick={() => rail.set(isNarrow ? null : 'narrow')}
          >
            {isNarrow ? <PanelLeftOpen aria-hidden size={16} /> : <PanelLeftClose aria-hidden size={16} />}
          </IconButton>
        )}
      </div>
    </div>
  );
}

function RailLink({ page, isNarrow, badge }: { page: PageLink; isNarrow: boolean; badge: number }) {
  const { pathname } = useLocation();
  const { to, name, icon: Icon, key } = page;
  const isHere = isOn(pathname, page);
  return (
    <Link
      to={to}
      aria-current={isHere ? 'page' : undefined}
      title={`${name} (g ${key})`}
      aria-label={isNarrow ? (badge > 0 ? `${name} ${badge} waiting` : name) : undefined}
      className={`relative flex h-8 shrink-0 items-center gap-2.5 rounded-md px-2.5 ${isHere ? 'bg-chosen font-medium text-ink' : 'text-soft hover:bg-hover hover:text-ink'}`}
    >
      <Icon aria-hidden size={16} className="shrink-0" />
      {!isNarrow && <span className="flex-1 truncate">{name}</span>}
      {badge > 0 && <Badge count={badge} isCorner={isNarrow} />}
    </Link>
  );
}

export function Badge({ count, isCorner }: { count: number; isCorner: boolean }) {
  return (
    <span
      className={`min-w-5 rounded-full bg-waits-wash px-1.5 text-center text-small leading-5 font-semibold text-waits ${isCorner ? 'absolute -top-1 -right-1' : ''}`}
    >
      {count > 99 ? '99+' : count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
