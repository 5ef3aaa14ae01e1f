import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Outlet, useNavigate } from 'react-router';
import { Toasts } from '../../components/Toasts.tsx';
import { type Live, openLive } from '../../live.ts';
import { LiveContext } from '../../live-hooks.ts';
import { session } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { CommandPalette } from './CommandPalette.tsx';
import { Composer } from './Composer.tsx';
import { ComposerContext, type Draft } from './composer.ts';
import { useLiveLists } from './live-lists.ts';
import { BottomBar, TopStrip } from './Phone.tsx';
import { PAGES } from './pages.ts';
import { Rail } from './Rail.tsx';

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

function Shell() {
  const [palette, setPalette] = useState(false);
  const [draft, setDraft] = useState<Draft | null>(null);
  const navigate = useNavigate();
  const compose = useCallback((given: Draft = {}) => setDraft(given), []);
  useLiveLists();

  useShortcuts({
    'mod+k': () => setPalette((open) => !open),
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
        <Rail onSearch={() => setPalette(true)} />
        <TopStrip onSearch={() => setPalette(true)} />
        <Outlet />
        <BottomBar />
      </div>
      <CommandPalette open={palette} onOpenChange={setPalette} />
      {draft && <Composer draft={draft} onClose={() => setDraft(null)} />}
      <Toasts />
    </ComposerContext>
  );
}
