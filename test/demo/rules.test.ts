import { describe, expect, it } from 'vitest';
import { decide } from '../../demo/rules.ts';
import { tidied } from '../../demo/skills/tidy.ts';
import { WRAP_UP } from '../../domain/budget.ts';
import type { ModelMessage, ToolCall, ToolSchema } from '../../domain/model.ts';
import { NO_ANSWER } from '../../domain/run-requests.ts';
import { play } from './play.ts';

const tool = (name: string, ...properties: string[]): ToolSchema => ({
  name,
  description: name,
  parameters: { type: 'object', properties: Object.fromEntries(properties.map((key) => [key, { type: 'string' }])) },
});

const READING = [tool('list_files', 'path'), tool('read_file', 'path'), tool('search_project', 'query', 'limit')];
const ALL = [...READING, tool('write_file', 'path', 'content'), tool('clarify_user', 'question')];
const CHANGING = [...ALL, tool('create_file', 'path', 'content'), tool('delete_file', 'path')];

const FILES: Record<string, string> = {
  '/README.md': '# Journal\n\nAll about lamps. More of it.\n',
  '/notes/a.md':
    '---\ntitle: Alpha\ndate: 2025-01-02\n---\n# A\n\n## Results\n\nLamp B won by far. Really.\n\n- TODO: ask again\n',
  '/notes/b.md': '# Beta\n\nNothing about it.\n',
  '/data/n.csv': 'day,height\n1,10\n2,14\n',
};

const next = (messages: ModelMessage[], tools: ToolSchema[]) => {
  const move = decide(messages, tools);
  const tool_calls = move.calls.map((call, index) => ({ tool_call_id: `c${messages.length}-${index}`, ...call }));
  return { assistant_message: move.text, tool_calls };
};

type Act = (call: ToolCall) => unknown;

/** Answers in the shapes of the real tools. */
function notebook(files: Record<string, string> = { ...FILES }) {
  const pathOf = (call: ToolCall) => `/${String(call.arguments.path).replace(/^\//, '')}`;
  const act: Act = (call) => {
    switch (call.name) {
      case 'list_files':
        return { files: Object.keys(files).sort(), total: Object.keys(files).length };
      case 'read_file': {
        const content = files[pathOf(call)];
        if (content === undefined) return { error: `There is no file ${pathOf(call)}.`, code: 'no_such_file' };
        return { path: pathOf(call), content, start_line: 1, end_line: content.split('\n').length };
      }
      case 'write_file':
      case 'create_file':
        files[pathOf(call)] = String(call.arguments.content);
        return { path: pathOf(call), written: true };
      case 'delete_file':
        delete files[pathOf(call)];
        return { path: pathOf(call), deleted: true };
      default: {
        const query = String(call.arguments.query).toLowerCase();
        const results = Object.entries(files).flatMap(([file_path, text]) =>
          text.split('\n').flatMap((line, i) =>
            line.toLowerCase().includes(query)
              ? {
                  file_path,
                  start_line: Math.max(1, i),
                  end_line: i + 1,
                  snippet: text
                    .split('\n')
                    .slice(Math.max(0, i - 1), i + 1)
                    .join('\n'),
                }
              : [],
          ),
        );
        return { results };
      }
    }
  };
  return { files, act };
}

const run = (instruction: string, options: { tools?: ToolSchema[]; act?: Act; steer?: Record<number, string> } = {}) =>
  play(instruction, options.tools ?? ALL, next, options.act ?? notebook().act, options.steer);

const shape = (turns: { calls: { name: string }[] }[]): string =>
  turns.map(({ calls }) => calls.map(({ name }) => name).join('+') || '.').join(' > ');

