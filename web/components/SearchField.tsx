import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { TextField } from './Fields.tsx';

type Props = Omit<ComponentProps<typeof TextField>, 'type' | 'hideLabel' | 'className'>;

/** Where one looks for something in a list: the same on every page that has one. */
export function SearchField(props: Props) {
  return (
    <div className="relative min-w-0 flex-1">
      <Search
        aria-hidden
        size={15}
        className="pointer-events-none absolute top-1/2 left-2.5 z-10 -translate-y-1/2 text-faint"
      />
      <TextField {...props} type="search" hideLabel className="pl-8" />
    </div>
  );
}
