import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { askedOfClaude, bedrockBody, type ClaudeRequest, claudeEvents } from './anthropic-wire.ts';
import type { Wire } from './wire.ts';

/** One message of AWS's event stream: lengths, checksums, headers, payload. */
function message(headers: Record<string, string>, payload: string): Uint8Array {
  const fields = Object.entries(headers).map(([name, value]) => {
    const text = Buffer.from(value);
    const field = Buffer.alloc(1 + name.length + 3);
    field.writeUInt8(name.length, 0);
    field.write(name, 1);
    field.writeUInt8(7, 1 + name.length);
    field.writeUInt16BE(text.length, 2 + name.length);
    return Buffer.concat([field, text]);
  });
  const head = Buffer.concat(fields);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const checksum = (...parts: Buffer[]) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(Buffer.concat(parts)), 0);
    return sum;
  };
  const begun = [prelude, checksum(prelude), head, body];
  return Buffer.concat([...begun, checksum(...begun)]);
}

const chunk = (payload: string): Uint8Array =>
  message(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(payload).toString('base64'), p: 'abcd' }),
  );

const EXCEPTIONS: Record<number, string> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

/** How the in-stream errors of the others are called here. */
const IN_STREAM: Record<string, string> = {
  rate_limit_exceeded: 'throttlingException',
  invalid_request_error: 'validationException',
};

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/us-test-1\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=\w{64}$/;

export const bedrockWire: Wire<ClaudeRequest> = {
  base: '',
  contentType: 'application/vnd.amazon.eventstream',
  end: '',
  read: (incoming, sent) => {
    const model = /^\/model\/([^/]+)\/invoke-with-response-stream$/.exec(incoming.url ?? '')?.[1];
    if (incoming.method !== 'POST' || !model) return `${incoming.url} invokes no model`;
    const { authorization = '' } = incoming.headers;
    const isSigned = SIGNED.test(authorization) && incoming.headers['x-amz-date'];
    if (!isSigned && !authorization.startsWith('Bearer ')) return `the request is not signed: ${authorization}`;
    const parsed = bedrockBody.safeParse(sent);
    return parsed.success ? askedOfClaude(parsed.data, decodeURIComponent(model)) : z.prettifyError(parsed.error);
  },
  frames: (said) => claudeEvents(said).map((event) => chunk(JSON.stringify(event))),
  frameOf: chunk,
  errorFrame: ({ type, code }) => {
    const exception = IN_STREAM[type ?? code ?? ''] ?? 'modelStreamErrorException';
    const headers = { ':exception-type': exception, ':content-type': 'application/json', ':message-type': 'exception' };
    return message(headers, JSON.stringify({ message: 'The server had an error.' }));
  },
  error: (status, text) => ({
    body: { message: text },
    headers: { 'x-amzn-errortype': `${EXCEPTIONS[status]}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  }),
};
