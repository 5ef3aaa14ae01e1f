import { z } from 'zod';
import { RUN_STATUSES } from './word-lists.ts';

export const runStatusSchema = z.enum(RUN_STATUSES);
export type RunStatus = z.infer<typeof runStatusSchema>;
