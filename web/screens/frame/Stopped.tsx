import { RotateCw, Unplug } from 'lucide-react';
import { useEffect } from 'react';
import { useRouteError } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';

/** Browsers word it differently; what they mean is that a part of the page could not be had. */
const isMissingPart = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message);

/** In the place of everything, where a screen broke or a part of the page could not be fetched. */
export function Stopped() {
  const error = useRouteError();
  const isMissing = isMissingPart(error);
  useEffect(() => {
    document.title = 'Stopped · Longhaul';
  }, []);
  return (
    <main className="flex min-h-dvh items-center justify-center bg-canvas p-4">
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
          ? 'The server may be away, or a newer version of it is there. Runs go on meanwhile; nothing is lost.'
          : `Runs go on meanwhile; nothing is lost. What it said: ${error instanceof Error ? error.message : String(error)}`}
      </EmptyState>
    </main>
  );
}