describe('what the demo model does with an instruction', () => {
  it.each<[string, string, RegExp]>([
    ['list the files in notes', 'list_files > .', /2 files:[\s\S]*notes\/a\.md/],
    ['Read README.md', 'read_file > .', /\*\*Journal\*\*[\s\S]*All about lamps/],
    ['show me b.md', 'read_file > list_files > read_file > .', /Beta/],
    ['find "Lamp B"', 'search_project > .', /notes\/a\.md:9` Lamp B won/],
    ['Where is the lamp mentioned?', 'search_project > .', /README\.md:3/],
    ['search for giraffes', 'search_project > .', /No file I may see holds "giraffes"/],
    ['look for glowing lamps', 'search_project > search_project > .', /No file|Found/],
    [
      'summarize the notebook',
      'list_files > read_file+read_file+read_file+read_file > write_file > .',
      /summary of 4 files/,
    ],
    ['Please summarise notes here', 'list_files > read_file+read_file > .', /Alpha[\s\S]*Lamp B won by far\./],
    ['summarize notes into drafts/o.md', 'list_files > read_file+read_file > write_file > .', /`drafts\/o\.md`/],
    ['{"task": "summarize README.md"}', 'list_files > read_file > .', /All about lamps\./],
    ['replace "Lamp B" with "Lamp C" in notes/a.md', 'read_file > write_file > .', /I replaced "Lamp B" with "Lamp C"/],
    ['rename lamps to lights everywhere', 'search_project > read_file > write_file > .', /README\.md/],
    ['replace "cat" with "dog" in notes/a.md', 'read_file > .', /nothing was changed/],
    ['create notes/c.md with "Hello"', 'write_file > .', /notes\/c\.md` is written/],
    ['add "- one more" to notes/b.md', 'read_file > write_file > .', /is written/],
    ['count the words in notes/b.md', 'list_files > read_file > .', /5 words in 1 file/],
    [
      'how many TODOs are there?',
      'list_files > read_file+read_file+read_file+read_file > .',
      /1 open points[\s\S]*ask again \(notes\/a\.md:11\)/,
    ],
    ['work through every file', 'list_files > read_file > read_file > read_file > read_file > .', /all 4 files/],
    ['sing a song', '.', /I know no rule for that[\s\S]*work through every file/],
  ])('%s: %s', async (instruction, turns, final) => {
    const played = await run(instruction);
    expect(shape(played.turns)).toBe(turns);
    expect(played.final).toMatch(final);
  });

  it('says in its first answer, and only there, that it is not an LLM', async () => {
    const { turns } = await run('work through every file');
    expect(turns.map(({ text }) => text.includes('not an LLM'))).toEqual([true, false, false, false, false, false]);
  });

  it('gives the same conversation for the same files every time', async () => {
    expect(await run('summarize the notebook')).toEqual(await run('summarize the notebook'));
  });

  it('changes only what it was told to change', async () => {
    const { files, act } = notebook();
    await run('replace "Lamp B" with "Lamp $&" in notes/a.md', { act });
    expect(files).toEqual({ ...FILES, '/notes/a.md': FILES['/notes/a.md']?.replace('Lamp B', () => 'Lamp $&') });
  });

  it('reads a long file to its end before it writes it', async () => {
    const pages: Act = (call) => {
      if (call.name !== 'read_file') return { written: true };
      return call.arguments.start_line === 3
        ? { content: 'three x\n', start_line: 3, end_line: 3 }
        : { content: 'one x\ntwo\n', start_line: 1, end_line: 2, truncated: true };
    };
    const { turns } = await run('replace "x" with "y" in long.md', { act: pages });
    expect(turns[2]?.calls).toEqual([
      { name: 'write_file', arguments: { path: 'long.md', content: 'one y\ntwo\nthree y\n' } },
    ]);
  });
});

