import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { StartedProgram } from '../sandbox/spec.ts';

const LAST_WORDS = 2_000;

const loadLines = () => import('@modelcontextprotocol/sdk/shared/stdio.js');
type Lines = Awaited<ReturnType<typeof loadLines>>;

/** Speaks to a program that was started by somebody else: the SDK's own transport starts what it speaks to, unconfined. */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly buffer: InstanceType<Lines['ReadBuffer']>;
  private said = '';

  private constructor(
    private readonly program: StartedProgram,
    private readonly lines: Lines,
  ) {
    this.buffer = new lines.ReadBuffer();
  }

  static async of(program: StartedProgram): Promise<ProgramTransport> {
    return new ProgramTransport(program, await loadLines());
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
    try {
      this.buffer.append(chunk);
      for (let message = this.buffer.readMessage(); message !== null; message = this.buffer.readMessage()) {
        this.onmessage?.(message);
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
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
