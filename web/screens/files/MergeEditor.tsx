import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { useIsNarrow } from '../../media.ts';
import { editorBase, lineEnds } from './editor-setup.ts';

interface Props {
  name: string;
  theirs: string;
  mine: string;
  onChange: (text: string) => void;
}

const marks = EditorView.theme({
  '.cm-changedLine': { backgroundColor: 'var(--waits-wash) !important' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--waits) 24%, transparent) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--failed-wash) !important' },
  '.cm-insertedLine': { backgroundColor: 'var(--done-wash)' },
  '.cm-chunkButtons .cm-take-over': {
    border: '1px solid var(--control)',
    borderRadius: '4px',
    padding: '0 6px',
    background: 'var(--surface)',
    color: 'var(--ink)',
  },
  '.cm-collapsedLines': { background: 'var(--canvas)', color: 'var(--ink-soft)' },
});

/** A button that takes one change over from what is on disk. */
function takeOver(words: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'cm-take-over';
  button.textContent = words;
  button.title = 'Take this over from what is on disk';
  return button;
}

/** In one column: what is one's own stays unless it is given up, so there is nothing to accept. */
function giveUp(type: 'accept' | 'reject', action: (event: MouseEvent) => void): HTMLElement {
  if (type === 'accept') return document.createElement('span');
  const button = takeOver('Take theirs');
  button.addEventListener('mousedown', action);
  return button;
}

/** What is on disk beside one's own text, which can still be changed; on a phone one in the other. */
export default function MergeEditor({ name, theirs, mine, onChange }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const tell = useRef(onChange);
  tell.current = onChange;
  const text = useRef(mine);

  useEffect(() => {
    const parent = box.current;
    if (!parent) return;
    const heard = EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged) return;
      text.current = state.sliceDoc();
      tell.current(text.current);
    });
    const side = (label: string, of: string): Extension => [lineEnds(of), editorBase(label), marks];
    const collapseUnchanged = { margin: 3, minSize: 6 };
    const own = side(`Your text of ${name}`, text.current);
    const shown = isNarrow
      ? new EditorView({
          parent,
          doc: text.current,
          extensions: [own, heard, unifiedMergeView({ original: theirs, mergeControls: giveUp, collapseUnchanged })],
        })
      : new MergeView({
          parent,
          collapseUnchanged,
          revertControls: 'a-to-b',
          renderRevertControl: () => {
            const arrow = takeOver('→');
            arrow.setAttribute('aria-label', arrow.title);
            return arrow;
          },
          a: { doc: theirs, extensions: [side(`${name} on disk`, theirs), EditorState.readOnly.of(true)] },
          b: { doc: text.current, extensions: [own, heard] },
        });
    return () => shown.destroy();
  }, [name, theirs, isNarrow]);

  return <div ref={box} className="min-h-0 flex-1 overflow-auto" />;
}
