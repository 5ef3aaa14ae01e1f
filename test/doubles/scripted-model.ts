import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import { type OpenAiRequest, openAiWire } from './openai-wire.ts';
import { isAnswer, perform, type Turn } from './scripted-reply.ts';
import type { Wire } from './wire.ts';

export type { Turn } from './scripted-reply.ts';

/** Turns by position; a list at a position is given out call by call, the last one again to whoever comes back. */
export type Script = (Turn | Turn[])[];

export interface ScriptedCall<Request = OpenAiRequest> {
  script: string;
  /** Assistant messages in the request: the first call of a conversation is at position 0. */
  position: number;
  request: Request;
  headers: http.IncomingHttpHeaders;
  /** finished: written to its end on a connection that was still there. fault: failed as the script wanted. */
  outcome: 'open' | 'finished' | 'aborted' | 'fault';
  /** A finished answer was given for this position before. */
  is_repeat: boolean;
}

interface Gate {
  after_chunks: number;
  released: Promise<void>;
  release: () => void;
}

/**
 * A model server that says what it is told to, in OpenAI's wire format or in that of another provider. The marker
 * `[script:name]` in the first user message chooses the script, so that many runs can talk to one server at once.
 */
export class ScriptedModel<Request = OpenAiRequest> {
  readonly calls: ScriptedCall<Request>[] = [];
  /** Calls nobody scripted and requests the provider would refuse, in words. */
  readonly unexpected: string[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #gates = new Map<string, Gate>();
  readonly #waiting = new EventEmitter().setMaxListeners(0);
  readonly #atGate = new Map<string, number>();
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));

  private constructor(readonly wire: Wire<Request>) {}

  static start = (scripts: Record<string, Script> = {}): Promise<ScriptedModel> =>
    ScriptedModel.speaking(openAiWire, scripts);

  static async speaking<Request>(
    wire: Wire<Request>,
    scripts: Record<string, Script> = {},
  ): Promise<ScriptedModel<Request>> {
    const model = new ScriptedModel(wire);
    for (const [name, script] of Object.entries(scripts)) model.script(name, script);
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the scripted model is closed');
    return `http://127.0.0.1:${address.port}${this.wire.base}`;
  }

  script(name: string, script: Script): void {
    this.#scripts.set(name, script);
  }

  callsOf(name: string, position?: number): ScriptedCall<Request>[] {
    return this.calls.filter((call) => call.script === name && (position === undefined || call.position === position));
  }

  /** How many calls of a script came, and what became of them. */
  count(name: string, position?: number): Record<ScriptedCall['outcome'] | 'calls' | 'repeats', number> {
    const calls = this.callsOf(name, position);
    const by = (outcome: ScriptedCall['outcome']) => calls.filter((call) => call.outcome === outcome).length;
    return {
      calls: calls.length,
      open: by('open'),
      finished: by('finished'),
      aborted: by('aborted'),
      fault: by('fault'),
      repeats: calls.filter((call) => call.is_repeat).length,
    };
  }

  /** Stops answers at a position after so many chunks, for whoever calls, until the returned function is called. */
  hold(name: string, position: number, afterChunks = 2): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#gates.set(key(name, position), { after_chunks: afterChunks, released, release });
    return () => {
      this.#gates.delete(key(name, position));
      release();
    };
  }

  /** Waits until the nth call at a position has come, and stands at its gate where it is held. */
  async reached(name: string, position: number, nth = 1): Promise<void> {
    const isThere = () => (this.#atGate.get(key(name, position)) ?? 0) >= nth;
    while (!isThere()) await once(this.#waiting, 'reached');
  }

  /** Waits until so many calls of a script (at a position) have ended in some way. */
  async settled(name: string, ended = 1, position?: number): Promise<void> {
    const isThere = () => this.callsOf(name, position).filter((call) => call.outcome !== 'open').length >= ended;
    while (!isThere()) await once(this.#waiting, 'settled');
  }

  /** Throws unless every script was played to its end, once, and nobody called beyond it. */
  assertDone(...names: string[]): void {
    const wrong = [...this.unexpected];
    for (const [name, script] of this.#scripts) {
      if (names.length > 0 && !names.includes(name)) continue;
      for (const [position, turns] of script.entries()) {
        const list = [turns].flat();
        const { finished, repeats, calls } = this.count(name, position);
        const isDone = list.slice(-1).some(isAnswer) ? finished > 0 : calls >= list.length;
        if (!isDone) wrong.push(`${name}[${position}] was not played to its end (${calls} calls)`);
        if (repeats > 0)
          wrong.push(`${name}[${position}] was asked for again ${repeats} times after its answer was finished`);
      }
    }
    if (wrong.length > 0) throw new Error(`The scripted model was not used as scripted:\n- ${wrong.join('\n- ')}`);
  }

  async close(): Promise<void> {
    for (const gate of this.#gates.values()) gate.release();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of incoming) parts.push(part);
    } catch {
      return;
    }
    const asked = this.wire.read(incoming, parsed(Buffer.concat(parts).toString('utf8')));
    if (typeof asked === 'string') return this.#refuse(response, asked);
    const { model, stream, position, request } = asked;
    const name = /\[script:([^\]]+)\]/.exec(asked.opening)?.[1] ?? '';
    const turns = [this.#scripts.get(name)?.[position] ?? []].flat();
    const turn = turns[Math.min(this.callsOf(name, position).length, turns.length - 1)];
    if (!turn)
      return this.#refuse(response, `${name || '(no script marker)'}[${position}] was called, but is not scripted`);

    const call: ScriptedCall<Request> = {
      script: name,
      position,
      request,
      headers: incoming.headers,
      outcome: 'open',
      is_repeat: this.count(name, position).finished > 0,
    };
    this.calls.push(call);
    const isCut = 'fault' in turn && turn.fault === 'cut';
    response.once('close', () => {
      if (isCut) call.outcome = 'fault';
      else if (!response.writableFinished) call.outcome = 'aborted';
      else call.outcome = isAnswer(turn) ? 'finished' : 'fault';
      this.#waiting.emit('settled');
    });
    const gate = (written: number) => this.#passGate(call, response, written);
    if (!this.#gates.has(key(name, position))) this.#arrive(key(name, position));
    await perform({ wire: this.wire, response, model, stream, position, gate }, turn);
  }

  async #passGate(call: ScriptedCall<Request>, response: http.ServerResponse, written: number): Promise<void> {
    const at = key(call.script, call.position);
    const gate = this.#gates.get(at);
    if (gate?.after_chunks !== written) return;
    this.#arrive(at);
    await Promise.race([gate.released, new Promise((resolve) => response.once('close', resolve))]);
  }

  #arrive(at: string): void {
    this.#atGate.set(at, (this.#atGate.get(at) ?? 0) + 1);
    this.#waiting.emit('reached');
  }

  #refuse(response: http.ServerResponse, why: string): void {
    this.unexpected.push(why);
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify(this.wire.error(400, `The scripted model: ${why}.`, 'unexpected_call').body));
  }
}

const key = (name: string, position: number): string => `${name}\u0000${position}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
