import { clock } from '../../format.ts';
import { useConnection } from '../../live-hooks.ts';

/** The live state of the page: it mends itself, so there is nothing to click. */
export function ConnectionDot({ compact = false }: { compact?: boolean }) {
  const connection = useConnection();
  const [word, colour] =
    connection.state === 'live'
      ? ['Live', 'bg-done']
      : connection.state === 'catching_up'
        ? ['Catching up', 'bg-waits animate-pulse']
        : [`Offline since ${clock(connection.since)}`, 'bg-failed'];
  const isQuiet = compact && connection.state === 'live';
  return (
    <span role="status" aria-label={`Connection: ${word}`} title={word} className="flex min-w-0 items-center gap-2 text-small text-soft">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${colour}`} />
      <span className={isQuiet ? 'sr-only' : 'truncate'}>{word}</span>
    </span>
  );
}
