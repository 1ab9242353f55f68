/**
 * A worker on PostgreSQL listens for work that other processes add (migrations/0055-notify-workers.ts), on a
 * connection of its own. While the connection is lost, the worker polls, and the listener tries to connect again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { clientSettings, setSession } from './client-settings.ts';

const CHANNEL = 'quarry_work';
const RETRY_MS = 1000;

export interface WorkListener {
  /** Returns true while notifications arrive. */
  isListening(): boolean;
  stop(): Promise<void>;
}

export interface ListenDeps {
  /** The address has the form `postgres://…`. */
  readonly url: string;
  /** The function is called when there may be work. */
  readonly onWork: () => void;
  readonly log: Logger;
}

export function listenForWork({ url, onWork, log }: ListenDeps): WorkListener {
  const stopping = new AbortController();
  let isListening = false;
  let isLost = false;

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      const error = await listen().catch((reason: unknown) => reason);
      isListening = false;
      if (stopping.signal.aborted) return;
      // One line says that the connection is lost, and one that it is back, however many tries are between them.
      if (!isLost)
        log.warn({ err: error }, 'the worker hears of new work later, because it only polls');
      isLost = true;
      await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {
        // The only possible error is the abort by `stop`, which ends the loop.
      });
    }
  })();

  /** Resolves after `stop`, or with the reason why the connection has ended. */
  async function listen(): Promise<unknown> {
    const client = new pg.Client(clientSettings(url));
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    client.once('error', end);
    client.once('end', () => end(new Error('the connection to the database has ended')));
    const stop = () => {
      // The server may never answer: neither while the client connects, nor when it says goodbye.
      client.connection.stream.destroy();
      end(undefined);
    };
    stopping.signal.addEventListener('abort', stop);
    client.on('notification', onWork);
    try {
      await client.connect();
      await setSession(client);
      await client.query(`listen ${CHANNEL}`);
      isListening = true;
      if (isLost) log.info('the worker hears of new work at once again');
      isLost = false;
      // Work may have been added before the connection listened.
      onWork();
      return await ended;
    } finally {
      stopping.signal.removeEventListener('abort', stop);
      // After an error of the connection, a second error would have no listener and would end the process.
      client.on('error', () => {});
      await client.end();
    }
  }

  return {
    isListening: () => isListening,
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
