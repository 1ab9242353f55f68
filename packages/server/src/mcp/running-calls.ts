/**
 * These are the requests of sessions that are being answered, so that a client can cancel one of them by a notification
 * (https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/cancellation). Each request has a server of
 * its own, so the server that gets the notification does not know the request.
 */
import { isSpecType } from '@modelcontextprotocol/server';

type RequestId = string | number;

export interface RunningCalls {
  /** Returns the signal that aborts when the client cancels a request in the body, and a function that forgets them. */
  begin(session: string, body: unknown): { readonly signal: AbortSignal; readonly end: () => void };
  /** Cancels the requests of the session that notifications in the body name. */
  cancel(session: string, body: unknown): void;
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>();
  // A number and a text with the same characters are different ids.
  const keyOf = (session: string, id: RequestId) => JSON.stringify([session, id]);

  return {
    begin(session, body) {
      const controller = new AbortController();
      const keys = [body].flat().flatMap((message) => {
        const { method, id } = message as { method?: string; id?: RequestId };
        return method === undefined || id === undefined ? [] : [keyOf(session, id)];
      });
      for (const key of keys) running.set(key, controller);
      const end = () => {
        // A client may have used an id once more meanwhile.
        for (const key of keys) if (running.get(key) === controller) running.delete(key);
      };
      return { signal: controller.signal, end };
    },
    cancel(session, body) {
      for (const message of [body].flat()) {
        if (!isSpecType.CancelledNotification(message)) continue;
        const { requestId } = message.params;
        if (requestId !== undefined) running.get(keyOf(session, requestId))?.abort();
      }
    },
  };
}
