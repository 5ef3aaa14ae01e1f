/** Shorter ones are too likely to be ordinary words: they are refused as credentials, and not looked for. */
export const MIN_SECRET_CHARS = 8;

/** From here on a secret is also looked for as others would write it; the encoding of a short one could be anything. */
const ENCODED_FROM_CHARS = 16;

/** Longer ones count by the piece: they may be read in parts, and nothing longer than this is ever held back. */
const PIECE_CHARS = 128;

/** Of a secret of several lines, each counts that is no mere frame around it: files are read line by line. */
const LINE_CHARS = 24;

const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/**
 * As base64 wherever it begins within what is encoded, as in `Basic` credentials. The characters at its edges depend on
 * its neighbours too, and are left out.
 */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => {
    const text = btoa('\0'.repeat(before) + latin1(bytes)).replace(/=+$/, '');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), whole);
  });
}

function encodedForms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const percent = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\uFFFD'));
  const base64 = base64Forms(bytes);
  return [
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
  ];
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

function pieces(form: string): string[] {
  if (form.length <= 2 * PIECE_CHARS) return [form];
  const whole = Math.floor(form.length / PIECE_CHARS);
  // The last one reaches back, so that no rest is too short to be found.
  return Array.from({ length: whole + 1 }, (_, n) => Math.min(n * PIECE_CHARS, form.length - PIECE_CHARS)).map((from) =>
    form.slice(from, from + PIECE_CHARS),
  );
}

/** Everything a secret may look like where it must not be seen. */
export function secretForms(secret: string): string[] {
  if (secret.length < MIN_SECRET_CHARS) return [];
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= LINE_CHARS && !line.includes(' '));
  const plain = [secret, quoted(secret), quoted(quoted(secret)), ...(lines.length > 1 ? lines : [])];
  const forms = secret.length < ENCODED_FROM_CHARS ? plain : [...plain, ...encodedForms(secret)];
  return [...new Set(forms.flatMap(pieces))].filter((form) => form.length >= MIN_SECRET_CHARS);
}
