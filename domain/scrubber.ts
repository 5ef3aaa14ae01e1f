import { secretForms } from './secret-forms.ts';

/** What stands where a secret was; never longer than the shortest of them. */
export const MARK = '[secret]';

/** As our own API keys are written (`lh_<id>_<secret>`): they are stored as hashes, so that only their shape is known. */
const KEY_START = 'lh_';
const KEY_FIRST = KEY_START.charCodeAt(0);
const KEY_SHAPE = /^lh_[0-9a-z]{26}_[\w-]{43}/;
const KEY_CHARS = 73;
/** Whether a text is the beginning of such a key. */
const KEY_BEGUN = /^(?:lh?|lh_[0-9a-z]{0,26}|lh_[0-9a-z]{26}_[\w-]{0,42})$/;

const TABLE = 1 << 14;
const slot = (first: number, second: number): number => ((first << 7) ^ second) & (TABLE - 1);

interface Occurrence {
  start: number;
  end: number;
}

/**
 * Looks for many strings at once. The last two characters of a window as long as the shortest of them say how far the
 * window can move on (Wu and Manber): most of a text is never looked at, so that looking costs next to nothing.
 */
class Search {
  private readonly window: number;
  private readonly shift: Uint8Array;
  private readonly candidates = new Map<number, string[]>();
  /** By first character, for what a text may end in the middle of. */
  private readonly beginnings = new Map<number, string[]>();
  readonly longest: number;

  constructor(forms: readonly string[]) {
    this.window = Math.min(255, ...forms.map(({ length }) => length));
    this.longest = Math.max(KEY_CHARS, ...forms.map(({ length }) => length));
    this.shift = new Uint8Array(TABLE).fill(this.window - 1);
    for (const form of forms) this.add(form);
  }

  private add(form: string): void {
    for (let at = 1; at < this.window; at++) {
      const where = slot(form.charCodeAt(at - 1), form.charCodeAt(at));
      this.shift[where] = Math.min(this.shift[where] ?? 0, this.window - 1 - at);
      if (at === this.window - 1) this.candidates.set(where, [...(this.candidates.get(where) ?? []), form]);
    }
    const first = form.charCodeAt(0);
    this.beginnings.set(first, [...(this.beginnings.get(first) ?? []), form]);
  }

  /** Every occurrence, overlapping ones too, by where it begins. */
  in(text: string): Occurrence[] {
    const found: Occurrence[] = [];
    let at = this.window - 1;
    while (at < text.length) {
      const where = slot(text.charCodeAt(at - 1), text.charCodeAt(at));
      const shift = this.shift[where] ?? 0;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - this.window + 1;
      for (const form of this.candidates.get(where) ?? []) {
        if (text.startsWith(form, start)) found.push({ start, end: start + form.length });
      }
      at += 1;
    }
    for (let start = text.indexOf(KEY_START); start >= 0; start = text.indexOf(KEY_START, start + 1)) {
      if (KEY_SHAPE.test(text.slice(start, start + KEY_CHARS))) found.push({ start, end: start + KEY_CHARS });
    }
    return found.length > 1 ? found.sort((a, b) => a.start - b.start) : found;
  }

  /** Where the end of a text begins that may turn out to be the beginning of one of them. */
  openFrom(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at++) {
      const begun = this.beginnings.get(text.charCodeAt(at)) ?? [];
      const rest = text.length - at;
      if (begun.some((form) => form.length > rest && form.startsWith(text.slice(at)))) return at;
      if (text.charCodeAt(at) === KEY_FIRST && KEY_BEGUN.test(text.slice(at))) return at;
    }
    return text.length;
  }
}

/** Text that comes in pieces. What may be the beginning of a secret is held back until it is known, and no longer. */
class ScrubbedStream {
  private held = '';
  /** How much of what is held lies under a mark that was given out already. */
  private hidden = 0;

  constructor(private readonly search: Search) {}

  push(text: string): string {
    const whole = this.held + text;
    return this.give(whole, this.search.openFrom(whole));
  }

  /** Nothing follows: what is held back is no secret. */
  end(text = ''): string {
    const whole = this.held + text;
    return this.give(whole, whole.length);
  }

  private give(text: string, upTo: number): string {
    let given = '';
    let done = this.hidden;
    for (const { start, end } of this.search.in(text)) {
      if (start >= done) {
        if (start >= upTo) break;
        given += text.slice(done, start) + MARK;
      }
      done = Math.max(done, end);
    }
    if (done < upTo) given += text.slice(done, upTo);
    this.held = text.slice(upTo);
    this.hidden = Math.max(0, done - upTo);
    return given;
  }
}

/** Takes known secrets out of whatever is about to be stored, shown or sent. No character of one is let through. */
export class Scrubber {
  private readonly search: Search;

  constructor(secrets: readonly string[]) {
    this.search = new Search([...new Set(secrets.flatMap(secretForms))]);
  }

  text(text: string): string {
    return this.search.in(text).length === 0 ? text : this.stream().end(text);
  }

  stream(): ScrubbedStream {
    return new ScrubbedStream(this.search);
  }

  /** Whatever JSON can hold, names of fields included; the very same where there is nothing to take out. */
  value<T>(value: T): T {
    return this.clean(value) as T;
  }

  private clean(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.clean(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    const fields = Object.entries(value);
    const cleaned = fields.map(([name, field]) => [this.text(name), this.clean(field)] as const);
    const isSame = cleaned.every(([name, field], index) => name === fields[index]?.[0] && field === fields[index]?.[1]);
    return isSame ? value : Object.fromEntries(cleaned);
  }
}
