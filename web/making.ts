import { useSearchParams } from 'react-router';

/** Whether the address asks for something new (`?new`): a link and the command palette lead straight to the form. */
export function useMaking(): [boolean, (isMaking: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (isMaking: boolean): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (isMaking) next.set('new', '');
        else next.delete('new');
        return next;
      },
      { replace: true },
    );
  return [search.has('new'), set];
}
