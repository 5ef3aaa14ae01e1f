import type { Express } from 'express';
import type { Metrics } from './metrics.ts';
import { nameRoute } from './request-log.ts';

interface HealthDeps {
  metrics: Metrics;
  /** Engine → whether it can be reached. */
  readiness: () => Promise<Record<string, boolean>>;
  draining: AbortSignal;
}

/** Alive, ready to take requests, and how much is going on. */
export function serveHealth(app: Express, { metrics, readiness, draining }: HealthDeps): void {
  app.get('/healthz', (_req, res) => {
    nameRoute(res, '/healthz');
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    nameRoute(res, '/readyz');
    const checks = await readiness();
    const ready = !draining.aborted && Object.values(checks).every(Boolean);
    res.status(ready ? 200 : 503).json({ ready, draining: draining.aborted, checks });
  });
  app.get('/metrics', (_req, res) => {
    nameRoute(res, '/metrics');
    res.type('text/plain; version=0.0.4').send(metrics.text());
  });
}
