import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';

/**
 * What the address says after its question mark, and a way to change it. The router takes its time to follow (it lets
 * more urgent work go first); a field that waited for it would lose letters and jump back under the hand.
 */
export function useAddress(): [URLSearchParams, (next: URLSearchParams) => void] {
  const [search, setSearch] = useSearchParams();
  const [shown, setShown] = useState(search);
  useEffect(() => setShown(search), [search]);
  const change = (next: URLSearchParams): void => {
    setShown(next);
    setSearch(next, { replace: true });
  };
  return [shown, change];
}
