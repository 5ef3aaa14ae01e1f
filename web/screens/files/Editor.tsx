import { Compartment, EditorState } from '@codemirror/state';
import { lineNumbers } from '@codemirror/view';
import { EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { isMarkdown } from '../../file-paths.ts';
import { editorBase, grammarOf, lineEnds } from './editor-setup.ts';

interface Props {
  name: string;
  text: string;
  readOnly: boolean;
  /** To be shown and marked. */
  line: number | null;
  onChange: (text: string) => void;
  onLine: (line: number) => void;
  /** The lines that are chosen; null where none are. */
  onSelect: (lines: { start_line: number; end_line: number; content: string } | null) => void;
}

/** A file as code. Its text is the page's; what comes from outside takes its place without losing the cursor. */
export default function Editor({ name, text, readOnly, line, onChange, onLine, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  /** The text the editor and the page agree on. */
  const agreed = useRef(text);
  const tell = useRef({ onChange, onLine, onSelect });
  tell.current = { onChange, onLine, onSelect };

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once a file; what changes later is brought in below
  useEffect(() => {
    if (!box.current) return;
    const grammar = new Compartment();
    agreed.current = text;
    const made = new EditorView({
      parent: box.current,
      doc: text,
      extensions: [
        lineEnds(text),
        editorBase(`Text of ${name}`),
        grammar.of([]),
        EditorState.readOnly.of(readOnly),
        isMarkdown(name) ? EditorView.lineWrapping : [],
        lineNumbers({
          domEventHandlers: {
            mousedown: (at, block) => {
              tell.current.onLine(at.state.doc.lineAt(block.from).number);
              return false;
            },
          },
        }),
        EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
          if (selectionSet || docChanged) tell.current.onSelect(chosenLines(state));
          if (!docChanged) return;
          const now = state.sliceDoc();
          if (now === agreed.current) return;
          agreed.current = now;
          tell.current.onChange(now);
        }),
      ],
    });
    view.current = made;
    void grammarOf(name).then((found) => found && made.dispatch({ effects: grammar.reconfigure(found) }));
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [name, readOnly]);

  useEffect(() => {
    const { current } = view;
    if (!current || text === agreed.current) return;
    agreed.current = text;
    const { main } = current.state.selection;
    const insert = current.state.toText(text);
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert },
      selection: { anchor: Math.min(main.head, insert.length) },
    });
  }, [text]);

  useEffect(() => {
    const { current } = view;
    if (!current || line === null) return;
    const { from } = current.state.doc.line(Math.min(line, current.state.doc.lines));
    current.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    current.focus();
  }, [line]);

  return <div ref={box} className="min-h-0 flex-1 overflow-hidden" />;
}

/** Whole lines: an agent is told lines, not characters. A line that is only touched at its beginning is not meant. */
function chosenLines({ selection: { main }, doc }: EditorState) {
  if (main.empty) return null;
  const first = doc.lineAt(main.from);
  const touched = doc.lineAt(main.to);
  const last = touched.number > first.number && main.to === touched.from ? doc.line(touched.number - 1) : touched;
  return { start_line: first.number, end_line: last.number, content: doc.sliceString(first.from, last.to) };
}
