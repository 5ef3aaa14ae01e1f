import { z } from 'zod';
import { versionDiffSchema, versionListSchema, versionSchema } from '../../domain/definition-diff.ts';
import { diffVersions, findVersion, listVersions, rollBack, VERSIONED_PREFIXES } from '../../store/version-history.ts';
import type { AppDeps } from '../app.ts';
import { expectedVersion, versionTag } from '../preconditions.ts';
import { type Route, route } from '../route.ts';

const tag = 'Versions';
const path = '/agents/definitions/:id/versions';
const id = z
  .string()
  .regex(new RegExp(`^(${VERSIONED_PREFIXES.join('|')})_[0-9a-z]{26}$`), 'the id of a definition is expected');
const number = z.coerce.number().int().min(1).max(1_000_000_000);

export const definitionVersionRoutes = ({ runs }: AppDeps): Route[] => [
  route({
    method: 'get',
    path,
    tag,
    summary: 'The versions of an agent, tool, workflow, evaluator or integration, newest first',
    params: z.strictObject({ id }),
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: number.optional().describe('As next_cursor gave it'),
    }),
    replies: { 200: versionListSchema },
    handler: async ({ caller, params, query: { limit, cursor } }) => ({
      status: 200,
      body: await listVersions(caller, params.id, { limit, below: cursor }),
    }),
  }),
  route({
    method: 'get',
    path: `${path}/:n`,
    tag,
    summary: 'A definition as it was at one version',
    params: z.strictObject({ id, n: number }),
    replies: { 200: versionSchema },
    handler: async ({ caller, params }) => ({ status: 200, body: await findVersion(caller, params.id, params.n) }),
  }),
  route({
    method: 'get',
    path: `${path}/:n/diff/:m`,
    tag,
    summary: 'What changed from one version to another, field by field',
    params: z.strictObject({ id, n: number, m: number }),
    replies: { 200: versionDiffSchema },
    handler: async ({ caller, params: { id: of, n, m } }) => ({
      status: 200,
      body: await diffVersions(caller, of, n, m),
    }),
  }),
  route({
    method: 'post',
    path: `${path}/:n/rollback`,
    tag,
    summary: 'A new version that is like an old one (whoever may change it)',
    params: z.strictObject({ id, n: number }),
    conditional: true,
    replies: { 200: versionSchema },
    handler: async ({ caller, params, req }) => {
      const made = await rollBack(caller, params.id, params.n, expectedVersion(req));
      runs.forgetTargets();
      return { status: 200, body: made, headers: versionTag(made.version) };
    },
  }),
];
