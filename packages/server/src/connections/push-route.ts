/**
 * This is the HTTP route by which callers push entities, and may wait until they can be found.
 *
 * The thread of the API only receives a push. Another thread reads, checks, packs and stores it, and a push waits here
 * while many others are being stored. So pushes keep no other request waiting, however large and many they are.
 */
import type { FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AppError, invalid, unavailable } from '../errors.ts';
import { callerOf } from '../http/caller.ts';
import { createFairQueue } from '../http/fair-queue.ts';
import type { App } from '../http/server.ts';
import { validatorCompiler } from '../http/validate.ts';
import { MAX_PUSH_BYTES, Push } from '../model/pushed.ts';
import { SourceConnectionJob } from '../syncs/schema.ts';
import { within } from '../util.ts';
import { PUSH_FORM, takePushForms } from './push-form.ts';
import type { Connections } from './service.ts';

const LONGEST_WAIT_MS = 30_000;
/** So many pushes are read, packed and stored at a time, which is twice as many as one transaction may have. */
const PLACES = 64;
/** One caller may have this many further pushes waiting, and all callers together so many bytes of them. */
const WAITING = { pushes: 500, bytes: 64 * 1024 * 1024 };
/** A push that could not begin within this time is refused. */
const DEADLINE_MS = 30_000;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

const stillRunning = (job: string) => () =>
  new AppError(
    503,
    `the push is stored as job ${job} and goes on, and has not ended within ${LONGEST_WAIT_MS / 1000} s: ask for the job, or push again with the same Idempotency-Key`,
    { code: 'still_running', retryAfter: 1 },
  );

export interface PushLimits {
  /** One key, or person who has signed in, may have this many pushes being stored at once. */
  readonly pushesPerKey: number;
}

export function pushRoute(app: App, connections: Connections, { pushesPerKey }: PushLimits): void {
  const queue = createFairQueue({
    places: () => PLACES,
    caller: { atOnce: pushesPerKey, waiting: WAITING.pushes },
    waitingBytes: WAITING.bytes,
    deadlineMs: DEADLINE_MS,
  });
  const stopping = new AbortController();
  app.addHook('preClose', async () => {
    stopping.abort(unavailable('the service is stopping; the push is stored and goes on', 1));
  });

  void app.register((plain, _options, done) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>();
    scope.setValidatorCompiler(withoutBody);
    takeUnreadJson(scope);
    takePushForms(scope);

    async function store(req: FastifyRequest, id: string): Promise<SourceConnectionJob> {
      const key = idempotencyKeyOf(req.headers['idempotency-key']);
      const connection = await connections.pushedConnection(req.ctx, id);
      const { sentPush: sent = NOTHING } = req;
      // A push is stored, so its body need not be kept while the caller waits for the job.
      req.sentPush = undefined;
      const call = {
        caller: callerOf(req),
        collections: [connection.collection_id, connection.id],
        signal: req.ctx.signal,
        bytes: (sent.json?.byteLength ?? 0) + (sent.file?.content.byteLength ?? 0),
      };
      return queue.run(call, () => connections.push(req.ctx, connection, { sent, key }));
    }

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
        const job = await store(req, id);
        req.endBody();
        if (req.query.wait === 'false') return reply.status(202).send(job);
        const ended = await within(
          {
            ms: LONGEST_WAIT_MS,
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

/** The body of a push takes this value, because the thread that stores the push reads and checks it. */
const NOT_READ: Push = { entities: [], delete: [] };
const withoutBody: typeof validatorCompiler = (part) =>
  part.httpPart === 'body' ? () => ({ value: NOT_READ }) : validatorCompiler(part);
const NOTHING = { json: undefined, file: null };

/** JSON becomes the `sentPush` of its request. */
function takeUnreadJson(scope: App): void {
  scope.decorateRequest('sentPush', undefined);
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (req, json, done) => {
    req.sentPush = { json: json as Buffer, file: null };
    done(null, NOT_READ);
  });
}

/** Returns null when the caller gives no key. */
function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const key = String(header);
  if (!IDEMPOTENCY_KEY.test(key))
    throw invalid('the Idempotency-Key has 1 to 255 characters of printable ASCII', {
      loc: ['headers', 'idempotency-key'],
    });
  return key;
}
