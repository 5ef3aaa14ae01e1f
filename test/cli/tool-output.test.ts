import { expect, it } from 'vitest';
import { RunRenderer } from '../../cli/rendering.ts';
import { Screen } from '../../cli/screen.ts';
import { uncoloured } from '../../cli/style.ts';
import type { RunItem } from '../../sdk/transcript-filter.ts';

const output = (offset: number, text: string): RunItem => ({
  kind: 'output',
  output: { run_id: 'run_1', turn: 1, call_id: 'c', offset, text },
});

function shown(items: RunItem[], streaming = true): string {
  let text = '';
  const renderer = new RunRenderer({ style: uncoloured, streaming, previewLines: 60 });
  const screen = new Screen({ write: (piece) => (text += piece) });
  for (const item of items) screen.show(renderer.take(item));
  return text;
}

it('what a command says stands line by line under it, once, and without what a terminal would obey', () => {
  const items = [output(0, 'one\ntw'), output(4, 'two\n10%\r100%\n\u001b[2Jthree\nunfinished')];
  expect(shown(items)).toMatch(/^ {2}│ one\n {2}│ two\n {2}│ 100%\n {2}│ .*three\n$/);
  expect(shown(items)).not.toContain('\u001b');
  // Whole lines are as good in a file as on a terminal.
  expect(shown(items, false)).toBe(shown(items));
});
