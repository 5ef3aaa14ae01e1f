import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { errorSchema } from './error-response.ts';
import type { Route } from './route.ts';
import { INNER_BODY_NAMES, SCHEMA_NAMES } from './schema-names.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
  description?: string;
}

type Content = Record<string, { schema: JsonSchema }>;

export interface Operation {
  operationId: string;
  /** Where it is not below the server of the document. */
  servers?: { url: string }[];
  tags: string[];
  summary: string;
  security?: [];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, Record<string, string>> };
}

/** What the document tells of a route; a webhook is none, and told alike. */
export type Documented = Pick<
  Route,
  | 'method'
  | 'path'
  | 'tag'
  | 'summary'
  | 'auth'
  | 'params'
  | 'query'
  | 'body'
  | 'conditional'
  | 'replies'
  | 'mediaType'
  | 'stream'
> & { headers?: z.ZodType };

const DESCRIPTION = [
  'Send `Authorization: Bearer` with a token from sign-in or an API key.',
  'Errors are `{error, message, details, request_id}`; lists are `{items, next_cursor}`.',
  'Every write takes an `Idempotency-Key`: repeated within a day, it gives the first answer again.',
].join(' ');

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same request is executed once.',
  schema: { type: 'string', maxLength: 200 },
};

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The version that was read, as in the ETag of the reply; 412 where it has been changed since.',
  schema: { type: 'string', maxLength: 50 },
};

/** Paths that name their own place are not below the server of the document. */
const isWhole = (path: string): boolean => /^\/(?:api|hooks)\//.test(path);

const operationId = ({ method, path }: Documented): string =>
  method +
  path
    .split('/')
    .filter(Boolean)
    .map((part) => part.replace(/^:/, 'by-'))
    .join('-')
    .replace(/(?:^|[-_])(\w)/g, (_match, letter: string) => letter.toUpperCase());

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Takes out what only machines of one kind read: zod spells dates and addresses out as patterns. */
const plain = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
  if (jsonSchema.format) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};

/** Collects schemas of one direction under their names, and writes them out with references to each other. */
function createComponents(io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  return {
    name(schema: z.ZodType, id: string): void {
      registry.add(schema, { id });
    },
    add(schema: z.ZodType, fallback: string): JsonSchema {
      const id = registry.get(schema)?.id ?? SCHEMA_NAMES.get(schema) ?? fallback;
      registry.add(schema, { id });
      return refTo(id);
    },
    write(): Record<string, JsonSchema> {
      const { schemas } = z.toJSONSchema(registry, {
        io,
        uri: (id) => `#/components/schemas/${id}`,
        override: (context) => {
          plain(context);
          // Later versions may add fields to what they answer: clients must not be told that there are no more.
          if (io === 'output' && context.jsonSchema.additionalProperties === false) {
            delete context.jsonSchema.additionalProperties;
          }
        },
      });
      return Object.fromEntries(
        Object.entries(schemas).map(([name, { $schema: _schema, $id: _id, ...rest }]) => [name, rest]),
      );
    },
  };
}

function parametersOf(schema: z.ZodType | undefined, place: Parameter['in']): Parameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', override: plain });
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: typeof property === 'boolean' ? {} : property,
  }));
}

export function openApiDocument(routes: Documented[], base: string): OpenApiDocument {
  const taken = createComponents('input');
  const given = createComponents('output');
  const bodies = new Set(routes.map(({ body }) => body));
  for (const [schema, name] of INNER_BODY_NAMES) taken.name(schema, name);
  // All of them, so that a shape inside another is referred to and not repeated.
  for (const [schema, name] of SCHEMA_NAMES) if (!bodies.has(schema)) given.add(schema, name);
  const error = { 'application/json': { schema: given.add(errorSchema, 'Error') } };
  const paths: OpenApiDocument['paths'] = {};

  for (const route of routes) {
    const id = operationId(route);
    const name = id.charAt(0).toUpperCase() + id.slice(1);
    const parameters = [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...parametersOf(route.headers, 'header'),
      ...(route.method === 'get' || route.auth === 'none' ? [] : [IDEMPOTENCY_KEY]),
      ...(route.conditional ? [IF_MATCH] : []),
    ];
    const responses: Operation['responses'] = {};
    for (const [status, schema] of Object.entries(route.replies)) {
      const content: Content = schema
        ? { [route.mediaType ?? 'application/json']: { schema: given.add(schema, `${name}Reply${status}`) } }
        : {};
      if (route.stream && status === '200')
        content['text/event-stream'] = { schema: { type: 'string', description: route.stream } };
      responses[status] = {
        description: STATUS_CODES[status] ?? '',
        ...(Object.keys(content).length > 0 ? { content } : {}),
      };
    }
    responses.default = { description: 'What went wrong, and what to do', content: error };

    const operation: Operation = {
      operationId: id,
      ...(isWhole(route.path) ? { servers: [{ url: '/' }] } : {}),
      tags: [route.tag],
      summary: route.summary,
      ...(route.auth === 'none' ? { security: [] } : {}),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(route.body
        ? {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: taken.add(route.body, `${name}Body`) } },
            },
          }
        : {}),
      responses,
    };
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation };
  }

  return {
    openapi: '3.1.0',
    info: { title: 'Longhaul', version: '1', description: DESCRIPTION },
    servers: [{ url: base }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...taken.write(), ...given.write() },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
