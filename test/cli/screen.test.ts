import { expect, test } from 'vitest';
import { line, Screen } from '../../cli/screen.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  const screen = new Screen({ isTTY, columns: 20, write: (text) => written.push(text) });
  return { screen, text: () => written.join('') };
}

test('a line begins on its own even where text is still being written', () => {
  const { screen, text } = terminal(false);
  screen.show([{ inline: 'half a sent' }, line('a line'), { inline: 'on' }, line('another')]);
  expect(text()).toBe('half a sent\na line\non\nanother\n');
});

test('the passing word gives way to whatever comes, and is no longer than the terminal is wide', () => {
  const { screen, text } = terminal(true);
  screen.pass('waiting for the model, which takes its time');
  screen.show([line('done')]);
  expect(text()).toBe('\x1b[2mwaiting for the mod\x1b[22m\r\x1b[Kdone\n');
});

test('nothing passes on what is no terminal, nor in the middle of a line', () => {
  const plain = terminal(false);
  plain.screen.pass('waiting');
  expect(plain.text()).toBe('');
  const busy = terminal(true);
  busy.screen.show([{ inline: 'text' }]);
  busy.screen.pass('waiting');
  expect(busy.text()).toBe('text');
});

test('while a prompt has the terminal everything is kept back, and shown in order afterwards', () => {
  const { screen, text } = terminal(true);
  screen.show([{ inline: 'text' }]);
  screen.hold();
  screen.show([{ inline: ' goes on' }]);
  screen.show([line('a line')]);
  screen.pass('waiting');
  expect(text()).toBe('text\n');
  screen.release();
  expect(text()).toBe('text\n goes on\na line\n');
});
