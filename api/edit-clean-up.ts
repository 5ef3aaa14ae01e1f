import type { Logger } from 'pino';
import { retentionId } from '../domain/retention.ts';
import type { RunStarter } from '../workflows/start.ts';

/** Where somebody has more than is kept, the clean-up need not wait for its hour. Nothing depends on it. */
export function cleanUpSoon({ client, taskQueue }: RunStarter, count: number, most: number, logger: Logger): void {
  if (count <= most) return;
  client.schedule
    .getHandle(retentionId(taskQueue))
    .trigger()
    .catch((err: unknown) => logger.debug({ err }, 'the clean-up begins at its hour'));
}
