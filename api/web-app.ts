import { join } from 'node:path';
import express, { type Express } from 'express';
import { nameRoute } from './request-log.ts';

/** Files under assets/ have their hash in the name and never change; the page that names them is asked for anew. */
export function serveWebApp(app: Express, webDir: string): void {
  app.use('/assets', express.static(join(webDir, 'assets'), { index: false, immutable: true, maxAge: '365d' }));
  app.use(express.static(webDir, { index: false, maxAge: 0 }));
  app.get('/{*path}', (req, res, next) => {
    if (req.path.startsWith('/api/') || req.path.startsWith('/assets/')) return next();
    nameRoute(res, 'web');
    res.sendFile('index.html', { root: webDir, headers: { 'Cache-Control': 'no-cache' } }, (error) => {
      if (error) next(res.headersSent ? error : undefined);
    });
  });
}
