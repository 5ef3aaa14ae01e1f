import { lazy, Suspense, useDeferredValue } from 'react';

/** The parser is as large as the rest of the page, so it comes when the first text does. */
const Rendered = lazy(() => import('./MarkdownText.tsx'));

/** `lines` keeps single line breaks, as people mean them and Markdown does not. */
export function Markdown({ text, lines = false }: { text: string; lines?: boolean }) {
  // Text that is being written changes many times a second; the rest of the page goes first.
  const shown = useDeferredValue(text);
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{shown}</p>}>
      <Rendered text={shown} lines={lines} />
    </Suspense>
  );
}
