import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MARK, Scrubber } from '../../domain/scrubber.ts';
import { secretForms } from '../../domain/secret-forms.ts';

const KEY = 'sk-proj-4f9a0c7e/B+d2 "quoted"\\é';
const scrubber = new Scrubber([KEY, 'hunter2hunter2', 'abcabcabcabc']);

const streamed = (text: string, cuts: number[], by = scrubber): { told: string; pieces: string[] } => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  const stream = by.stream();
  const pieces = [0, ...places].map((from, n) => stream.push(text.slice(from, places[n] ?? text.length)));
  pieces.push(stream.end());
  return { told: pieces.join(''), pieces };
};

/** Few letters, so that secrets, beginnings of secrets and overlaps come about by chance. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 200 });
const shortSecrets = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 8, maxLength: 12 }), {
  minLength: 1,
  maxLength: 4,
});
const cuts = fc.array(fc.nat(), { maxLength: 30 });

describe('a secret', () => {
  const encoded: [string, string][] = [
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ said: KEY })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ said: KEY }))],
    ['in an address', `https://x.example/?key=${encodeURIComponent(KEY)}`],
    ['in an address, in small letters', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ key: 'hunter2hunter2' }).toString()],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in base64url', Buffer.from(`x${KEY}`).toString('base64url')],
    ['in Basic credentials', Buffer.from(`user:${KEY}`).toString('base64')],
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
  ];
  it.each(encoded)('%s is taken out', (_how, text) => {
    const told = scrubber.text(text);
    expect(told).toContain(MARK);
    for (const form of secretForms(KEY)) expect(told).not.toContain(form);
  });

  it('is taken out of values and names of fields, and everything else stays as it is', () => {
    const value = { a: [1, null, `key ${KEY}.`], [KEY]: { b: 'plain' }, c: true };
    expect(scrubber.value(value)).toEqual({ a: [1, null, `key ${MARK}.`], [MARK]: { b: 'plain' }, c: true });
  });

  it('that has several lines is known by each of them, and a long one by each part of it', () => {
    const body = Array.from({ length: 20 }, (_, n) => `${n}MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC${n}`);
    const pem = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'].join('\n');
    const known = new Scrubber([pem]);
    expect(known.text(`3: ${body[3]}\n4: ${body[4]}`)).toBe(`3: ${MARK}\n4: ${MARK}`);
    expect(known.text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
    const long = Array.from({ length: 2_000 }, (_, n) => (n * n).toString(36)).join('');
    expect(new Scrubber([long]).text(long.slice(1_000, 1_400))).toContain(MARK);
  });

  it('of ours is known by its shape, though only its hash is stored', () => {
    const key = `lh_${'0123456789abcdefghjkmnpqrs'}_${'A-b_'.repeat(11).slice(0, 43)}`;
    expect(new Scrubber([]).text(`Bearer ${key}, and lh_short_one`)).toBe(`Bearer ${MARK}, and lh_short_one`);
    const inPieces = fc.property(cuts, (at) => {
      expect(streamed(`a ${key} b`, at).told).toBe(`a ${MARK} b`);
    });
    fc.assert(inPieces);
  });

  it('that is too short to be told from a word is not looked for', () => {
    expect(new Scrubber(['test', 'secret1']).text('test secret1')).toBe('test secret1');
  });
});

describe('whatever the text, the secrets and the pieces it comes in', () => {
  it('no secret shows, in no piece and not over two of them', () => {
    fc.assert(
      fc.property(shortSecrets, letters, letters, fc.nat(), cuts, (secrets, before, after, which, at) => {
        const text = `${before}${secrets[which % secrets.length]}${after}`;
        const { told, pieces } = streamed(text, at, new Scrubber(secrets));
        for (const secret of secrets) {
          expect(told.includes(secret)).toBe(false);
          expect(pieces.some((piece) => piece.includes(secret))).toBe(false);
        }
      }),
    );
  });

  it('no character of any occurrence is let through, also where several overlap', () => {
    fc.assert(
      fc.property(shortSecrets, letters, (secrets, text) => {
        const shows = Array.from(text, (_, at) =>
          secrets.every((secret) => {
            for (let from = Math.max(0, at - secret.length + 1); from <= at; from++) {
              if (text.startsWith(secret, from)) return false;
            }
            return true;
          }),
        );
        const left = Array.from(text)
          .filter((_, at) => shows[at])
          .join('');
        expect(new Scrubber(secrets).text(text).replaceAll(MARK, '')).toBe(left);
      }),
    );
  });

  it('in pieces it comes to the same as at once', () => {
    fc.assert(
      fc.property(shortSecrets, letters, cuts, (secrets, text, at) => {
        const by = new Scrubber(secrets);
        expect(streamed(text, at, by).told).toBe(by.text(text));
      }),
    );
  });

  it('text without secrets is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), cuts, (text, at) => {
        expect(scrubber.text(text)).toBe(text);
        expect(streamed(text, at).told).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(scrubber.value(value)).toBe(value);
      }),
    );
  });

  it('no more is held back than may be the beginning of a secret', () => {
    fc.assert(
      fc.property(shortSecrets, letters, cuts, (secrets, text, at) => {
        const stream = new Scrubber(secrets).stream();
        let read = '';
        let told = '';
        for (const piece of streamedPieces(text, at)) {
          read += piece;
          told += stream.push(piece);
          const sureFrom = read.length - Math.max(...secrets.map(({ length }) => length)) + 1;
          const sure = new Scrubber(secrets).text(read.slice(0, Math.max(0, sureFrom)));
          if (!sure.includes(MARK)) expect(told.length).toBeGreaterThanOrEqual(sure.length);
        }
        expect(told + stream.end()).toBe(new Scrubber(secrets).text(text));
      }),
    );
    const stream = scrubber.stream();
    expect(stream.push('nothing here')).toBe('nothing here');
    expect(stream.push(' sk-proj')).toBe(' ');
    expect(stream.push('ect')).toBe('sk-project');
  });
});

const streamedPieces = (text: string, at: number[]): string[] => {
  const places = [...new Set(at.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, n) => text.slice(from, places[n] ?? text.length));
};

it('looking costs next to nothing, however long the text and however unfortunate the secret', () => {
  const many = new Scrubber(Array.from({ length: 12 }, (_, n) => `sk-${n}-${'x9Yq'.repeat(10)}${n}`));
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(50_000);
  const unfortunate = new Scrubber([`${'a'.repeat(200)}b`]);
  const begun = performance.now();
  expect(many.text(text)).toBe(text);
  expect(unfortunate.text('a'.repeat(100_000))).toHaveLength(100_000);
  // Two megabytes take about 10 ms here; the bound is for the slowest of machines.
  expect(performance.now() - begun).toBeLessThan(2_000);
});
