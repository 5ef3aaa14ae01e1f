import { Modal } from '../../components/Dialogs.tsx';
import { modName } from '../../shortcuts.ts';
import { PAGES } from './pages.ts';

interface Line {
  keys: string[];
  does: string;
}

const GROUPS = (mod: string): { name: string; lines: Line[] }[] => [
  {
    name: 'Everywhere',
    lines: [
      { keys: [`${mod} K`], does: 'Search, or run a command' },
      { keys: ['c'], does: 'New run' },
      { keys: [`${mod} S`], does: 'Save what is open' },
      { keys: [`${mod} ↵`], does: 'Send a form' },
      { keys: ['Esc'], does: 'Close, or step back' },
      { keys: ['?'], does: 'These shortcuts' },
    ],
  },
  { name: 'Go to', lines: PAGES.map(({ name, key }) => ({ keys: ['g', key], does: name })) },
  {
    name: 'Lists',
    lines: [
      { keys: ['j'], does: 'Next' },
      { keys: ['k'], does: 'Previous' },
      { keys: ['↵'], does: 'Open' },
      { keys: ['n'], does: 'New task, schedule or webhook' },
    ],
  },
  {
    name: 'Inbox and review',
    lines: [
      { keys: ['a'], does: 'Allow, or accept the hunk' },
      { keys: ['d'], does: 'Deny' },
      { keys: ['r'], does: 'Reject the hunk' },
      { keys: ['c'], does: 'Comment on the hunk' },
      { keys: ['e'], does: 'Edit first' },
    ],
  },
  {
    name: 'Trees: activity of a run, files, folders',
    lines: [
      { keys: ['↑', '↓'], does: 'Move' },
      { keys: ['←', '→'], does: 'Fold, unfold' },
      { keys: ['Home', 'End'], does: 'First, last' },
    ],
  },
];

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title="Keyboard shortcuts">
      <div className="columns-2 gap-8 max-sm:columns-1">
        {GROUPS(modName()).map(({ name, lines }) => (
          <section key={name} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 font-semibold">{name}</h3>
            <dl>
              {lines.map(({ keys, does }) => (
                <div key={does} className="flex min-h-7 items-center justify-between gap-4">
                  <dt className="text-soft">{does}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {keys.map((key) => (
                      <kbd
                        key={key}
                        className="min-w-5 rounded border border-line bg-canvas px-1.5 text-center font-sans text-small leading-5"
                      >
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
