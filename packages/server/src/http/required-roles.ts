/** Refuses the start when a route says no role, or changes something and does not say which act of the audit log it is. */
import type { RouteOptions } from 'fastify';
import type { App } from './server.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

export function requireRoles(app: App): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  // The check runs after everything is loaded, because a scope may set the role for all of its routes.
  app.addHook('onReady', async () => {
    const forgotten = routes.filter((route) => route.config?.role === undefined);
    if (forgotten.length > 0)
      throw new Error(
        `no role is given for ${forgotten.map(({ method, url }) => `${method} ${url}`).join(', ')}`,
      );
    const unaudited = routes.filter(
      ({ method, config }) => !READING.includes(String(method)) && config?.audit === undefined,
    );
    if (unaudited.length > 0)
      throw new Error(
        `no audit is given for ${unaudited.map(({ method, url }) => `${method} ${url}`).join(', ')}`,
      );
  });
}
