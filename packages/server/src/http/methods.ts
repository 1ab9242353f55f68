/**
 * Answers 405 to a wrong method on an existing path; the header Allow names the right methods. The router would answer
 * 404, because it looks for the method and the path together.
 */
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

/** The caller must call this before it defines any route. */
export function refuseWrongMethods(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? new Set();
    methodsOf.set(url, known);
    for (const one of [method].flat()) known.add(one);
  });
  app.addHook('onRequest', async (req, reply) => {
    if (!req.is404) return;
    const path = req.url.split('?', 1)[0] ?? '';
    const methods = [...methodsOf].flatMap(([url, known]) => (fits(url, path) ? [...known] : []));
    // If a route with this path and method exists, a parameter in the path is too long for the router, and a 404 is
    // right.
    if (methods.length === 0 || methods.includes(req.method)) return;
    const allowed = [...new Set(methods)].toSorted();
    void reply.header('allow', allowed.join(', '));
    throw new AppError(405, `${req.method} is not possible here: use ${allowed.join(' or ')}`, {
      code: 'method_not_allowed',
    });
  });
}

/** Returns true when `path` matches `url`, the URL of a route such as `/v1/collections/:readable_id`. */
function fits(url: string, path: string): boolean {
  const parts = path.split('/');
  const forms = url.split('/');
  return (
    forms.length === parts.length &&
    forms.every((form, i) => form === parts[i] || form.startsWith(':'))
  );
}
