/**
 * Gives each request a span, which goes on with the trace of the caller. The span has the pattern of the route and not the
 * address, because addresses have ids and secrets. Probes of the health are left out, because they would be most traces.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  linesOf,
  NO_SPAN,
  NO_TRACER,
  type Span,
  type SpanFacts,
  type Tracer,
} from '../telemetry/trace.ts';
import { methodOf } from './measure-requests.ts';
import type { App } from './server.ts';

export function traceRequests(app: App, tracer: Tracer): void {
  if (tracer === NO_TRACER) {
    app.decorateRequest('span', { getter: () => NO_SPAN });
    return;
  }
  app.decorateRequest('span');
  app.addHook('onRequest', async (req, reply) => {
    req.span = isProbe(req) ? NO_SPAN : begin(req, tracer);
    if (req.span === NO_SPAN) return;
    req.log = req.log.child(linesOf(undefined, req.span));
    reply.log = req.log;
    const gone = () => end(req, reply, { 'quarry.client_gone': true });
    reply.raw.once('close', gone);
    reply.raw.once('finish', () => {
      reply.raw.off('close', gone);
      end(req, reply);
    });
  });
}

const isProbe = ({ routeOptions }: FastifyRequest) =>
  routeOptions.url?.startsWith('/health') === true;

function begin({ id, method, headers, routeOptions }: FastifyRequest, tracer: Tracer): Span {
  const { traceparent, tracestate } = headers as Readonly<Record<string, string | undefined>>;
  const route = routeOptions.url ?? 'unknown';
  return tracer.begin(`${methodOf(method)} ${route}`, {
    kind: 'server',
    parent: { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) },
    facts: {
      'http.request.method': methodOf(method),
      'http.route': route,
      'quarry.request_id': id,
    },
  });
}

function end({ span, ctx }: FastifyRequest, { statusCode }: FastifyReply, facts?: SpanFacts): void {
  span.note({
    'http.response.status_code': statusCode,
    // A route without a role has no context, and neither has a refused caller.
    ...(ctx && { 'quarry.organization_id': ctx.organization.id }),
    ...facts,
  });
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
}
