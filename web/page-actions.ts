import type { LucideIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';

export interface PageAction {
  name: string;
  icon: LucideIcon;
  run: () => void;
}

const offers: { current: readonly PageAction[] }[] = [];

/** What can be done on the page that is open, for the command palette: as long as the component is there. */
export function usePageActions(actions: readonly PageAction[]): void {
  const offer = useRef(actions);
  offer.current = actions;
  useEffect(() => {
    offers.push(offer);
    return () => {
      offers.splice(offers.indexOf(offer), 1);
    };
  }, []);
}

export const pageActions = (): PageAction[] => offers.flatMap(({ current }) => current);
