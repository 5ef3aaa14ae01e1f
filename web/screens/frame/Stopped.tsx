import { RotateCw, Unplug } from 'lucide-react';
import { Component, type ReactNode, useEffect } from 'react';
import { useRouteError } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';

/** Browsers word it differently; what they mean is that a part of the page could not be had. */
const isMissingPart = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message);

const LOOK_MS = 2_000;
const AGAIN_MS = 60_000;
const LOADED_KEY = 'longhaul.loaded-again';

/** A part is missing because the server was away or has a newer version: once it answers, the page comes anew, by itself. */
function useLoadAgain(isMissing: boolean): void {
  useEffect(() => {
    // Where that did not help, it would load for ever.
    if (!isMissing || Date.now() - Number(sessionStorage.getItem(LOADED_KEY)) < AGAIN_MS) return;
    const timer = window.setInterval(async () => {
      const reply = await fetch('/healthz').catch(() => null);
      if (!reply?.ok) return;
      sessionStorage.setItem(LOADED_KEY, String(Date.now()));
      window.location.reload();
    }, LOOK_MS);
    return () => window.clearInterval(timer);
  }, [isMissing]);
}

function Note({ error }: { error: unknown }) {
  const isMissing = isMissingPart(error);
  useLoadAgain(isMissing);
  return (
    <EmptyState
      icon={Unplug}
      title={isMissing ? 'A part of the page could not be fetched' : 'This page has stopped working'}
      action={
        <Button kind="primary" onClick={() => window.location.reload()}>
          <RotateCw aria-hidden size={15} /> Load it again
        </Button>
      }
    >
      {isMissing
        ? 'The server may be away, or a newer version of it is there. Runs go on meanwhile; nothing is lost. It is loaded again as soon as the server answers.'
        : `Runs go on meanwhile; nothing is lost. What it said: ${error instanceof Error ? error.message : String(error)}`}
    </EmptyState>
  );
}

/** In the place of everything, where the frame itself broke. */
export function Stopped() {
  const error = useRouteError();
  useEffect(() => {
    document.title = 'Stopped · Longhaul';
  }, []);
  return (
    <main className="flex min-h-dvh items-center justify-center bg-canvas p-4">
      <Note error={error} />
    </main>
  );
}

interface Props {
  /** The address: another one is another try. */
  at: string;
  children: ReactNode;
}

/** One screen that breaks takes no other with it: the frame stays, and leads elsewhere. */
export class ScreenBoundary extends Component<Props, { broken: { error: unknown } | null }> {
  override state: { broken: { error: unknown } | null } = { broken: null };

  static getDerivedStateFromError(error: unknown) {
    return { broken: { error } };
  }

  override componentDidUpdate({ at }: Props): void {
    if (this.state.broken && at !== this.props.at) this.setState({ broken: null });
  }

  override render() {
    const { broken } = this.state;
    if (!broken) return this.props.children;
    return (
      <Page title="Stopped">
        <Note error={broken.error} />
      </Page>
    );
  }
}
