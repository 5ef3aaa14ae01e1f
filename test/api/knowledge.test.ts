import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeCollection } from '../../store/connection.ts';
import { pdfOf } from '../doubles/pdf.ts';
import { type Api, startApi } from './running-api.ts';

let api: Api;
let workspace: string;
let writer: { token: string; user_id: string };
beforeAll(async () => {
  api = await startApi();
  workspace = await api.workspace();
  writer = await api.member(workspace, 'write');
});
afterAll(() => api.stop());

const JOURNAL = [
  '# Journal',
  '',
  'The seeds were soaked for twelve hours.',
  'Germination was better than before.',
  ...Array.from({ length: 40 }, (_, n) => `Filler of line ${n + 5}.`),
  'The lamp distance was halved on day 9.',
].join('\n');

const add = (body: object, token = api.ownerKey) =>
  api.call('POST', '/knowledge', {
    token,
    body: { workspace_id: workspace, name: 'Journal', content_type: 'text/markdown', content: JOURNAL, ...body },
  });
const search = async (q: string, more = '', token = api.ownerKey) =>
  (await api.call('GET', `/knowledge/search?q=${encodeURIComponent(q)}${more}`, { token })).body.results;

describe('[3] a document', () => {
  it('is kept with its size and read again by line', async () => {
    const { status, body } = await add({});
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'markdown', bytes: JOURNAL.length, lines: 45, pages: null });
    expect((await api.call('GET', `/knowledge/${body.id}`)).body).toEqual(body);
    expect((await api.call('GET', '/knowledge')).body.items).toContainEqual(body);
    const text = (query: string) => api.call('GET', `/knowledge/${body.id}/text${query}`).then((read) => read.body);
    expect((await text('')).text).toBe(JOURNAL);
    expect(await text('?from=3&to=4')).toEqual({
      id: body.id,
      from: 3,
      to: 4,
      total_lines: 45,
      text: 'The seeds were soaked for twelve hours.\nGermination was better than before.',
      next_from: null,
      cut: false,
    });
    expect(await text('?from=46')).toMatchObject({ text: '', to: 45, next_from: null });
  });

  it('is found by its words, in any form, with source, lines, snippet and score', async () => {
    const { body: source } = await add({ name: 'Found' });
    const hit = (await search('soaking seeds')).find((each: { source: string }) => each.source === 'Found');
    expect(hit).toMatchObject({ source_id: source.id, start_line: 1, line: 3, page: null });
    expect(hit.snippet).toContain('soaked for twelve hours');
    expect(hit.score).toBeGreaterThan(0);
    const [late] = await search('lamp distance');
    expect(late).toMatchObject({ line: 45, end_line: 45 });
  });

  it('is found by parts of words and in languages without spaces, where no word fits', async () => {
    await add({ name: 'Other', content: '実験は成功した。\nident_of_something\n' });
    expect((await search('成功'))[0]).toMatchObject({ source: 'Other', line: 1 });
    expect((await search('ident_of_some'))[0]).toMatchObject({ source: 'Other' });
    expect(await search('(.*)+$')).toEqual([]);
  });

  it('of PDF is found with its page, and read as text', async () => {
    const file = pdfOf([['First page.'], ['Second page (of two).', 'The calibration drifted.']]).toString('base64');
    const { status, body } = await add({
      name: 'Report',
      content_type: 'application/pdf',
      content: undefined,
      content_base64: file,
    });
    expect([status, body.kind, body.pages, body.lines]).toEqual([201, 'pdf', 2, 3]);
    expect((await search('calibration'))[0]).toMatchObject({ source: 'Report', page: 2, line: 3, start_line: 2 });
  });

  it('that is one long line is kept whole, and given in what fits', async () => {
    const content = 'word '.repeat(100_000);
    const { body } = await add({ content_type: 'text/plain', content: `${content}\nlast` });
    const first = (await api.call('GET', `/knowledge/${body.id}/text`)).body;
    expect(first).toMatchObject({ cut: true, to: 1, next_from: 2, total_lines: 2 });
    expect(content.startsWith(first.text)).toBe(true);
    expect((await api.call('GET', `/knowledge/${body.id}/text?from=2`)).body).toMatchObject({ text: 'last', to: 2 });
  });

  it('of ten megabytes is taken, and one of more is refused', async () => {
    const line = 'All work and no play.\n';
    const most = line.repeat(Math.floor((10 * 1024 * 1024) / line.length));
    expect((await add({ name: 'Large', content: most })).status).toBe(201);
    expect((await add({ content: most + line.repeat(2) })).body.error).toBe('too_large');
    expect((await add({ content: 'x'.repeat(16 * 1024 * 1024) })).status).toBe(413);
  });

  it.each<[string, object, string]>([
    ['neither text nor file', { content: undefined }, 'content'],
    ['both', { content_base64: 'YQ==' }, 'content'],
    ['nothing but space', { content: ' \n ' }, 'content'],
    ['a PDF as text', { content_type: 'application/pdf' }, 'content'],
    ['no PDF', { content_type: 'application/pdf', content: undefined, content_base64: 'YQ==' }, 'content_base64'],
    [
      'a PDF without text',
      { content_type: 'application/pdf', content: undefined, content_base64: pdfOf([[]]).toString('base64') },
      'content_base64',
    ],
    ['bytes that are no text', { content: undefined, content_base64: '/w==' }, 'content_base64'],
    ['what is not base64', { content: undefined, content_base64: '***' }, 'content_base64'],
    ['a kind nobody reads', { content_type: 'image/png' }, 'content_type'],
  ])('%s is refused', async (_what, body, field) => {
    const refused = await add(body);
    expect([refused.status, Object.keys(refused.body.details.fields)]).toEqual([400, [field]]);
  });

  it('is gone from every search once it is removed, with all its text', async () => {
    const { body } = await add({ name: 'Gone', content: 'unrepeatable words' });
    expect(await search('unrepeatable')).toHaveLength(1);
    expect((await api.call('DELETE', `/knowledge/${body.id}`)).status).toBe(204);
    expect(await search('unrepeatable')).toEqual([]);
    expect((await api.call('GET', `/knowledge/${body.id}`)).status).toBe(404);
    expect(await nativeCollection('knowledge_passages').countDocuments({ '_id.source': body.id })).toBe(0);
  });

  it('that was left halfway is seen by nobody, and written anew by who repeats the upload', async () => {
    const upload = () =>
      api.call('POST', '/knowledge', {
        headers: { 'idempotency-key': 'the-same-upload' },
        body: { workspace_id: workspace, name: 'Halfway', content_type: 'text/plain', content: 'interruptible\nwords' },
      });
    const { body } = await upload();
    await nativeCollection<{ _id: string }>('knowledge').updateOne({ _id: body.id }, { $set: { is_whole: false } });
    expect(await search('interruptible')).toEqual([]);
    await nativeCollection('idempotency').updateMany({}, { $set: { reply: null, locked_at: null } });
    expect((await upload()).body).toMatchObject({ id: body.id });
    expect(await search('interruptible')).toHaveLength(1);
  });
});

