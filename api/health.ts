import type { Express } from 'express';
import { countExecutors } from '../store/executors.ts';
import { gauge, type Metrics } from './metrics.ts';
import { nameRoute } from './request-log.ts';

interface HealthDeps {
  metrics: Metrics;
  /** Engine → whether it can be reached. */
  readiness: () => Promise<Record<string, boolean>>;
  draining: AbortSignal;
}

/** Null where the store does not tell soon. */
const PATIENCE_MS = 1_000;
const executors = () =>
  Promise.race([
    countExecutors().catch(() => null),
    new Promise<null>((resolve) => setTimeout(resolve, PATIENCE_MS, null).unref()),
  ]);

/** Alive, ready to take requests, and how much is going on. */
export function serveHealth(app: Express, { metrics, readiness, draining }: HealthDeps): void {
  app.get('/healthz', (_req, res) => {
    nameRoute(res, '/healthz');
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    nameRoute(res, '/readyz');
    const [checks, counted] = await Promise.all([readiness(), executors()]);
    const ready = !draining.aborted && Object.values(checks).every(Boolean);
    // Told and not demanded: without one everything but runs on git notebooks works.
    const told = { ready, draining: draining.aborted, checks, executors: counted?.alive ?? 0 };
    res.status(ready ? 200 : 503).json(told);
  });
  app.get('/metrics', async (_req, res) => {
    nameRoute(res, '/metrics');
    const counted = await executors();
    const more = counted
      ? [
          gauge('longhaul_executors', 'Executors that take runs on git notebooks.', counted.alive),
          gauge('longhaul_checkouts', 'Checkouts that executors have.', counted.checkouts),
        ]
      : [];
    res.type('text/plain; version=0.0.4').send(`${metrics.text()}${more.map((each) => `${each}\n`).join('')}`);
  });
}
