import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** An image would be fetched from wherever a model says; its address is shown instead. */
const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <code>{`image: ${alt || String(src ?? '')}`}</code>,
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} aria-label={checked ? 'done' : 'open'} />
  ),
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
};

const PLUGINS = [remarkGfm];

export default memo(function MarkdownText({ text, lines }: { text: string; lines: boolean }) {
  return (
    <div className={lines ? 'prose prose-lines' : 'prose'}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
