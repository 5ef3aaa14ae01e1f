import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import type { Endpoint, Integration } from '../../domain/integration.ts';
import { type IntegrationRequest, requestOf } from '../../domain/integration-request.ts';
import { argumentCheck } from '../../domain/output-schema.ts';
import { loadCredentials } from '../../store/credential-upkeep.ts';
import { loadIntegration, type Within } from '../../store/definition-upkeep.ts';
import type { SecretKeys } from '../../store/secrets.ts';
import type { KnownSecrets } from '../known-secrets.ts';
import type { Resolve } from '../public-lookup.ts';
import { describedBy, type ToolMaker } from '../tools/brought.ts';
import { outsideTool } from '../tools/contract.ts';
import { type Answer, guardedRequest } from './guarded-request.ts';

export interface IntegrationDeps {
  secretKeys: SecretKeys;
  secrets: KnownSecrets;
  /** Stands in for the resolver of the machine. */
  resolve?: Resolve;
}

interface Target {
  integration: Integration;
  endpoint: Endpoint;
}

async function targetOf(within: Within, id: string, name: string): Promise<Target> {
  const integration = await loadIntegration(within, id);
  const endpoint = integration?.endpoints.find((each) => each.name === name);
  if (integration && endpoint) return { integration, endpoint };
  throw new Failure('integration_failed', 'The integration behind this tool was taken away.', { retryable: false });
}

type Input = Record<string, unknown>;

/** Held to what the integration takes, beside what the tool says that it takes. */
function prepared({ integration, endpoint }: Target, input: Input): IntegrationRequest {
  const issues = argumentCheck(endpoint.input_schema)(input);
  if (issues.length > 0) {
    throw new Failure('invalid_arguments', `The arguments do not fit what ${integration.name} takes.`, { issues });
  }
  return requestOf(integration, endpoint, input);
}

/** Added here, where it leaves, and known to nobody before. */
async function withCredential(
  { secretKeys, secrets }: IntegrationDeps,
  org_id: string,
  { id, name, credential }: Integration,
  request: IntegrationRequest,
): Promise<{ request: IntegrationRequest; clean: <T>(value: T) => T }> {
  const found = await loadCredentials(secretKeys, org_id, id);
  const scrubber = secrets.with(found.flatMap(({ value }) => value ?? []));
  const clean = <T>(value: T): T => scrubber.value(value);
  if (credential === null) return { request, clean };
  const secret = found.find(({ key }) => key === credential.key);
  if (!secret) {
    throw new Failure('integration_failed', `${name} has no credential ${credential.key}; an admin can set it.`);
  }
  if (secret.value === null) {
    throw new Failure('credential_unreadable', `The credential ${credential.key} of ${name} does not open.`);
  }
  const value = `${credential.prefix}${secret.value}`;
  if (credential.in === 'query') {
    const url = new URL(request.url);
    url.searchParams.set(credential.name, value);
    return { request: { ...request, url }, clean };
  }
  const headers = { ...request.headers, [credential.name.toLowerCase()]: value };
  return { request: { ...request, headers }, clean };
}

const MOST_SHOWN = 2_000;

function contentOf({ type, text }: Answer): unknown {
  if (text === '') return null;
  if (!/\bjson\b/i.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('integration_failed', 'The answer says that it is JSON, and is not.', {
      body: text.slice(0, MOST_SHOWN),
    });
  }
}

/** What it answered, held to what it may answer. */
function resultOf(answer: Answer, schemas: (Record<string, unknown> | null)[]): unknown {
  if (answer.status < 200 || answer.status > 299) {
    throw new Failure('integration_failed', `It answered with status ${answer.status}.`, {
      status: answer.status,
      body: answer.text.slice(0, MOST_SHOWN),
    });
  }
  const content = contentOf(answer);
  const issues = schemas.flatMap((schema) => argumentCheck(schema)(content));
  if (issues.length === 0) return content;
  throw new Failure('integration_failed', 'The answer does not fit the schema of what it should be.', {
    status: answer.status,
    issues,
    body: answer.text.slice(0, MOST_SHOWN),
  });
}

const shown = ({ method, url, body }: IntegrationRequest): string =>
  [`${method} ${url.href}`, ...(body === null ? [] : ['', JSON.stringify(JSON.parse(body), null, 2)])].join('\n');

/** A failure may quote what the other side said, and that may quote what was sent to it. */
async function cleaned<T>(clean: <V>(value: V) => V, work: () => Promise<T>): Promise<T> {
  try {
    return clean(await work());
  } catch (error) {
    if (error instanceof Failure) throw new Failure(error.code, clean(error.message), clean(error.details));
    throw error;
  }
}

/** Tools that call a registered endpoint of another system. */
export const integrationTools =
  (deps: IntegrationDeps): ToolMaker<'integration'> =>
  (made) => {
    const { integration_id, endpoint: endpointName } = made.source;
    return outsideTool({
      name: made.name,
      description: made.description,
      operation: null,
      effect: made.effect,
      idempotent: made.idempotent,
      aliases: [],
      argument_aliases: {},
      offered: (agent) => agent.can_access_integrations,
      input: z.looseObject({}),
      described: describedBy(made),
      preview: async (input, context) => ({
        path: null,
        preview: shown(prepared(await targetOf(context, integration_id, endpointName), input)),
        base_hash: null,
      }),
      act: async (input, context) => {
        const target = await targetOf(context, integration_id, endpointName);
        const { integration, endpoint } = target;
        const plain = prepared(target, input);
        const { request, clean } = await withCredential(deps, context.org_id, integration, plain);
        return cleaned(clean, async () => {
          const answer = await guardedRequest({
            ...request,
            // The same for every attempt at this call: who keeps such keys does it once, whatever happens to us.
            headers: { ...request.headers, ...(made.effect ? { 'idempotency-key': context.key } : {}) },
            ...integration.limits,
            allow_private: integration.allow_private,
            signal: context.signal,
            resolve: deps.resolve,
          });
          return resultOf(answer, [endpoint.output_schema, made.output_schema]);
        });
      },
    });
  };
