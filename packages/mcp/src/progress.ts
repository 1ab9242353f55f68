/**
 * Sends progress notifications to a client that asks for them: one at once, then one every few seconds. Each
 * notification restarts the client's timeout, so a long call is not given up.
 */
import type { ServerContext } from '@modelcontextprotocol/server';

const EVERY_MS = 3_000;

interface Announcement {
  /** The client shows this text while it waits. */
  readonly what: string;
  /** Writes into the log why a notification could not be sent, unless the client has disconnected. */
  readonly say: (text: string) => void;
}

export async function withProgress<T>(
  { mcpReq }: ServerContext,
  { what, say }: Announcement,
  work: () => Promise<T>,
): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const began = Date.now();
  let progress = 0;
  const tell = () => {
    const seconds = Math.round((Date.now() - began) / 1000);
    const message = progress === 0 ? what : `${what}, for ${seconds} s`;
    const params = { progressToken, progress, message };
    progress += 1;
    mcpReq.notify({ method: 'notifications/progress', params }).catch((error: Error) => {
      if (!mcpReq.signal.aborted) say(`progress could not be sent: ${error.message}`);
    });
  };
  tell();
  const timer = setInterval(tell, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
