import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineKind, Source } from '../../engines/binary.ts';
import { obtain } from '../../engines/obtain.ts';
import { silent } from '../../engines/progress.ts';
import { archiveSource, TEMPORAL } from '../../engines/temporal-binary.ts';
import { startProgramServer, writeProgram } from './program-server.ts';
import { temporaryFolder } from './temporary.ts';

let server: Awaited<ReturnType<typeof startProgramServer>>;
let cache: string;
let path: string;
beforeEach(async () => {
  server = await startProgramServer('1.29.1');
  cache = join(temporaryFolder(), 'engines');
  path = temporaryFolder();
});
afterEach(() => server.close());

const at = (place: string, sha256 = server.sha256) => archiveSource(`download ${place}`, server.url + place, sha256);
const kind = (...sources: Source[]): EngineKind => ({ ...TEMPORAL, sources });
const get = (wanted: EngineKind, more = {}) => obtain(wanted, { cache, path, progress: silent, ...more });
const folders = () => readdirSync(cache);

describe('an engine', () => {
  it('is downloaded once and then comes from the cache', async () => {
    const first = await get(kind(at('/')));
    expect(first).toMatchObject({ version: '1.29.1', path: join(cache, 'temporal-1.29.1', 'temporal') });
    expect(await get(kind(at('/')))).toEqual(first);
    expect(server.asked()).toBe(1);
    expect(folders()).toEqual(['temporal-1.29.1']);
  });

  it('is downloaded once where two want it at the same time, and both get it', async () => {
    const [one, other] = await Promise.all([get(kind(at('/'))), get(kind(at('/')))]);
    expect(one).toEqual(other);
    expect(server.asked()).toBe(1);
  });

  it.each([
    ['breaks off', '/cut'],
    ['is not there', '/missing'],
  ])('is gotten from the next source where a download %s, and no half of it stays', async (_, place) => {
    await get(kind(at(place), at('/')));
    expect(server.asked()).toBe(2);
    expect(folders()).toEqual(['temporal-1.29.1']);
  });

  it('with a wrong checksum is never run or kept', async () => {
    await expect(get(kind(at('/', 'b'.repeat(64))))).rejects.toThrow(/has sha256/);
    expect(folders()).toEqual([]);
  });

  it('is gotten anew where a process died while getting it', async () => {
    mkdirSync(join(cache, '.temporal-abc', 'whole'), { recursive: true });
    writeFileSync(join(cache, '.temporal-abc', 'whole', 'temporal'), 'half');
    writeFileSync(join(cache, 'temporal.lock'), JSON.stringify({ pid: 1, began: 'x', host: hostname(), id: 'x' }));
    await get(kind(at('/')));
    expect(folders()).toEqual(['temporal-1.29.1']);
  });

  it('whose cached file was changed is gotten anew; a touched one is not', async () => {
    const { path: program } = await get(kind(at('/')));
    utimesSync(program, new Date(), new Date(0));
    await get(kind(at('/')));
    expect(server.asked()).toBe(1);
    writeFileSync(program, '#!/bin/sh\necho changed\n');
    expect(await get(kind(at('/')))).toMatchObject({ version: '1.29.1' });
    expect(server.asked()).toBe(2);
  });

  it('on PATH comes before the cache, if it is new enough', async () => {
    await get(kind(at('/')));
    writeProgram(join(path, 'temporal'), '1.28.0');
    expect(await get(kind(at('/')))).toMatchObject({ version: '1.29.1' });
    writeProgram(join(path, 'temporal'), '1.30.2');
    expect(await get(kind(at('/')))).toMatchObject({ version: '1.30.2' });
  });

  it('that made the data opens it again, whatever is on PATH', async () => {
    const made_by = await get(kind(at('/')));
    writeProgram(join(path, 'temporal'), '1.30.2');
    expect(await get(kind(at('/')), { made_by })).toEqual(made_by);
    const gone = { ...made_by, path: join(cache, 'gone') };
    expect(await get(kind(at('/')), { made_by: gone })).toMatchObject({ version: '1.29.1' });
    const older = { ...gone, version: '1.27.0' };
    await expect(get(kind(at('/')), { made_by: older })).rejects.toThrow(/that made the data here \(1\.27\.0\)/);
  });

  it('that cannot be had is an error with all that was tried and what to install', async () => {
    writeProgram(join(path, 'temporal'), '1.20.0');
    const failing = get(kind(at('/missing'), at('/cut')));
    await expect(failing).rejects.toThrow(/PATH: .*temporal is version 1\.20\.0/);
    await expect(failing).rejects.toThrow(/download \/missing: .*answered 404/);
    await expect(failing).rejects.toThrow(/download \/cut/);
    await expect(failing).rejects.toThrow(/Install the Temporal CLI/);
  });
});
