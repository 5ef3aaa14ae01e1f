import { expect, test } from 'vitest';
import { argumentsFrom, editable, editText } from '../../cli/editing.ts';

test('the content of a file is edited as text, under its own name', () => {
  const { name, text, read } = editable({ path: '/drafts/a.md', content: '# A\n' });
  expect([name, text]).toEqual(['a.md', '# A\n']);
  expect(read('# B\n')).toEqual({ path: '/drafts/a.md', content: '# B\n' });
});

test('other arguments are edited as JSON', () => {
  const { name, text, read } = editable({ command: 'ls' });
  expect(name).toBe('arguments.json');
  expect(read(text)).toEqual({ command: 'ls' });
});

test.each(['[1]', '"x"', 'null', '{'])('arguments that are no JSON object are refused: %s', (wrong) => {
  expect(() => argumentsFrom(wrong)).toThrow('The arguments are not');
});

test('what the editor saves is what comes back, and EDITOR may hold arguments', async () => {
  expect(await editText("sed -i 's/one/two/'", "it's $HOME.md", 'one\n')).toBe('two\n');
});

test('an editor that fails says which one it was', async () => {
  await expect(editText('false', 'a.md', 'one')).rejects.toThrow('The editor (false) ended with code 1.');
});
