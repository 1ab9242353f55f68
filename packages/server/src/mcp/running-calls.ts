/**
 * These are the requests of sessions that are being answered, so that a client can cancel one of them by a notification
 * (https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/cancellation). Each body has a server of
 * its own, so the server that gets the notification does not know the request.
 */
import type { Writable } from 'node:stream';
import { isSpecType } from '@modelcontextprotocol/server';

type RequestId = string | number;
type Response = Pick<Writable, 'destroyed' | 'once'>;
/** The requests of one body that have not been cancelled, by their keys. */
interface RunningBody {
  readonly left: Set<string>;
  readonly cancelled: AbortController;
}

export interface RunningCalls {
  /**
   * Returns the signal that aborts when the client has cancelled every request in the body: one server answers a batch,
   * and must go on while a request is left. The requests are forgotten when their response closes.
   */
  begin(session: string, body: unknown, response: Response): AbortSignal;
  /** Cancels the requests of the session that notifications in the body name. */
  cancel(session: string, body: unknown): void;
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, RunningBody>();
  // A number and a text with the same characters are different ids.
  const keyOf = (session: string, id: RequestId) => JSON.stringify([session, id]);

  return {
    begin(session, body, response) {
      const keys = [body].flat().flatMap((message) => {
        const { method, id } = message as { method?: string; id?: RequestId };
        return method === undefined || id === undefined ? [] : [keyOf(session, id)];
      });
      const begun = { left: new Set(keys), cancelled: new AbortController() };
      // If the client has already disconnected, the event 'close' does not come any more, and the requests would stay.
      if (!response.destroyed) for (const key of keys) running.set(key, begun);
      response.once('close', () => {
        // A client may have used an id once more meanwhile.
        for (const key of keys) if (running.get(key) === begun) running.delete(key);
      });
      return begun.cancelled.signal;
    },
    cancel(session, body) {
      for (const message of [body].flat()) {
        if (!isSpecType.CancelledNotification(message)) continue;
        const { requestId } = message.params;
        if (requestId === undefined) continue;
        const key = keyOf(session, requestId);
        const begun = running.get(key);
        if (begun?.left.delete(key) && begun.left.size === 0) begun.cancelled.abort();
      }
    },
  };
}
