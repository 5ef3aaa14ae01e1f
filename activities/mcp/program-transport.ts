import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { StartedProgram } from '../sandbox/spec.ts';

const LAST_WORDS = 2_000;
/** More than any answer is of use for. A line that never ends would take all memory of the worker. */
const MOST_LINE = 10_000_000;

const loadLines = () => import('@modelcontextprotocol/sdk/shared/stdio.js');
type Lines = Awaited<ReturnType<typeof loadLines>>;

/** Speaks to a program that was started by somebody else: the SDK's own transport starts what it speaks to, unconfined. */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly buffer: InstanceType<Lines['ReadBuffer']>;
  private said = '';
  /** How much there is of the line that has not ended yet. */
  private unended = 0;
  private broken: Error | null = null;

  private constructor(
    private readonly program: StartedProgram,
    private readonly lines: Lines,
    private readonly mostLine: number,
  ) {
    // Never reached: what is in there is looked at before.
    this.buffer = new lines.ReadBuffer({ maxBufferSize: Number.POSITIVE_INFINITY });
  }

  static async of(program: StartedProgram, mostLine = MOST_LINE): Promise<ProgramTransport> {
    return new ProgramTransport(program, await loadLines(), mostLine);
  }

  /** Why it was closed from this side; null where it was not. */
  get whyBroken(): string | null {
    return this.broken?.message ?? null;
  }

  /** The end of what it said about itself, for whoever has to find out why it does not start. */
  get lastWords(): string {
    return this.said.trim();
  }

  async start(): Promise<void> {
    const { stdout, stderr, stdin, gone } = this.program;
    stdout.on('data', (chunk: Buffer) => this.read(chunk));
    stderr.on('data', (chunk: Buffer) => {
      this.said = `${this.said}${chunk.toString('utf8')}`.slice(-LAST_WORDS);
    });
    // A program that is gone is told of by its end.
    stdin.on('error', () => undefined);
    void gone.then(() => this.onclose?.());
  }

  private read(chunk: Buffer): void {
    if (this.broken) return;
    const end = chunk.lastIndexOf('\n');
    this.unended = end === -1 ? this.unended + chunk.length : chunk.length - end - 1;
    if (this.unended > this.mostLine) this.breakOff();
    else this.buffer.append(chunk);
    while (this.readLine());
  }

  /** False where there is none. One that is no message is told, and those after it are read. */
  private readLine(): boolean {
    try {
      const message = this.buffer.readMessage();
      if (message !== null) this.onmessage?.(message);
      return message !== null;
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return true;
    }
  }

  private breakOff(): void {
    this.broken = new Error(`The program has sent a line of more than ${this.mostLine} bytes; it was ended.`);
    this.buffer.clear();
    this.onerror?.(this.broken);
    this.program.kill();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.program;
    if (!stdin.writable) throw new Error('The program has ended.');
    await new Promise<void>((resolve, reject) =>
      stdin.write(this.lines.serializeMessage(message), (error) => (error ? reject(error) : resolve())),
    );
  }

  async close(): Promise<void> {
    this.program.kill();
    await this.program.gone;
  }
}
