import { z } from 'zod';
import { credentialKey } from './credential.ts';
import { jsonSchemaSchema, shownFields } from './definition.ts';
import { aboutField, refuseField } from './definition-soundness.ts';
import { mentionsOf } from './mapping.ts';
import { argumentCheck } from './output-schema.ts';
import { isPrivateHost, readAddress } from './private-address.ts';

export const integrationNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'small letters, digits, _ and -, beginning with a letter, at most 64 characters');

/** Set by us, or by the connection itself. */
const OUR_HEADERS = /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|accept-encoding)$/i;
/** What is sent in these is a secret, whoever sends it. */
export const SECRET_HEADERS = /^(authorization|proxy-.*|cookie|x-api-key)$/i;

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'the name of a header')
  .refine((name) => !OUR_HEADERS.test(name), 'this header is set by the connection itself');
const headersSchema = z.record(
  headerName.refine((name) => !SECRET_HEADERS.test(name), 'keep it as a credential of the integration'),
  z
    .string()
    .max(2000)
    .regex(/^[\t\x20-\x7e]*$/, 'printable characters'),
);

const pathTemplate = z
  .string()
  .max(2000)
  .regex(/^\/[^\s?#\\]*$/, 'a path that begins with /, without query')
  .refine((path) => !path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)), 'a path without . and ..');

const endpointSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'small letters, digits and _, beginning with a letter'),
  description: z.string().max(2000).default(''),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  /** Below the base address; `{id}` is taken from the input. */
  path: pathTemplate.default('/'),
  /** Name → value, with `{{ input.x }}` in it. Without one, all that is left of the input where there is no body. */
  query: z.record(z.string().min(1).max(100), z.unknown()).optional(),
  /** JSON with `{{ input.x }}` in it. Without one, all that is left of the input. */
  body: z.unknown().optional(),
  headers: headersSchema.default({}),
  input_schema: jsonSchemaSchema.default({ type: 'object' }),
  /** Of what it answers; null where anything will do. */
  output_schema: jsonSchemaSchema.nullable().default(null),
  /** Calling it again does no harm: one that was cut off may be made again. */
  idempotent: z.boolean().default(false),
  /** It changes nothing; by itself, what is got. */
  read_only: z.boolean().optional(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

export const isReadOnly = ({ method, read_only }: Endpoint): boolean => read_only ?? method === 'GET';

const KB = 1024;
const limitsSchema = z.strictObject({
  max_request_bytes: z
    .int()
    .min(1)
    .max(1024 * KB)
    .default(256 * KB),
  max_response_bytes: z
    .int()
    .min(1)
    .max(10 * 1024 * KB)
    .default(1024 * KB),
  timeout_ms: z.int().min(100).max(120_000).default(30_000),
});

/** The fields of an integration beside those every definition has. */
export const integrationFields = {
  base_url: z.string().max(2000),
  headers: headersSchema.default({}),
  /** Which of its credentials goes along, and where; the value itself is set apart and never shown. */
  credential: z
    .strictObject({
      key: credentialKey,
      in: z.enum(['header', 'query']).default('header'),
      name: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,100}$/, 'the name of a header or of a parameter')
        .default('Authorization'),
      prefix: z
        .string()
        .max(100)
        .regex(/^[\x20-\x7e]*$/, 'printable characters')
        .default('Bearer '),
    })
    .nullable()
    .default(null),
  endpoints: z.array(endpointSchema).min(1).max(100),
  limits: limitsSchema.default({
    max_request_bytes: 256 * KB,
    max_response_bytes: 1024 * KB,
    timeout_ms: 30_000,
  }),
  /** Addresses of the network around this installation are refused unless an admin says this. */
  allow_private: z.boolean().default(false),
};
const integrationContent = z.object(integrationFields);
export type IntegrationContent = z.infer<typeof integrationContent>;

export const integrationSchema = z.object({ ...shownFields, ...integrationFields });
export type Integration = z.infer<typeof integrationSchema>;

function demandSoundEndpoint(at: string, endpoint: Endpoint): void {
  aboutField(`${at}.input_schema`, () => argumentCheck(endpoint.input_schema));
  aboutField(`${at}.output_schema`, () => argumentCheck(endpoint.output_schema));
  if (endpoint.method === 'GET' && endpoint.body !== undefined) refuseField(`${at}.body`, 'a GET has no body.');
  for (const part of ['query', 'body'] as const) {
    aboutField(`${at}.${part}`, () => {
      const other = mentionsOf(endpoint[part]).find(({ root }) => root !== 'input');
      if (other) refuseField(`${at}.${part}`, `there is no ${other.root} here; there is input.`);
    });
  }
}

/** What could only fail once it is called is refused when it is saved, with the field named. */
export function demandSoundIntegration({ base_url, allow_private, endpoints }: IntegrationContent): void {
  const url = readAddress(base_url);
  if (typeof url === 'string') throw refuseField('base_url', `${url} is expected.`);
  if (!allow_private && isPrivateHost(url.hostname)) {
    refuseField('base_url', 'it lies in a private network; set allow_private if that is meant.');
  }
  for (const [n, endpoint] of endpoints.entries()) {
    demandSoundEndpoint(`endpoints.${n}`, endpoint);
    if (endpoints.findIndex(({ name }) => name === endpoint.name) < n) {
      refuseField(`endpoints.${n}.name`, `there are several endpoints ${endpoint.name}.`);
    }
  }
}
