import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Without TLS the browser hides the clipboard; selecting and copying still works.
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** An id, path or command in monospace; a click copies it. */
export function Copyable({ text, label, shown = text }: { text: string; label: string; shown?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      title={copied ? 'Copied' : `Copy ${text}`}
      onClick={async () => {
        await copy(text);
        setCopied(true);
        window.setTimeout(() => setCopied(false), 1500);
      }}
      className="group inline-flex max-w-full min-w-0 items-center gap-1 rounded font-mono text-small text-soft hover:bg-hover hover:text-ink"
    >
      <span className="sr-only">
        {copied ? 'Copied' : 'Copy'} {label}
      </span>
      <span className="truncate">{shown}</span>
      {copied ? (
        <Check aria-hidden size={12} className="shrink-0 text-done" />
      ) : (
        <Copy aria-hidden size={12} className="shrink-0 text-faint group-hover:text-ink" />
      )}
    </button>
  );
}
