import type { LucideIcon } from 'lucide-react';
import { ButtonLink } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';
import { ErrorNote } from './ErrorNote.tsx';
import { Page } from './Page.tsx';
import { Skeleton } from './Skeleton.tsx';

interface Props {
  /** What it is called while nothing else is known of it: "agent". */
  noun: string;
  icon: LucideIcon;
  /** Where all of them are. */
  all: { to: string; title: string; nouns: string };
  /** Why it may not be there for who asks. */
  why: string;
  error: Error | null;
}

/** The page of one thing before it is there: being read, or not to be had. */
export function Opening({ noun, icon, all: { to, title, nouns }, why, error }: Props) {
  return (
    <Page title={error ? `No such ${noun}` : title} crumbs={[{ to, name: title }]}>
      {error ? (
        <>
          <EmptyState
            icon={icon}
            title={`The ${noun} could not be opened`}
            action={<ButtonLink to={to}>See all {nouns}</ButtonLink>}
          >
            {why}
          </EmptyState>
          <div className="mx-auto max-w-xl px-4">
            <ErrorNote title="The server said" error={error} />
          </div>
        </>
      ) : (
        <div aria-busy className="mx-auto flex max-w-4xl flex-col gap-6 p-6">
          {[0, 1, 2, 3].map((each) => (
            <Skeleton key={each} className="h-8 w-full" />
          ))}
        </div>
      )}
    </Page>
  );
}
