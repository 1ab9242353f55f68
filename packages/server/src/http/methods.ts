/**
 * A wrong method on an existing path is answered by 405, and the header Allow names the right methods. The router
 * cannot tell this case from an unknown path, because it looks for a method and a path together.
 */
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

/** The function has to be called before any route is defined. */
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
    // When a route has the method but does not match, the path is too long for a parameter, and a 404 is right.
    if (methods.length === 0 || methods.includes(req.method)) return;
    const allowed = [...new Set(methods)].toSorted();
    void reply.header('allow', allowed.join(', '));
    throw new AppError(405, `${req.method} is not possible here: use ${allowed.join(' or ')}`, {
      code: 'method_not_allowed',
    });
  });
}

/** The `url` is that of a route, such as `/v1/collections/:readable_id`. */
function fits(url: string, path: string): boolean {
  const parts = path.split('/');
  const forms = url.split('/');
  return (
    forms.length === parts.length &&
    forms.every((form, i) => form === parts[i] || form.startsWith(':'))
  );
}
