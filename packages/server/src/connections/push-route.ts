/** This is the HTTP route by which callers push entities, and may wait until they can be found. */
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AppError, invalid, unavailable } from '../errors.ts';
import type { App } from '../http/server.ts';
import { MAX_PUSH_BYTES, Push } from '../model/pushed.ts';
import { SourceConnectionJob } from '../syncs/schema.ts';
import { within } from '../util.ts';
import { checkPushCount } from './check.ts';
import { PUSH_FORM, takePushForms } from './push-form.ts';
import type { Connections } from './service.ts';

const LONGEST_WAIT_MS = 30_000;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

const stillRunning = (job: string) => () =>
  new AppError(
    503,
    `the push is stored as job ${job} and goes on, and has not ended within ${LONGEST_WAIT_MS / 1000} s: ask for the job, or push again with the same Idempotency-Key`,
    { code: 'still_running', retryAfter: 1 },
  );

export function pushRoute(
  app: App,
  connections: Connections,
  longestWaitMs: number = LONGEST_WAIT_MS,
): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => {
    stopping.abort(unavailable('the service is stopping; the push is stored and goes on', 1));
  });

  void app.register((plain, _options, done) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>();
    takePushForms(scope);
    scope.route({
      method: 'POST',
      url: '/v1/source-connections/:id/entities',
      config: {
        role: 'member',
        audit: null,
        limitedKeys: true,
        headers: ['Idempotency-Key'],
        form: PUSH_FORM,
        keepsBody: true,
      },
      bodyLimit: MAX_PUSH_BYTES,
      preValidation: async (req) => checkPushCount(req.body),
      schema: {
        operationId: 'pushEntities',
        summary: 'Push entities',
        description:
          'One push may have at most 1,000 entities and 10 MiB. All entities become searchable together when the job is ' +
          'COMPLETED. With `wait` the answer comes when the job has ended: a 200 with the job, whose status may also be ' +
          'FAILED. After 30 seconds it is a 503 with the code `still_running`; the push goes on. It also goes on when the ' +
          'client disconnects.\n\n' +
          'A form (`multipart/form-data`) pushes one file of at most 25 MB: its part `file` is the file, and `entity` the ' +
          'entity as JSON without a text. The text of the file is extracted as in every source; what is inside of it, such ' +
          'as the attachments of a mail, becomes entities of its own.\n\n' +
          'The same `Idempotency-Key` with another body is a 422 with the code `idempotency_key_reused`.',
        tags: ['source connections'],
        params: z.object({ id: z.string() }),
        querystring: z.object({
          wait: z
            .enum(['true', 'false'])
            .default('false')
            .describe('If true, the answer comes when the job has ended, or after 30 seconds.'),
        }),
        body: Push,
        response: { 200: SourceConnectionJob, 202: SourceConnectionJob },
      },
      handler: async (req, reply) => {
        const { id } = req.params;
        const key = idempotencyKeyOf(req.headers['idempotency-key']);
        const job = await connections.push(req.ctx, id, {
          push: req.body,
          file: req.pushedFile,
          key,
        });
        // A push is stored, so its body need not be kept while the caller waits for the job.
        req.body = { entities: [], delete: [] };
        req.pushedFile = undefined;
        req.endBody();
        if (req.query.wait === 'false') return reply.status(202).send(job);
        const ended = await within(
          {
            ms: longestWaitMs,
            late: stillRunning(job.id),
            signal: AbortSignal.any([req.ctx.signal, stopping.signal]),
          },
          (signal) => connections.ended(req.ctx, { connectionId: id, jobId: job.id }, signal),
        );
        return reply.status(200).send(ended);
      },
    });
    done();
  });
}

/** Returns undefined when the caller gives no key. */
function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (!IDEMPOTENCY_KEY.test(key))
    throw invalid('the Idempotency-Key has 1 to 255 characters of printable ASCII', {
      loc: ['headers', 'idempotency-key'],
    });
  return key;
}
