/**
 * Serves the dashboard that `packages/ui` builds. Its pages have addresses of their own, which only the browser knows:
 * a browser that asks for an unknown address gets the dashboard, and any other client gets the error as JSON.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import staticFiles from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { packageFile } from '../installation.ts';
import type { App } from './server.ts';

/** The built files are in this folder in the repository and in the published package. */
const FOLDER = fileURLToPath(packageFile('ui'));
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** The dashboard has no page at these paths, also when a browser opens them. */
const NOT_PAGES = /^\/(v1|api|mcp|health|docs|assets|\.well-known|openapi\.json)(\/|$)/;
/** The build makes names of these characters alone, and no folders. */
const FILE_NAME = /^[\w-][\w.-]*$/;
const YEAR_MS = 365 * 86_400_000;

/** It is shown until the build has ended. The browser asks again by itself. */
const BUILDING = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Quarry</title></head>
<body><h1>The dashboard is being built</h1>
<p>npm start builds it once, which takes a few seconds. This page opens it then. The API at /v1 works already.</p>
</body></html>
`;

/** Lets all handlers of the server send files of the dashboard. */
export function dashboardFiles(app: App): void {
  void app.register(staticFiles, {
    root: FOLDER,
    serve: false,
    preCompressed: true,
    // The build may end after the start of the service.
    suppressWarning: true,
  });
}

export function dashboardRoutes(app: App): void {
  app.route<{ Params: { '*': string } }>({
    method: 'GET',
    url: '/assets/*',
    config: { role: null },
    schema: { hide: true },
    handler: async (req, reply) => {
      const file = req.params['*'];
      const name = join('assets', file);
      if (!FILE_NAME.test(file) || !(await isFile(join(FOLDER, name)))) return reply.callNotFound();
      // The name of a file has a hash of its content.
      return reply.sendFile(name, { maxAge: YEAR_MS, immutable: true });
    },
  });
}

/** Returns true when a browser opens an address that may be a page of the dashboard. */
export const asksForPage = ({ method, headers, url }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (headers.accept ?? '').includes('text/html') &&
  !NOT_PAGES.test(url.split('?', 1)[0] ?? '');

export async function answerPage(reply: FastifyReply) {
  void reply.header('content-security-policy', POLICY).header('cache-control', 'no-cache');
  if (await isFile(join(FOLDER, 'index.html')))
    return reply.sendFile('index.html', { cacheControl: false });
  return reply.type('text/html; charset=utf-8').send(BUILDING);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
