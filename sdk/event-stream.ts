/** One message of a text/event-stream. */
export interface StreamMessage {
  type: string;
  data: string;
}

/**
 * Reads text/event-stream piece by piece, wherever the pieces were cut. A message counts only with the empty line that
 * ends it: what a lost connection leaves unfinished is never given out.
 */
export class EventStreamReader {
  private readonly decoder = new TextDecoder();
  private rest = '';
  private type = '';
  private data: string[] = [];

  push(bytes: Uint8Array): StreamMessage[] {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.take(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  private take(line: string): StreamMessage[] {
    if (line === '') {
      const message = { type: this.type || 'message', data: this.data.join('\n') };
      const whole = this.data.length > 0;
      this.type = '';
      this.data = [];
      return whole ? [message] : [];
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.type = value;
    if (field === 'data') this.data.push(value);
    return [];
  }
}