describe('[1] whose documents', () => {
  it('members see and search those of their workspaces, and nobody else does', async () => {
    const elsewhere = await api.workspace('Elsewhere');
    const { body } = await add({ workspace_id: elsewhere, name: 'Secret', content: 'confidential matter' });
    const foreigner = await api.foreignOwner();
    for (const token of [writer.token, foreigner]) {
      expect(await search('confidential', '', token)).toEqual([]);
      expect((await api.call('GET', `/knowledge/${body.id}/text`, { token })).status).toBe(404);
      expect((await api.call('DELETE', `/knowledge/${body.id}`, { token })).status).toBe(404);
      expect((await api.call('GET', `/knowledge?workspace_id=${elsewhere}`, { token })).status).toBe(404);
      expect((await add({ workspace_id: elsewhere }, token)).status).toBe(404);
    }
    expect(await search('confidential', `&workspace_id=${workspace}`)).toEqual([]);
    expect(await search('confidential', `&workspace_id=${elsewhere}`)).toHaveLength(1);
  });

  it('who may write adds them and removes their own; who reads only reads', async () => {
    const reader = await api.member(workspace, 'read');
    expect((await add({}, reader.token)).status).toBe(403);
    const { body: theirs } = await add({}, writer.token);
    const { body: owners } = await add({});
    expect((await api.call('DELETE', `/knowledge/${theirs.id}`, { token: reader.token })).status).toBe(403);
    expect((await api.call('DELETE', `/knowledge/${owners.id}`, { token: writer.token })).status).toBe(403);
    expect((await api.call('DELETE', `/knowledge/${theirs.id}`, { token: writer.token })).status).toBe(204);
  });
});
