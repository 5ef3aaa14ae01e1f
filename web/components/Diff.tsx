import { changed, type DiffLine, diffLines } from '../diff-lines.ts';
import { Scroll } from './Scroll.tsx';
import { Block } from './Value.tsx';

const LOOK: Record<DiffLine['kind'], { row: string; mark: string; word: string }> = {
  added: { row: 'bg-done-wash', mark: '+', word: 'added: ' },
  removed: { row: 'bg-failed-wash', mark: '−', word: 'removed: ' },
  same: { row: '', mark: ' ', word: '' },
  hunk: { row: 'bg-hover text-faint', mark: ' ', word: '' },
  meta: { row: 'text-faint', mark: ' ', word: '' },
};

/** A preview as it would be applied. What is no diff is shown as the text it is. */
export function Diff({ patch, label }: { patch: string; label: string }) {
  const lines = diffLines(patch);
  if (!lines) return <Block text={patch || '(nothing to show)'} label={label} />;
  if (lines.length === 0) return <p className="text-soft">This changes nothing: {label} already has this content.</p>;
  const { added, removed } = changed(lines);
  const shown = lines.filter((line) => line.kind !== 'meta' || line.text.startsWith('\\'));
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-surface">
      <figcaption className="flex items-center gap-3 border-b border-line bg-canvas px-3 py-1.5 text-small">
        <span className="min-w-0 truncate font-mono" title={label}>
          {label}
        </span>
        <span className="ml-auto shrink-0 text-done">+{added}</span>
        <span className="shrink-0 text-failed">−{removed}</span>
      </figcaption>
      <Scroll label={`Changes of ${label}`}>
        <DiffRows lines={shown} />
      </Scroll>
    </figure>
  );
}

/** The lines alone, for where the frame around them says more. */
export function DiffRows({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <div className="w-max min-w-full">
      {lines.map((line, index) => {
        const look = LOOK[line.kind];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff have no other identity, and never move
          <div key={index} className={`flex leading-5 ${look.row}`}>
            {[line.old, line.new].map((number, side) => (
              <span
                key={side === 0 ? 'old' : 'new'}
                aria-hidden
                className="w-8 shrink-0 pr-1 text-right text-faint select-none"
              >
                {number}
              </span>
            ))}
            <span aria-hidden className="w-5 shrink-0 text-center select-none">
              {look.mark}
            </span>
            <span className="pr-4 whitespace-pre">
              {look.word && <span className="sr-only">{look.word}</span>}
              {line.text || ' '}
            </span>
          </div>
        );
      })}
    </div>
  );
}
