import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolContext } from '../../activities/segment.ts';
import { toolbox } from '../../activities/tools/index.ts';
import type { Agent } from '../../domain/agent.ts';
import { boundOfCaller } from '../../domain/rights.ts';
import { contentHash, NotebookFiles } from '../../files/notebook-files.ts';
import { agentWith, tool as called } from '../domain/told.ts';

let root: string;
let files: NotebookFiles;
const LINES = Array.from({ length: 1_000 }, (_, n) => `line ${n + 1}\n`).join('');
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-tools-'));
  await mkdir(join(root, 'docs/deep'), { recursive: true });
  await mkdir(join(root, 'secret'));
  await writeFile(join(root, 'notes.md'), 'The Quick fox\nruns\n\nover the quick dog\n');
  await writeFile(join(root, 'docs/long.txt'), LINES);
  await writeFile(join(root, 'docs/deep/wide.txt'), 'ü'.repeat(50_000));
  await writeFile(join(root, 'docs/empty.md'), '');
  await writeFile(join(root, 'docs/picture.bin'), Buffer.from([0xff, 0, 1, 0xfe]));
  await writeFile(join(root, 'secret/quick.md'), 'quick secret\n');
  await writeFile(join(root, '.hidden.md'), 'quick hidden\n');
  await symlink('../secret/quick.md', join(root, 'docs/link.md'));
  files = await NotebookFiles.at(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const context = (agent: Agent, signal = new AbortController().signal) =>
  toolContext({ agent, notebook_id: 'nb_1', bound: boundOfCaller(true) }, files, signal);

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a result, it says in its assertions
async function use(name: string, args: object = {}, more: Partial<Agent> = {}): Promise<any> {
  const agent = agentWith(more);
  const { tool, input } = toolbox(agent, 'folder').resolve(called('c', name, { ...args }));
  if (!('run' in tool)) throw new Error(`${name} does not run by itself`);
  return tool.run(input, context(agent));
}
const names = (more: Partial<Agent>, hasNotebook = true) =>
  toolbox(agentWith(more), hasNotebook ? 'folder' : null).schemas.map(({ name }) => name);

describe('[2] the tools that are offered', () => {
  const READING = ['read_file', 'list_files', 'search_project', 'get_file_metadata', 'read_result'];
  const CHANGING = ['write_file', 'create_file', 'delete_file', 'update_file_properties'];
  it.each<[string, Partial<Agent>, boolean, string[]]>([
    ['to who may read', {}, true, [...READING, 'clarify_user']],
    [
      'to who may write',
      { can_write: true },
      true,
      [...READING, 'write_file', 'update_file_properties', 'clarify_user'],
    ],
    ['to who may only create', { can_create: true }, true, [...READING, 'write_file', 'create_file', 'clarify_user']],
    ['to who may only delete', { can_delete: true }, true, [...READING, 'delete_file', 'clarify_user']],
    [
      'to who may do everything',
      { can_write: true, can_create: true, can_delete: true },
      true,
      [...READING, ...CHANGING, 'clarify_user'],
    ],
    [
      'to whose scope lists other operations',
      {
        can_write: true,
        can_create: true,
        can_delete: true,
        scope: { notebooks: ['*'], operations: ['read', 'delete'] },
      },
      true,
      [...READING, 'delete_file', 'clarify_user'],
    ],
    ['to who may not even read', { can_read: false }, true, ['clarify_user']],
    ['without a notebook', { can_write: true }, false, ['clarify_user']],
  ])('%s', (_what, agent, hasNotebook, expected) => {
    expect(names(agent, hasNotebook)).toEqual(expected);
    const { find: known } = toolbox(agentWith(agent), hasNotebook ? 'folder' : null);
    expect([...READING, ...CHANGING, 'clarify_user'].filter((name) => known(name))).toEqual(expected);
  });

  it('are the only ones that can be called, and the model is told which there are', () => {
    expect(() =>
      toolbox(agentWith(), 'folder').resolve(called('c', 'write_file', { path: '/a', content: '' })),
    ).toThrow(expect.objectContaining({ code: 'unknown_tool', details: { tools: [...READING, 'clarify_user'] } }));
  });

  it('say what they take in JSON Schema that lets nothing else through', () => {
    for (const { parameters } of toolbox(agentWith({ can_write: true, can_create: true, can_delete: true }), 'folder')
      .schemas) {
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });
});

describe('arguments', () => {
  it.each<[string, string, object]>([
    ['an unknown one', 'read_file', { path: '/a', colour: 'red' }],
    ['a missing one', 'read_file', {}],
    ['a wrong type', 'read_file', { path: 1 }],
    ['a line before the first', 'read_file', { path: '/a', start_line: 0 }],
    ['half a line', 'read_file', { path: '/a', end_line: 1.5 }],
    ['more bytes than can be given', 'read_file', { path: '/a', max_bytes: 1_048_577 }],
    ['more results than can be given', 'search_project', { query: 'a', limit: 1_001 }],
    ['an empty query', 'search_project', { query: '' }],
    ['an empty question', 'clarify_user', { question: '' }],
    ['a pattern that could run away', 'list_files', { pattern: '*a*a*a*a*a*a*b' }],
    ['another one', 'search_project', { query: 'a', glob: '{a,b}{a,b}{a,b}{a,b}' }],
  ])('%s is told back', (_what, name, args) => {
    expect(() => toolbox(agentWith(), 'folder').resolve(called('c', name, { ...args }))).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', details: { issues: [expect.any(String)] } }),
    );
  });

  it('that are no JSON object are told back with what was received', () => {
    const call = { ...called('c', 'read_file'), malformed: '{"path": ' };
    expect(() => toolbox(agentWith(), 'folder').resolve(call)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', details: { received: '{"path": ' } }),
    );
  });

  it.each<[string, object, string, object]>([
    ['read_file', { file_path: '/notes.md' }, 'read_file', { path: '/notes.md' }],
    ['list_files', { prefix: '/docs', glob: '*.md' }, 'list_files', { path: '/docs', pattern: '*.md' }],
    ['search_content', { query: 'q', pattern: '**' }, 'search_project', { query: 'q', glob: '**' }],
    ['write_file', { file_path: '/a', content: 'x' }, 'write_file', { path: '/a', content: 'x' }],
    ['create_file', { file_path: '/a' }, 'create_file', { path: '/a', content: '' }],
    ['delete_file', { file_path: '/a' }, 'delete_file', { path: '/a' }],
    ['get_file_metadata', { file_path: '/a' }, 'get_file_metadata', { path: '/a' }],
    [
      'update_file_properties',
      { file_path: '/a', properties: { a: null } },
      'update_file_properties',
      { path: '/a', properties: { a: null } },
    ],
  ])('%s(%j) is understood as %s(%j)', (name, args, canonical, expected) => {
    const agent = agentWith({ can_write: true, can_create: true, can_delete: true });
    const { tool, input } = toolbox(agent, 'folder').resolve(called('c', name, { ...args }));
    expect([tool.name, input]).toEqual([canonical, expected]);
  });
});

describe('read_file', () => {
  it('gives the content with hash and number of lines', async () => {
    expect(await use('read_file', { path: 'notes.md' })).toEqual({
      path: '/notes.md',
      content: 'The Quick fox\nruns\n\nover the quick dog\n',
      start_line: 1,
      end_line: 4,
      total_lines: 4,
      hash: (await files.read('/notes.md')).hash,
    });
  });

  it.each<[string, object, object]>([
    ['a range', { start_line: 2, end_line: 3 }, { content: 'line 2\nline 3\n', start_line: 2, end_line: 3 }],
    [
      'a range beyond the end',
      { start_line: 999, end_line: 2_000 },
      { content: 'line 999\nline 1000\n', end_line: 1_000 },
    ],
    ['a start beyond the end', { start_line: 5_000 }, { content: '', total_lines: 1_000 }],
    ['an end before the start', { start_line: 5, end_line: 3 }, { content: '', end_line: 4 }],
  ])('gives %s, with no word of more', async (_what, args, expected) => {
    const result = await use('read_file', { path: '/docs/long.txt', ...args });
    expect(result).toMatchObject(expected);
    expect(result).not.toHaveProperty('truncated');
  });

  it('stops after 800 lines and says how to read on', async () => {
    const first = await use('read_file', { path: '/docs/long.txt' });
    expect(first).toMatchObject({ end_line: 800, total_lines: 1_000, truncated: true, read_on: 'start_line 801' });
    const rest = await use('read_file', { path: '/docs/long.txt', start_line: 801 });
    expect(first.content + rest.content).toBe(LINES);
    expect(rest).not.toHaveProperty('truncated');
  });

  it('stops at whole lines before its limit of bytes, and says how to read on', async () => {
    const result = await use('read_file', { path: '/docs/long.txt', max_bytes: 20 });
    expect(result).toMatchObject({
      content: 'line 1\nline 2\n',
      end_line: 2,
      truncated: true,
      read_on: 'start_line 3',
    });
  });

  it('cuts a line that is longer than its limit, in whole characters, and says so', async () => {
    const result = await use('read_file', { path: '/docs/deep/wide.txt', max_bytes: 1_001 });
    expect(result).toMatchObject({ content: 'ü'.repeat(500), end_line: 1, truncated: true });
  });

  it('takes an empty file for what it is', async () => {
    expect(await use('read_file', { path: '/docs/empty.md' })).toMatchObject({ content: '', hash: contentHash('') });
  });

  it('is held to the scope by where a path really leads', async () => {
    const scope = { notebooks: ['*'], folders: ['/docs'] };
    await expect(use('read_file', { path: '/notes.md' }, { scope })).rejects.toMatchObject({ code: 'scope_violation' });
    await expect(use('read_file', { path: '/docs/link.md' }, { scope })).rejects.toMatchObject({
      code: 'scope_violation',
    });
    expect(await use('read_file', { path: '/docs/link.md' })).toMatchObject({ content: 'quick secret\n' });
  });
});

describe('get_file_metadata', () => {
  it('tells size, time, lines, hash and frontmatter', async () => {
    await writeFile(join(root, 'docs/page.md'), '---\ntitle: Page\n---\ntext\n');
    const { modified_at, hash, ...rest } = await use('get_file_metadata', { path: 'docs/page.md' });
    await rm(join(root, 'docs/page.md'));
    expect(rest).toEqual({
      name: 'page.md',
      path: '/docs/page.md',
      type: 'file',
      size: 25,
      is_text: true,
      lines: 4,
      properties: { title: 'Page' },
    });
    expect([Date.parse(modified_at) > 0, hash]).toEqual([true, contentHash('---\ntitle: Page\n---\ntext\n')]);
  });

  it('tells what can be told of other files and of folders', async () => {
    expect(await use('get_file_metadata', { path: '/docs/picture.bin' })).toMatchObject({ size: 4, is_text: false });
    expect(await use('get_file_metadata', { path: '/docs' })).toMatchObject({ type: 'folder', path: '/docs' });
    expect(await use('get_file_metadata', { path: '/notes.md' })).toMatchObject({ properties: null });
    await expect(use('get_file_metadata', { path: '/nothing' })).rejects.toMatchObject({ code: 'no_such_file' });
  });

  it('is held to the scope by where a path really leads', async () => {
    const scope = { notebooks: ['*'], folders: ['/docs'] };
    for (const path of ['/secret/quick.md', '/docs/link.md', '/nothing']) {
      await expect(use('get_file_metadata', { path }, { scope })).rejects.toMatchObject({ code: 'scope_violation' });
    }
  });
});

describe('list_files', () => {
  const all = [
    '/docs/deep/wide.txt',
    '/docs/empty.md',
    '/docs/long.txt',
    '/docs/picture.bin',
    '/notes.md',
    '/secret/quick.md',
  ];
  it.each<[object, string[]]>([
    [{}, all],
    [{ path: '/docs' }, all.slice(0, 4)],
    [{ path: 'docs/' }, all.slice(0, 4)],
    [{ pattern: '*.md' }, ['/docs/empty.md', '/notes.md', '/secret/quick.md']],
    [{ pattern: '/*.md' }, ['/notes.md']],
    [{ pattern: 'docs/*' }, ['/docs/empty.md', '/docs/long.txt', '/docs/picture.bin']],
    [{ pattern: '**/*.txt' }, ['/docs/deep/wide.txt', '/docs/long.txt']],
    [{ pattern: '**/*.md' }, ['/docs/empty.md', '/notes.md', '/secret/quick.md']],
    [{ pattern: '**' }, all],
    [{ pattern: '*.none' }, []],
  ])('%j gives %j', async (args, expected) =>
    expect(await use('list_files', args)).toEqual({ files: expected, total: expected.length }),
  );

  it('shows what the scope covers and nothing else', async () => {
    const scope = { notebooks: ['*'], folders: ['/docs'], file_types: ['*.txt'] };
    expect((await use('list_files', {}, { scope })).files).toEqual(['/docs/deep/wide.txt', '/docs/long.txt']);
  });

  it('refuses a folder that no rule has anything in, whether or not it is there', async () => {
    const scope = { notebooks: ['*'], folders: ['/docs/deep/*'] };
    for (const path of ['/secret', '/nothing', '/docs/other']) {
      await expect(use('list_files', { path }, { scope })).rejects.toMatchObject({ code: 'scope_violation' });
    }
    expect((await use('list_files', { path: '/docs' }, { scope })).files).toEqual(['/docs/deep/wide.txt']);
    expect((await use('list_files', { path: '/docs/deep' }, { scope })).total).toBe(1);
  });

  it('tells the files of a folder that is reached by a link as what they are', async () => {
    await symlink('secret', join(root, 'other'));
    const scope = { notebooks: ['*'], folders: ['/other'] };
    await expect(use('list_files', { path: '/other' }, { scope })).rejects.toMatchObject({ code: 'scope_violation' });
    expect((await use('list_files', { path: '/other' })).files).toEqual(['/secret/quick.md']);
    await rm(join(root, 'other'));
  });

  it('gives a thousand and says how many there are', async () => {
    const crowd = join(root, 'crowd');
    await mkdir(crowd);
    await Promise.all(Array.from({ length: 1_005 }, (_, n) => writeFile(join(crowd, `${n}.txt`), '')));
    const listed = await use('list_files', { path: '/crowd' });
    await rm(crowd, { recursive: true });
    expect([listed.files.length, listed.total, listed.truncated]).toEqual([1_000, 1_005, true]);
  });
});

describe('[2] whatever the scope', () => {
  const anyScope = fc.record({
    notebooks: fc.constant<string[]>(['*']),
    folders: fc.subarray(['/docs', '/docs/deep/*', '/secret', '**/*.md', '/*.md', '/nothing'], { minLength: 1 }),
    file_types: fc.subarray(['md', '*.txt', 'bin'], { minLength: 1 }),
  });

  it('a list and a search show exactly the files that may be read one by one', () =>
    fc.assert(
      fc.asyncProperty(anyScope, async (scope) => {
        const readable = await Promise.all(
          (await files.list('/', 100)).map(async (path) => {
            const outcome = await use('get_file_metadata', { path }, { scope }).catch(
              (error: { code: string }) => error,
            );
            return outcome.code === 'scope_violation' ? [] : [path];
          }),
        );
        expect((await use('list_files', {}, { scope })).files).toEqual(readable.flat());
        const { results } = await use('search_project', { query: 'quick', limit: 50 }, { scope });
        for (const { file_path } of results) expect(readable.flat()).toContain(file_path);
      }),
      { numRuns: 40 },
    ));
});

describe('search_project', () => {
  const found = async (args: object, more: Partial<Agent> = {}) =>
    (await use('search_project', args, more)).results.map(
      ({ file_path, start_line, end_line }: { file_path: string; start_line: number; end_line: number }) =>
        `${file_path}:${start_line}-${end_line}`,
    );

  it('finds text in any case, with lines around it, in text files that are not hidden', async () => {
    const { results } = await use('search_project', { query: 'QUICK' });
    expect(results).toEqual([
      { file_path: '/notes.md', start_line: 1, end_line: 3, snippet: 'The Quick fox\nruns\n' },
      { file_path: '/notes.md', start_line: 2, end_line: 5, snippet: 'runs\n\nover the quick dog\n' },
      { file_path: '/secret/quick.md', start_line: 1, end_line: 2, snippet: 'quick secret\n' },
    ]);
  });

  it('takes the query as text, not as a pattern', async () => {
    expect(await found({ query: '.*' })).toEqual([]);
    expect(await found({ query: 'fox\\s' })).toEqual([]);
  });

  it('stays within glob and scope', async () => {
    expect(await found({ query: 'quick', glob: 'secret/**' })).toEqual(['/secret/quick.md:1-2']);
    expect(await found({ query: 'fox', glob: '**/*.md' })).toEqual(['/notes.md:1-3']);
    expect(await found({ query: 'quick' }, { scope: { notebooks: ['*'], file_types: ['*.txt'] } })).toEqual([]);
    expect(await found({ query: 'quick' }, { scope: { notebooks: ['*'], folders: ['/docs'] } })).toEqual([]);
  });

  it('gives as many as were asked for, 20 unless told, and says that there may be more', async () => {
    expect(await use('search_project', { query: 'line' })).toMatchObject({ limited: true, results: { length: 20 } });
    expect(await found({ query: 'line', limit: 1 })).toEqual(['/docs/long.txt:1-3']);
    expect((await found({ query: 'line', limit: 1_000 })).length, 'never more than the cap').toBe(50);
    expect(await use('search_project', { query: 'fox' })).not.toHaveProperty('limited');
  });

  it('stops when the run is cancelled', async () => {
    const agent = agentWith();
    const { tool, input } = toolbox(agent, 'folder').resolve(called('c', 'search_project', { query: 'quick' }));
    if (!('run' in tool)) throw new Error('it does not run');
    const signal = AbortSignal.abort(new Error('the run was cancelled'));
    await expect(tool.run(input, context(agent, signal))).rejects.toThrow('cancelled');
  });
});
