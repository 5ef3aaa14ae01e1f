import { join } from 'node:path';
import { z } from 'zod';
import { binarySchema } from './binary.ts';
import { readJson, writeJson } from './json-file.ts';

/** `engines.json` of a home: which program made the data there, and where its engine listens. */
const stateSchema = z.object({
  temporal: z.object({ binary: binarySchema, port: z.int(), http_port: z.int() }).optional(),
  mongod: z.object({ binary: binarySchema, port: z.int() }).optional(),
});
export type EngineState = z.infer<typeof stateSchema>;

const fileOf = (home: string): string => join(home, 'engines.json');

export const readState = (home: string): EngineState => readJson(fileOf(home), stateSchema) ?? {};

export const rememberEngine = (home: string, part: EngineState): void =>
  writeJson(fileOf(home), { ...readState(home), ...part });
