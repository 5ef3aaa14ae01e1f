import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useState } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { Toasts } from '../../components/Toasts.tsx';
import { type Live, openLive } from '../../live.ts';
import { LiveContext } from '../../live-hooks.ts';
import { CommandPalette, Composer, KeyHelp } from '../../screens.ts';
import { session } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { ComposerContext, type Draft } from './composer.ts';
import { useLiveLists } from './live-lists.ts';
import { NewWorkspace } from './NewWorkspace.tsx';
import { BottomBar, TopStrip } from './Phone.tsx';
import { PAGES } from './pages.ts';
import { Rail } from './Rail.tsx';
import { ScreenBoundary } from './Stopped.tsx';

export function Frame() {
  const [live, setLive] = useState<Live | null>(null);
  const client = useQueryClient();
  useEffect(() => {
    // A socket that is refused while the token is still good tries again; one that is not ends the session here.
    const opened = openLive(session.token, () => client.invalidateQueries({ queryKey: ['me'] }));
    setLive(opened);
    return () => {
      setLive(null);
      opened.close();
    };
  }, [client]);
  return (
    <LiveContext value={live}>
      <Shell />
    </LiveContext>
  );
}

/** What is laid over the page, one at a time; the palette may come on top of it. */
type Over = 'keys' | 'workspace' | Draft | null;

function Shell() {
  const [over, setOver] = useState<Over>(null);
  const [palette, setPalette] = useState(false);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const compose = useCallback((given: Draft = {}) => setOver(given), []);
  const close = () => setOver(null);
  const search = () => setPalette(true);
  useLiveLists();

  useShortcuts({
    'mod+k': () => setPalette((open) => !open),
    '?': () => setOver('keys'),
    c: () => compose(),
    ...Object.fromEntries(PAGES.map(({ to, key }) => [`g ${key}`, () => navigate(to)])),
  });

  return (
    <ComposerContext value={compose}>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-raised focus:p-2"
      >
        Skip to the page
      </a>
      <div className="flex h-dvh max-sm:flex-col">
        <Rail onSearch={search} onKeys={() => setOver('keys')} />
        <TopStrip onSearch={search} />
        <ScreenBoundary at={pathname}>
          <Outlet />
        </ScreenBoundary>
        <BottomBar />
      </div>
      <Suspense>
        {over === 'keys' && <KeyHelp onClose={close} />}
        {over === 'workspace' && <NewWorkspace onClose={close} />}
        {typeof over === 'object' && over && <Composer draft={over} onClose={close} />}
        {palette && (
          <CommandPalette
            onClose={() => setPalette(false)}
            onKeys={() => setOver('keys')}
            onNewWorkspace={() => setOver('workspace')}
          />
        )}
      </Suspense>
      <Toasts />
    </ComposerContext>
  );
}
