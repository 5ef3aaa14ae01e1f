import { useEffect, useState } from 'react';

interface Props {
  /** Sections of the page by the ids of their elements, in their order. */
  groups: readonly { name?: string; sections: readonly { id: string; name: string }[] }[];
}

/** The way through a long page; it marks where one is. */
export function Contents({ groups }: Props) {
  const all = groups.flatMap(({ sections }) => sections.map(({ id }) => id)).join(' ');
  const [at, setAt] = useState('');
  useEffect(() => {
    const ids = all.split(' ');
    const inSight = new Set<string>();
    // What lies in the upper third is what one reads.
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inSight.add(target.id);
          else inSight.delete(target.id);
        }
        setAt((before) => ids.find((id) => inSight.has(id)) ?? before);
      },
      { rootMargin: '0px 0px -66% 0px' },
    );
    for (const id of ids) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
    return () => observer.disconnect();
  }, [all]);
  return (
    <nav aria-label="Sections" className="sticky top-0 flex w-40 shrink-0 flex-col gap-4 self-start py-6 max-lg:hidden">
      {groups.map(({ name: group, sections }) => (
        <div key={group ?? ''}>
          {group && <p className="px-2 pb-1 text-small text-faint">{group}</p>}
          <ul className="flex flex-col gap-0.5">
            {sections.map(({ id, name }) => (
              <li key={id}>
                <a
                  href={`#${id}`}
                  aria-current={id === at ? 'location' : undefined}
                  className={`block rounded px-2 py-1 hover:bg-hover hover:text-ink ${id === at ? 'bg-chosen font-medium text-ink' : 'text-soft'}`}
                  onClick={(event) => {
                    // A way through the page, not a place to come back to by the browser's button.
                    event.preventDefault();
                    const section = document.getElementById(id);
                    section?.scrollIntoView();
                    section?.focus({ preventScroll: true });
                  }}
                >
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
