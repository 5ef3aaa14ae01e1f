import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStreamReader, type StreamMessage } from '../../sdk/event-stream.ts';

const read = (pieces: Uint8Array[]): StreamMessage[] => {
  const reader = new EventStreamReader();
  return pieces.flatMap((piece) => reader.push(piece));
};

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a message is read the same wherever the bytes of the stream were cut', () => {
  const messages = [
    { type: 'model.delta', data: JSON.stringify({ text: 'Lämpchen 🌱 光\n\n' }) },
    { type: 'run.completed', data: JSON.stringify({ output: 'data: x' }) },
  ];
  const bytes = bytesOf(messages.map(({ type, data }) => `id: 1\nevent: ${type}\ndata: ${data}\n\n`).join(''));
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, index) => bytes.slice(at[index], end));
      expect(read(pieces)).toEqual(messages);
    }),
  );
});

test.each([
  ['a comment is no message', ': still here\n\n', []],
  ['a message without its empty line is not given out', 'event: a\ndata: 1\n', []],
  ['lines may end as on other systems', 'event: a\r\ndata: 1\r\n\r\n', [{ type: 'a', data: '1' }]],
  ['several data lines are one text', 'data: 1\ndata: 2\n\n', [{ type: 'message', data: '1\n2' }]],
  [
    'the space after the colon is not data, a second one is',
    'data:1\n\ndata:  2\n\n',
    [
      { type: 'message', data: '1' },
      { type: 'message', data: ' 2' },
    ],
  ],
  [
    'the type of one message is not the type of the next',
    'event: a\ndata: 1\n\ndata: 2\n\n',
    [
      { type: 'a', data: '1' },
      { type: 'message', data: '2' },
    ],
  ],
])('%s', (_rule, stream, messages) => {
  expect(read([bytesOf(stream)])).toEqual(messages);
});
