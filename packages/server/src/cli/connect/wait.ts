/** Waits until a person has signed in in a browser. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceConnection } from '../../connections/schema.ts';
import { connectionPath } from '../follow-sync.ts';
import { liveLine } from '../live-line.ts';
import { type ServiceClient, ServiceRefused } from '../service-client.ts';

const POLL_MS = 500;

/** The sign-in cannot succeed any more; the message says why. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
}

interface SignInWait {
  readonly id: string;
  readonly minutes: number;
  readonly stop: AbortSignal;
}

/**
 * Returns the connection once it is signed in. Throws NotSignedIn when the sign-in has failed or takes too long, and the
 * reason of `stop`.
 */
export async function waitForSignIn(
  service: ServiceClient,
  { id, minutes, stop }: SignInWait,
): Promise<SourceConnection> {
  const deadline = performance.now() + minutes * 60_000;
  const line = liveLine(process.stderr);
  // Elsewhere than on a terminal one line says enough.
  if (!process.stderr.isTTY) line.show('waiting for the sign-in in the browser');
  try {
    for (;;) {
      const about = await lookAt(service, id);
      if (typeof about === 'object') {
        if (about.auth.authenticated) return about;
        if (about.auth.sign_in_error) throw new NotSignedIn(about.auth.sign_in_error.message);
      }
      const left = Math.ceil((deadline - performance.now()) / 60_000);
      if (left <= 0) throw new NotSignedIn(`nobody signed in within ${minutes} minutes`);
      const trouble = typeof about === 'string' ? ` (${about})` : '';
      if (process.stderr.isTTY)
        line.show(`waiting for the sign-in in the browser, for ${left} more minutes${trouble}`);
      await sleep(POLL_MS, undefined, { signal: stop });
    }
  } catch (error) {
    stop.throwIfAborted();
    throw error;
  } finally {
    line.clear();
  }
}

/** Returns the connection, or a text about a service that cannot be reached now, because it may be restarting. */
async function lookAt(service: ServiceClient, id: string): Promise<SourceConnection | string> {
  try {
    return await service.call<SourceConnection>('GET', connectionPath(id));
  } catch (error) {
    if (error instanceof ServiceRefused && error.status < 500) throw error;
    return (error as Error).message;
  }
}
