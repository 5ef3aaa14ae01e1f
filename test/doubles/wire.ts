import type http from 'node:http';

/** An answer before it is put into anybody's format. */
export interface Said {
  model: string;
  /** Which answer of its conversation it is, from 0. */
  position: number;
  /** The text in the pieces it is streamed in. */
  pieces: string[];
  tool_calls: { id: string; name: string; arguments: string; signature?: string }[];
  finish_reason: string;
  /** null: the server counts nothing. */
  usage: { input: number; output: number; cached?: number; cache_write?: number } | null;
}

export interface Asked<Request> {
  model: string;
  stream: boolean;
  /** Answers in the conversation so far. */
  position: number;
  /** The first words of the user, where the script is named. */
  opening: string;
  request: Request;
}

export type Frame = string | Uint8Array;

/** How one provider's server takes requests and writes answers. */
export interface Wire<Request> {
  /** Where the SDK's base address ends on this server. */
  base: string;
  /** What is asked; or, in words, what the provider itself would refuse about it. */
  read(incoming: http.IncomingMessage, body: unknown): Asked<Request> | string;
  contentType: string;
  frames(said: Said): Frame[];
  /** What follows the last frame of a stream that ends as it should. */
  end: string;
  /** An answer that is not streamed. */
  whole?(said: Said): object;
  /** A frame with a payload of the test's own. */
  frameOf(payload: string): Frame;
  /** An error in the middle of a stream. */
  errorFrame(fault: { type?: string; code?: string }): Frame;
  error(status: number, message: string, code?: string): { body: object; headers?: http.OutgoingHttpHeaders };
}