describe('which tools the demo model uses', () => {
  it('search_content and file_path where they are offered under these names', async () => {
    const tools = [tool('search_content', 'query'), tool('read_file', 'file_path')];
    expect((await run('find "x"', { tools })).turns[0]?.calls[0]?.name).toBe('search_content');
    expect((await run('read README.md', { tools })).turns[0]?.calls[0]?.arguments).toEqual({ file_path: 'README.md' });
  });

  it('create_file for a new file where it is offered', async () => {
    const { turns } = await run('create c.md with "x"', { tools: [...ALL, tool('create_file', 'path', 'content')] });
    expect(turns[0]?.calls).toEqual([{ name: 'create_file', arguments: { path: 'c.md', content: 'x\n' } }]);
  });

  it('create_file for a summary that is not there yet, write_file for one that is', async () => {
    const { turns } = await run('summarize notes into drafts/o.md', { tools: CHANGING });
    expect(turns.at(-2)?.calls[0]).toMatchObject({ name: 'create_file', arguments: { path: 'drafts/o.md' } });
    const again = await run('summarize the data into notes/b.md', { tools: CHANGING });
    expect(again.turns.at(-2)?.calls[0]).toMatchObject({ name: 'write_file', arguments: { path: 'notes/b.md' } });
  });

  it.each([
    ['Summarize all the experiments from last week and create a summary.md file', 'summary.md'],
    ['weekly summary of experiments', 'drafts/summary.md'],
    ["Please write last week's experiments up as a summary into notes/week.md", 'notes/week.md'],
  ])('only what the week that ends with the newest date holds: %s', async (instruction, path) => {
    const days = ['05-20', '05-15', '05-13', '05-06'].map((day) => [`/experiments/2025-${day}-x.md`, `# ${day}\n`]);
    const { act } = notebook({ ...FILES, ...Object.fromEntries(days) });
    const { turns } = await run(instruction, { tools: CHANGING, act });
    expect(shape(turns)).toBe('list_files > read_file+read_file > create_file > .');
    const [call] = turns[2]?.calls ?? [];
    expect(call?.arguments.path).toBe(path);
    expect(String(call?.arguments.content)).toMatch(/05-15[\s\S]*05-20/);
  });

  it.each([
    ['delete notes/b.md', 'delete_file > .', /`notes\/b\.md` is deleted/],
    ['Please remove notes/a.md and notes/b.md', 'delete_file+delete_file > .', /are deleted/],
  ])('delete_file to delete: %s', async (instruction, turns, final) => {
    const { files, act } = notebook();
    const played = await run(instruction, { tools: CHANGING, act });
    expect(shape(played.turns)).toBe(turns);
    expect(played.final).toMatch(final);
    expect(Object.keys(files)).not.toContain('/notes/b.md');
  });

  it.each([
    ['replace "a" with "b" in c.md', /no tool to change files/],
    ['delete c.md', /no tool to delete files/],
    ['run `ls`', /no tool to run commands/],
    ['delegate "this" to the reviewer', /no tool to delegate/],
  ])('none where it has not been given them: %s', async (instruction, final) => {
    const played = await run(instruction, { tools: READING });
    expect(played.turns).toHaveLength(1);
    expect(played.final).toMatch(final);
  });

  it.each([
    ['delegate "check it" to the reviewer', 'delegate_to_reviewer', { input: 'check it' }],
    ['run `ls -l`', 'run_command', { command: 'ls -l' }],
  ])('other agents and commands once they are there: %s', async (instruction, name, args) => {
    const tools = [
      tool('delegate_to_writer', 'input'),
      tool('delegate_to_reviewer', 'input'),
      tool('run_command', 'command'),
    ];
    const played = await run(instruction, { tools, act: () => 'all is well' });
    expect(played.turns[0]?.calls).toEqual([{ name, arguments: args }]);
    expect(played.final).toContain('all is well');
  });

  it('no write at all where the summary may only be told', async () => {
    const played = await run('summarize the notebook', { tools: READING });
    expect(shape(played.turns)).toBe('list_files > read_file+read_file+read_file+read_file > .');
    expect(played.final).toContain('| 2025-01-02 | `notes/a.md` | Alpha |');
  });
});

