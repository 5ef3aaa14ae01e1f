import { clock } from '../../format.ts';
import type { Connection } from '../../live.ts';
import { useConnection } from '../../live-hooks.ts';

const COLOURS: Record<Connection['state'], string> = {
  live: 'bg-done',
  catching_up: 'bg-waits animate-pulse',
  offline: 'bg-failed',
};

/** The live state of the page: it mends itself, so there is nothing to click. */
export function ConnectionDot({ compact = false }: { compact?: boolean }) {
  const connection = useConnection();
  const word =
    connection.state === 'offline'
      ? `Offline since ${clock(connection.since)}`
      : connection.state === 'live'
        ? 'Live'
        : 'Catching up';
  const isQuiet = compact && connection.state === 'live';
  return (
    <span
      role="status"
      aria-label={`Connection: ${word}`}
      title={word}
      className="flex min-w-0 items-center gap-2 text-small text-soft"
    >
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${COLOURS[connection.state]}`} />
      <span className={isQuiet ? 'sr-only' : 'truncate'}>{word}</span>
    </span>
  );
}
