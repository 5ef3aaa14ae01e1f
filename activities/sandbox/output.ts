import { StringDecoder } from 'node:string_decoder';

/** What a command said, standard output and error as they came: all of it up to a bound, beyond that beginning and end. */
export class OutputKeeper {
  private head = '';
  private tail = '';
  private left = 0;
  private total = 0;
  private readonly decoders = new Map<string, StringDecoder>();

  constructor(
    private readonly bound: number,
    private readonly heard: (text: string) => void,
  ) {}

  take(stream: string, bytes: Buffer): void {
    const decoder = this.decoders.get(stream) ?? new StringDecoder('utf8');
    this.decoders.set(stream, decoder);
    this.add(decoder.write(bytes));
  }

  end(): void {
    for (const decoder of this.decoders.values()) this.add(decoder.end());
  }

  private add(text: string): void {
    if (text === '') return;
    this.total += text.length;
    this.heard(text);
    const half = this.bound / 2;
    const room = Math.max(0, half - this.head.length);
    this.head += text.slice(0, room);
    this.tail += text.slice(room);
    // Cut now and then, not for every piece: copying the tail each time would cost more than the command.
    if (this.tail.length > 2 * half) this.trim();
  }

  private trim(): void {
    const over = this.tail.length - Math.floor(this.bound / 2);
    if (over <= 0) return;
    this.left += over;
    this.tail = this.tail.slice(over);
  }

  /** The whole, or as much as is kept of it with a line that says what is missing. */
  text(): string {
    this.trim();
    if (this.left === 0) return this.head + this.tail;
    return `${this.head}\n[… ${this.left} characters were not kept …]\n${this.tail}`;
  }

  get characters(): number {
    return this.total;
  }

  get isWhole(): boolean {
    this.trim();
    return this.left === 0;
  }
}
