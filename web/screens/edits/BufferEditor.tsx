import { redoDepth, undoDepth } from '@codemirror/commands';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { EditorView } from 'codemirror';
import { type RefObject, useEffect, useRef } from 'react';
import { useIsNarrow } from '../../media.ts';
import { editorBase, grammarOf, lineEnds } from '../files/editor-setup.ts';

/** Where somebody was in the text, so that a new one is opened at the same place. */
export interface EditorPlace {
  of: string;
  head: number;
  hasFocus: boolean;
}

interface Props {
  name: string;
  base: string;
  buffer: string;
  /** Shown first, where nobody was in the text before. */
  line: number | null;
  place: RefObject<EditorPlace | null>;
  onChange: (text: string) => void;
  onBack: (way: 'undo' | 'redo') => void;
}

const REMOVED = 'color-mix(in srgb, var(--failed) 22%, transparent) !important';
const ADDED = 'color-mix(in srgb, var(--done) 22%, transparent) !important';
const PLAIN = { backgroundColor: 'transparent', textDecoration: 'none' };

/** What goes is red and what comes is green, as everywhere. */
const marks = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--failed-wash) !important' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--done-wash) !important' },
  '&.cm-merge-a .cm-changedText, .cm-deletedText': { background: REMOVED },
  '&.cm-merge-b .cm-changedText': { background: ADDED },
  'ins.cm-insertedLine, del.cm-deletedLine': PLAIN,
  '.cm-collapsedLines': { background: 'var(--canvas)', color: 'var(--ink-soft)' },
});

/** The base beside the working buffer, which can be edited; on a phone one in the other. Made once for each buffer. */
export default function BufferEditor({ name, base, buffer, line, place, onChange, onBack }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const tell = useRef({ onChange, onBack });
  tell.current = { onChange, onBack };
  const text = useRef(buffer);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new buffer comes as a new editor; a line is gone to once
  useEffect(() => {
    const parent = box.current;
    if (!parent) return;
    let isGone = false;
    const heard = EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged) return;
      text.current = state.sliceDoc();
      tell.current.onChange(text.current);
    });
    /** What was typed here is undone here; where there is nothing left of it, the review steps back. */
    const step = (way: 'undo' | 'redo') => (view: EditorView) => {
      if ((way === 'undo' ? undoDepth(view.state) : redoDepth(view.state)) > 0) return false;
      tell.current.onBack(way);
      return true;
    };
    const keys = Prec.highest(
      keymap.of([
        { key: 'Mod-z', run: step('undo') },
        { key: 'Mod-Shift-z', run: step('redo') },
        { key: 'Mod-y', run: step('redo') },
      ]),
    );
    const side = (label: string, of: string): Extension => [lineEnds(of), editorBase(label), marks];
    const own = [side(`Text of ${name} as it will be`, text.current), heard, keys];
    const collapseUnchanged = { margin: 4, minSize: 12 };

    void grammarOf(name).then((grammar) => {
      if (isGone) return;
      const language = grammar ?? [];
      const made = isNarrow
        ? new EditorView({
            parent,
            doc: text.current,
            extensions: [own, language, unifiedMergeView({ original: base, mergeControls: false, collapseUnchanged })],
          })
        : new MergeView({
            parent,
            collapseUnchanged,
            a: {
              doc: base,
              extensions: [side(`Text of ${name} before`, base), language, EditorState.readOnly.of(true)],
            },
            b: { doc: text.current, extensions: [own, language] },
          });
      close = () => {
        const { main } = editor.state.selection;
        place.current = { of: name, head: main.head, hasFocus: editor.hasFocus };
        made.destroy();
      };
      const editor = made instanceof MergeView ? made.b : made;
      const was = place.current?.of === name ? place.current : null;
      const at = line === null ? 0 : editor.state.doc.line(Math.min(line, editor.state.doc.lines)).from;
      const head = Math.min(was?.head ?? at, editor.state.doc.length);
      editor.dispatch({ selection: { anchor: head }, effects: EditorView.scrollIntoView(head, { y: 'center' }) });
      if (was === null || was.hasFocus) editor.focus();
    });
    let close = (): void => undefined;
    return () => {
      isGone = true;
      close();
    };
  }, [name, base, isNarrow]);

  return <div ref={box} className="min-h-0 flex-1 overflow-auto" />;
}
