/**
 * Sends pushes from the API's thread to the thread that stores them, which starts with the first push. The bytes of a push
 * are moved to it, and not copied.
 */
import { unavailable } from '../errors.ts';
import type { PushOrder, StorePush } from '../syncs/pushes/intake.ts';
import type { SourceConnectionJob } from '../syncs/schema.ts';
import { onFirstUse } from '../util.ts';
import { toError } from './carried-error.ts';
import type { PushCall, PushReply } from './push-messages.ts';
import { type Supervision, superviseThread, type Thread } from './supervise.ts';

const INTERRUPTED =
  'the push was interrupted, and it may be stored or not: push again with the same Idempotency-Key';

export interface PushThread {
  readonly store: StorePush;
  stop(): Promise<void>;
}

export function startPushThread(options: Supervision): PushThread {
  const waiting = new Map<number, PromiseWithResolvers<SourceConnectionJob>>();
  let calls = 0;
  let started: Thread | undefined;
  const thread = onFirstUse(() => {
    started = superviseThread({
      ...options,
      entry: 'push-thread',
      onMessage: (message) => handleReply(message as PushReply),
      onDeath: async () => {
        for (const call of waiting.values()) call.reject(unavailable(INTERRUPTED, 1));
        waiting.clear();
      },
    });
    return started;
  });

  function handleReply(reply: PushReply): void {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('job' in reply) call?.resolve(reply.job);
    else call?.reject(toError(reply.error));
  }

  return {
    async store(order) {
      const { moved, buffers } = movable(order);
      const call: PushCall = { id: calls++, order: moved };
      if (!thread().send(call, buffers))
        throw unavailable('the thread that stores pushes is starting again: try again', 1);
      const answer = Promise.withResolvers<SourceConnectionJob>();
      waiting.set(call.id, answer);
      return answer.promise;
    },
    stop: async () => started?.stop(),
  };
}

/** Small bodies share their memory with others, so they are copied. */
function movable({ sent, ...order }: PushOrder) {
  const json = sent.json && owned(sent.json);
  const file = sent.file && { name: sent.file.name, content: owned(sent.file.content) };
  const buffers = [json, file?.content].flatMap((bytes) => (bytes ? [bytes.buffer] : []));
  return { moved: { ...order, sent: { json, file } }, buffers };
}

/** Returns the bytes in a memory of their own. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes);
