import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import express, { type Express, type RequestHandler } from 'express';
import { nameRoute } from './request-log.ts';

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The build has packed what can be packed: whoever takes that is sent a quarter of the bytes. */
function packed(dir: string): RequestHandler {
  const names = new Set(existsSync(dir) ? readdirSync(dir) : []);
  return (req, res, next) => {
    const name = basename(req.path);
    const kinds = ENCODINGS.filter(([, ending]) => names.has(`${name}${ending}`));
    if (kinds.length === 0) return next();
    res.vary('Accept-Encoding');
    const [encoding, ending] = kinds.find(([each]) => req.acceptsEncodings(each) === each) ?? [];
    if (encoding !== undefined && ending !== undefined) {
      res.type(extname(name)).set('Content-Encoding', encoding);
      req.url = `/${name}${ending}`;
    }
    next();
  };
}

/** A file that a newer build has taken away meanwhile: what is answered instead is not packed. */
const unpacked: RequestHandler = (_req, res, next) => {
  res.removeHeader('Content-Encoding');
  next();
};

/** Files under assets/ have their hash in the name and never change; the page that names them is asked for anew. */
export function serveWebApp(app: Express, webDir: string): void {
  const assets = join(webDir, 'assets');
  const kept = { index: false, immutable: true, maxAge: '365d' };
  app.use('/assets', packed(assets), express.static(assets, kept), unpacked);
  app.use(express.static(webDir, { index: false, maxAge: 0 }));
  app.get('/{*path}', (req, res, next) => {
    if (req.path.startsWith('/api/') || req.path.startsWith('/assets/')) return next();
    nameRoute(res, 'web');
    res.sendFile('index.html', { root: webDir, headers: { 'Cache-Control': 'no-cache' } }, (error) => {
      if (error) next(res.headersSent ? error : undefined);
    });
  });
}
