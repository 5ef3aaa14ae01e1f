import { indentWithTab } from '@codemirror/commands';
import { defaultHighlightStyle, HighlightStyle, LanguageDescription, syntaxHighlighting } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { EditorState, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { basicSetup, EditorView } from 'codemirror';
import { lineEndOf } from './line-ends.ts';

/** The colours CodeMirror gives to kinds of words, as those of our tokens that come closest: they know light and dark. */
const TOKENS: Record<string, string> = {
  '#404740': 'var(--ink-faint)',
  '#708': 'var(--accent-ink)',
  '#219': 'var(--running)',
  '#164': 'var(--done)',
  '#a11': 'var(--done)',
  '#e40': 'var(--waits)',
  '#00f': 'var(--running)',
  '#30a': 'var(--accent-ink)',
  '#085': 'var(--running)',
  '#167': 'var(--running)',
  '#256': 'var(--waits)',
  '#00c': 'var(--running)',
  '#940': 'var(--ink-faint)',
  '#f00': 'var(--failed)',
};

const highlighting = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, textDecoration, fontWeight, ...spec }) => ({
    ...spec,
    // Headings are bold here, as everywhere; only links are underlined.
    ...(textDecoration && !fontWeight ? { textDecoration } : {}),
    ...(fontWeight ? { fontWeight: '600' } : {}),
    ...(color ? { color: TOKENS[String(color)] ?? 'var(--ink)' } : {}),
  })),
);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '0.75rem', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono, ui-monospace, monospace)', lineHeight: '1.25rem' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 16px', cursor: 'pointer' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--waits-wash)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--chosen)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--hover)', border: 'none', color: 'var(--ink-soft)' },
  '.cm-panels': { backgroundColor: 'var(--canvas)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield': { backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--control)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--surface)', border: '1px solid var(--control)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-searchMatch': { backgroundColor: 'var(--waits-wash)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--chosen)' },
  '.cm-specialChar': { color: 'var(--failed)' },
});

/** What every editor of a file has. */
export const editorBase = (label: string): Extension => [
  basicSetup,
  keymap.of([indentWithTab]),
  look,
  syntaxHighlighting(highlighting),
  // What scrolls must be reached by keyboard, and not every reader takes what is editable for that.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
];

export const lineEnds = (text: string): Extension => EditorState.lineSeparator.of(lineEndOf(text));

/** The grammar of a file by its name, fetched when it is needed; null where there is none. */
export async function grammarOf(name: string): Promise<Extension | null> {
  return (await LanguageDescription.matchFilename(languages, name)?.load()) ?? null;
}
