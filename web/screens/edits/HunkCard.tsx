import { Check, MessageSquare, PencilLine, TriangleAlert, UserRound, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Hunk } from '../../../domain/edits/wire.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { DiffRows } from '../../components/Diff.tsx';
import { diffLines } from '../../diff-lines.ts';
import { hunkWord } from '../../edit-review.ts';
import { CommentForm } from './CommentForm.tsx';
import { SplitHunk } from './SplitHunk.tsx';

interface Props {
  hunk: Hunk;
  name: string;
  isCurrent: boolean;
  isCommenting: boolean;
  busy: boolean;
  onFocus: () => void;
  onDecide: (decision: 'accept' | 'reject' | 'pending', asOne?: boolean) => void;
  onCommenting: (isOn: boolean) => void;
  onComment: (text: string) => void;
  onSplit: (at: { new_lines: number; old_lines?: number }) => void;
  onEdit: () => void;
}

const INK = { Accepted: 'text-done', Rejected: 'text-failed', Undecided: 'text-waits', 'Left out': 'text-failed' };
const inkOf = (word: string): string => (word in INK ? INK[word as keyof typeof INK] : 'text-soft');

/** One hunk: what changes, why, and what a person says to it. */
export function HunkCard(props: Props) {
  const { hunk, name, isCurrent, busy, onDecide } = props;
  const word = hunkWord(hunk);
  const isAccepted = hunk.accepted === true;
  const isRejected = hunk.accepted === false;
  const asOne = hunk.oversized_hunk && !isAccepted;
  return (
    <li
      id={`hunk-${hunk.hunk_id}`}
      aria-label={`${name}: ${word}`}
      aria-current={isCurrent}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: j and k move the focus from one hunk to the next
      tabIndex={0}
      onFocus={props.onFocus}
      className={`shrink-0 scroll-m-4 overflow-hidden rounded-lg border ${isCurrent ? 'border-accent-ink ring-1 ring-accent-ink' : 'border-line'}`}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-canvas py-1 pr-1 pl-3">
        <span className="text-small text-soft">{name}</span>
        <span className={`text-small font-medium ${inkOf(word)}`}>{word}</span>
        {hunk.origin === 'user' && <Badge icon={UserRound} word="by hand" title="Changed by a person in this review" />}
        {hunk.oversized_hunk && (
          <Badge icon={TriangleAlert} word="very large" warns title="Too large to be accepted by the way" />
        )}
        <div role="toolbar" aria-label={`${name}: what to do`} className="ml-auto flex flex-wrap items-center gap-0.5">
          <Act
            word={asOne ? 'Accept as one' : 'Accept'}
            keys="a"
            isOn={isAccepted}
            ink="text-done!"
            busy={busy}
            onClick={() => onDecide(isAccepted ? 'pending' : 'accept', asOne)}
          >
            <Check aria-hidden size={14} />
          </Act>
          <Act
            word="Reject"
            keys="r"
            isOn={isRejected}
            ink="text-failed!"
            busy={busy}
            onClick={() => onDecide(isRejected ? 'pending' : 'reject')}
          >
            <X aria-hidden size={14} />
          </Act>
          <Act
            word="Comment"
            keys="c"
            isOn={null}
            ink=""
            busy={busy}
            onClick={() => props.onCommenting(!props.isCommenting)}
          >
            <MessageSquare aria-hidden size={14} />
          </Act>
          <Act word="Edit" keys="e" isOn={null} ink="" busy={busy} onClick={props.onEdit}>
            <PencilLine aria-hidden size={14} />
          </Act>
        </div>
      </header>
      {hunk.blocked !== null && !isRejected && (
        <p className="bg-failed-wash px-3 py-1.5 text-small text-failed">It is left out: {hunk.blocked}</p>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(10rem,18rem)] max-lg:grid-cols-1">
        <Body patch={hunk.patch} name={name} isFaded={isRejected} />
        <div className="flex flex-col gap-3 border-l border-line p-3 max-lg:border-t max-lg:border-l-0">
          <Rationale hunk={hunk} />
          {asOne && <SplitHunk patch={hunk.patch} busy={busy} onSplit={props.onSplit} />}
          {props.isCommenting ? (
            <CommentForm
              name={name}
              before={hunk.comment ?? ''}
              onSave={(text) => {
                props.onComment(text);
                props.onCommenting(false);
              }}
              onClose={() => props.onCommenting(false)}
            />
          ) : (
            hunk.comment && (
              <blockquote className="border-l-2 border-accent pl-2 break-words whitespace-pre-wrap">
                {hunk.comment}
              </blockquote>
            )
          )}
        </div>
      </div>
    </li>
  );
}

function Act({
  word,
  keys,
  isOn,
  ink,
  busy,
  onClick,
  children,
}: {
  word: string;
  keys: string;
  /** Null for what is no choice that stays. */
  isOn: boolean | null;
  ink: string;
  busy: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      kind="quiet"
      className={`px-2 ${isOn ? `bg-surface ring-1 ring-line ${ink}` : ''}`}
      title={`${isOn ? `${word}ed: take it back` : word} (${keys})`}
      disabled={busy}
      onClick={onClick}
      {...(isOn === null ? {} : { 'aria-pressed': isOn })}
    >
      {children}
      {/* On a phone all four fit into one line. */}
      <span className={isOn === null ? 'max-sm:sr-only' : ''}>{word}</span>
    </Button>
  );
}

function Body({ patch, name, isFaded }: { patch: string; name: string; isFaded: boolean }) {
  const lines = (diffLines(patch) ?? []).filter(({ kind, text }) => kind !== 'meta' || text.startsWith('\\'));
  return (
    <section
      aria-label={`${name}: lines`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={`max-h-[32rem] overflow-auto bg-surface font-mono text-small -outline-offset-2 ${isFaded ? 'grayscale' : ''}`}
    >
      <DiffRows lines={lines} />
    </section>
  );
}

function Rationale({ hunk }: { hunk: Hunk }) {
  if (hunk.origin === 'user') return <p className="text-small text-soft">Changed by hand in this review.</p>;
  if (hunk.rationales.length === 0) return <p className="text-small text-faint">No reason was given.</p>;
  return (
    <div>
      <p className="text-small text-faint">Why</p>
      {hunk.rationales.map((text) => (
        <p key={text} className="break-words">
          {text}
        </p>
      ))}
    </div>
  );
}