describe('what the demo model says when something is refused', () => {
  it('repeats the reason of a person who denied a change, and that nothing was written', async () => {
    const { act } = notebook();
    const refuse: Act = (call) =>
      call.name === 'write_file'
        ? { error: 'Owner refused this action. The reason given: not today', code: 'denied' }
        : act(call);
    const played = await run('summarize the notebook', { act: refuse });
    expect(shape(played.turns)).toMatch(/write_file > \.$/);
    expect(played.final).toMatch(/you refused it[\s\S]*not today[\s\S]*Nothing was written[\s\S]*# Summary/);
  });

  it.each([
    ['delete notes/b.md', /you refused it[\s\S]*keep it[\s\S]*Nothing was deleted/],
    ['Summarize the notes and create a summary.md file', /you refused it[\s\S]*keep it[\s\S]*Nothing was written/],
  ])('says so of a file that was to be made or deleted: %s', async (instruction, final) => {
    const { act } = notebook();
    const refuse: Act = (call) =>
      /^(create|delete)_file$/.test(call.name)
        ? { error: 'Owner refused this action. The reason given: keep it', code: 'denied' }
        : act(call);
    expect((await run(instruction, { tools: CHANGING, act: refuse })).final).toMatch(final);
  });

  it('says what lies outside of its scope and goes on with the rest', async () => {
    const { act } = notebook();
    const guard: Act = (call) =>
      call.arguments.path === '/README.md'
        ? { error: 'Not in scope.', code: 'scope_violation', scope_violation: true }
        : act(call);
    const played = await run('work through every file', { act: guard });
    expect(played.final).toContain('outside of what this agent may do');
    expect(played.final).toContain('`notes/a.md`');
  });

  it('says what a failed search or list was about', async () => {
    const fail: Act = () => ({ error: 'The disk is gone.', code: 'tool_failed' });
    expect((await run('find "x"', { act: fail })).final).toBe('search_project on x did not work: The disk is gone.');
    expect((await run('list files', { act: fail })).final).toContain('The disk is gone.');
  });
});

describe('how the demo model takes questions, steering and limits', () => {
  const answering = (answer: string): Act => {
    const { act } = notebook();
    return (call) => (call.name === 'clarify_user' ? { answer } : act(call));
  };

  it.each([
    ['improve notes/a.md', '2', 'clarify_user > list_files > read_file > .'],
    ['tidy up', 'summarize notes here', 'clarify_user > list_files > read_file+read_file > .'],
    ['ask me what to do', 'read README.md', 'clarify_user > read_file > .'],
    ['make it better', 'notes/b.md', 'clarify_user > read_file > .'],
    ['fix it', 'fix it please', 'clarify_user > .'],
  ])('asks when "%s" can mean many things, and goes on with the answer "%s"', async (instruction, answer, turns) => {
    expect(shape((await run(instruction, { act: answering(answer) })).turns)).toBe(turns);
  });

  it('changes nothing when nobody answers', async () => {
    const played = await run('tidy up', { act: answering(NO_ANSWER) });
    expect(shape(played.turns)).toBe('clarify_user > .');
    expect(played.final).toBe('Nobody answered, so I changed nothing.');
  });

  it('asks in words where it cannot ask by tool', async () => {
    const played = await run('improve notes/a.md', { tools: READING });
    expect(played.final).toMatch(/What shall I do\?\n1\. tidy notes\/a\.md/);
  });

  it('leaves its job for a later message that names another one', async () => {
    const played = await run('work through every file', { steer: { 2: 'Rather find "Lamp B"' } });
    expect(shape(played.turns)).toBe('list_files > read_file > search_project > .');
    expect(played.final).toContain('notes/a.md:9');
  });

  it('carries on when a later message means nothing to it', async () => {
    const played = await run('work through every file', { steer: { 2: 'Good going' } });
    expect(shape(played.turns)).toBe('list_files > read_file > read_file > read_file > read_file > .');
  });

  it.each([
    ['I was told to finish.', WRAP_UP],
    ['I stopped, as you asked.', 'Stop, that is enough'],
  ])('%s It does so at once, with what it has', async (text, message) => {
    const played = await run('work through every file', { steer: { 3: message } });
    expect(shape(played.turns)).toBe('list_files > read_file > read_file > .');
    expect(played.final).toContain(text);
    expect(played.final).toContain('`README.md`: All about lamps.');
  });

  it('begins anew with each request of a conversation', () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'find "x"' },
      { role: 'assistant', content: 'Nothing.', tool_calls: [] },
      { role: 'user', content: 'thanks' },
    ];
    expect(decide(messages, ALL).text).toMatch(/I know no rule for that/);
  });
});

describe('tidying', () => {
  it.each([
    ['#Title  \n\n\n\nText   \n\n\n', '# Title\n\nText\n'],
    ['a  \nb\t\n', 'a  \nb\n'],
    ['```\n#no   \n\n\n\n```\n', '```\n#no   \n\n\n\n```\n'],
    ['a \r\n\r\n\r\n\r\nb\r\n', 'a\r\n\r\nb\r\n'],
  ])('%j becomes %j', (before, after) => {
    expect(tidied(before)).toBe(after);
  });
});
