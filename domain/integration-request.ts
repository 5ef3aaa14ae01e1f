import { ExpressionProblem } from './expression.ts';
import { Failure } from './failures.ts';
import type { Endpoint, IntegrationContent } from './integration.ts';
import { mapped } from './mapping.ts';

type Input = Record<string, unknown>;

/** What is sent, without any secret: that is added where it leaves. */
export interface IntegrationRequest {
  method: Endpoint['method'];
  url: URL;
  headers: Record<string, string>;
  body: string | null;
}

const PLACE = /\{(\w+)\}/g;

const placesIn = (path: string): string[] => [...path.matchAll(PLACE)].flatMap(([, name]) => name ?? []);

const refuse = (said: string): never => {
  throw new Failure('invalid_arguments', said);
};

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A value fills one part of the path and no more: what would lead elsewhere is refused. */
function filled(path: string, input: Input): string {
  return path.replace(PLACE, (_place, name: string) => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      return refuse(`${name} is part of the path: a text or a number is expected.`);
    }
    const text = String(value);
    if (text === '' || text === '.' || text === '..') refuse(`${name} is part of the path, and cannot be “${text}”.`);
    // Half of a pair cannot be written into an address.
    return /\p{Surrogate}/u.test(text) ? refuse(`${name} is not text.`) : encodeURIComponent(text);
  });
}

/** Fields whose expression leads nowhere are left out: an optional part of the input was not given. */
function mappedFields(mapping: unknown, input: Input): unknown {
  if (typeof mapping !== 'object' || mapping === null || Array.isArray(mapping)) return mapped(mapping, { input });
  const entries = Object.entries(mapping).flatMap(([key, value]): [string, unknown][] => {
    try {
      return [[key, mappedFields(value, input)]];
    } catch (error) {
      if (!(error instanceof ExpressionProblem)) throw error;
      return [];
    }
  });
  return Object.fromEntries(entries);
}

function bodyOf(endpoint: Endpoint, rest: Input, input: Input): string | null {
  if (endpoint.method === 'GET') return null;
  if (endpoint.body !== undefined) return JSON.stringify(mappedFields(endpoint.body, input));
  if (endpoint.method === 'DELETE' || endpoint.query !== undefined) return null;
  return JSON.stringify(rest);
}

function queryOf(endpoint: Endpoint, rest: Input, input: Input): Input {
  if (endpoint.query !== undefined) return mappedFields(endpoint.query, input) as Input;
  const inBody = endpoint.body !== undefined || !['GET', 'DELETE'].includes(endpoint.method);
  return inBody ? {} : rest;
}

/** What the path does not take goes into the query of a GET or DELETE, and into the body of all others. */
export function requestOf(
  { base_url, headers, limits }: Pick<IntegrationContent, 'base_url' | 'headers' | 'limits'>,
  endpoint: Endpoint,
  input: Input,
): IntegrationRequest {
  const base = new URL(base_url);
  const url = new URL(base.origin);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${filled(endpoint.path, input)}`;
  const places = new Set(placesIn(endpoint.path));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !places.has(name)));
  for (const [name, value] of Object.entries(queryOf(endpoint, rest, input))) {
    const values = Array.isArray(value) ? value : [value];
    for (const each of values) if (each !== null && each !== undefined) url.searchParams.append(name, asText(each));
  }
  const body = bodyOf(endpoint, rest, input);
  const bytes = new TextEncoder().encode(`${url.href}${body ?? ''}`).length;
  if (bytes > limits.max_request_bytes) {
    refuse(`The request has ${bytes} bytes; this integration takes ${limits.max_request_bytes}.`);
  }
  return {
    method: endpoint.method,
    url,
    headers: {
      accept: 'application/json, text/*;q=0.5',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...lowered(headers),
      ...lowered(endpoint.headers),
    },
    body,
  };
}

const lowered = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
