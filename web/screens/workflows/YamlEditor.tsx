import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet } from '@codemirror/view';
import { EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { editorBase, grammarOf } from '../files/editor-setup.ts';

const setLines = StateEffect.define<readonly number[]>();
const mark = Decoration.line({ class: 'cm-problem-line' });

/** Lines with something wrong in them. */
const problemLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, state }) {
    const told = effects.find((effect) => effect.is(setLines));
    if (!told) return marks.map(changes);
    const lines = [...new Set(told.value as readonly number[])].filter((line) => line >= 1 && line <= state.doc.lines);
    return Decoration.set(lines.toSorted((a, b) => a - b).map((line) => mark.range(state.doc.line(line).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  '.cm-problem-line': { backgroundColor: 'var(--failed-wash)', boxShadow: 'inset 3px 0 0 var(--failed)' },
});

interface Props {
  text: string;
  readOnly: boolean;
  wrong: readonly number[];
  /** To be shown; a new object shows the same line again. */
  place: { line: number } | null;
  onChange: (text: string) => void;
}

export default function YamlEditor({ text, readOnly, wrong, place, onChange }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef(onChange);
  tell.current = onChange;

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what changes later is brought in below
  useEffect(() => {
    if (!box.current) return;
    const grammar = new Compartment();
    const made = new EditorView({
      parent: box.current,
      doc: text,
      extensions: [
        editorBase('Workflow as YAML'),
        look,
        problemLines,
        grammar.of([]),
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && tell.current(state.sliceDoc())),
      ],
    });
    view.current = made;
    void grammarOf('workflow.yaml').then((found) => found && made.dispatch({ effects: grammar.reconfigure(found) }));
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [readOnly]);

  useEffect(() => {
    const { current } = view;
    if (!current || text === current.state.sliceDoc()) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    view.current?.dispatch({ effects: setLines.of(wrong) });
  }, [wrong]);

  useEffect(() => {
    const { current } = view;
    if (!current || !place) return;
    const { from } = current.state.doc.line(Math.max(1, Math.min(place.line, current.state.doc.lines)));
    current.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    current.focus();
  }, [place]);

  return <div ref={box} className="min-h-0 flex-1 overflow-hidden" />;
}
