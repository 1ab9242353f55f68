/**
 * The reference page at /docs shows /openapi.json. The page loads nothing from other servers. Its scripts and styles
 * are inline, so it needs a content security policy of its own, which allows inline scripts and styles. The script has
 * more than 4 MB, so the page is loaded only at the first visit, into a Fastify instance of its own.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { App } from './server.ts';

const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function docsRoutes(app: App): void {
  let page: Promise<FastifyInstance> | undefined;
  for (const url of ['/docs', '/docs/js/scalar.js']) {
    app.route({
      method: 'GET',
      url,
      config: { role: null },
      schema: { hide: true },
      handler: async (_req, reply) => {
        page ??= openPage();
        const shown = await (await page).inject(url === '/docs' ? '/docs/' : url);
        return reply
          .status(shown.statusCode)
          .header('content-security-policy', PAGE_POLICY)
          .type(String(shown.headers['content-type']))
          .send(shown.rawPayload);
      },
    });
  }
}

async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      cdn: '/docs/js/scalar.js',
      pageTitle: 'Quarry API reference',
      telemetry: false,
      withDefaultFonts: false,
      // The buttons for these features would lead to the services of other companies.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  });
  return page;
}
