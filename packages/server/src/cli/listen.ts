/**
 * This file checks the address at which the API listens: whether it is free, whether others can reach it, and whether
 * they can read its traffic.
 */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Server } from 'node:tls';
import type { StartLink } from '../accounts/start-link.ts';
import type { QuarryProcess } from '../app.ts';
import type { Config } from '../config.ts';
import { whoListens } from './who-listens.ts';

/**
 * This many new connections may wait until the process takes them; the operating system may allow fewer. With Node's
 * default of 511, some connections of a burst are reset while the process is busy.
 */
const WAITING_CONNECTIONS = 4096;

type ListenAddress = Pick<Config, 'QUARRY_HOST' | 'QUARRY_PORT'>;
type MetricsAddress = Pick<Config, 'QUARRY_METRICS_HOST' | 'QUARRY_METRICS_PORT'>;

/**
 * Throws an Error with a message for users when the API cannot listen at the address. A start calls this before it
 * makes anything, so that a wrong port does not leave a data directory and a key behind. Another process may still take
 * the port before `listen` is called.
 */
export async function refuseTakenAddress(address: ListenAddress): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host: await oneAddress(address.QUARRY_HOST), port: address.QUARRY_PORT });
    await once(probe, 'listening');
  } catch (error) {
    throw await refusal(error, address);
  }
  probe.close();
  await once(probe, 'close');
}

/** Makes the API listen and returns its URL. Throws an Error with a message for users when that fails. */
export async function listen(api: QuarryProcess['api'], address: ListenAddress): Promise<string> {
  try {
    await api.listen({
      host: await oneAddress(address.QUARRY_HOST),
      port: address.QUARRY_PORT,
      backlog: WAITING_CONNECTIONS,
    });
  } catch (error) {
    throw await refusal(error, address);
  }
  const bound = api.server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `${api.server instanceof Server ? 'https' : 'http'}://${name}:${bound.port}`;
}

/** Makes the port of metrics listen, and returns the URL of the metrics. */
export async function listenForMonitors(
  operations: NonNullable<QuarryProcess['operations']>,
  { QUARRY_METRICS_HOST: host, QUARRY_METRICS_PORT: port = 0 }: MetricsAddress,
): Promise<string> {
  try {
    return `${await operations.listen({ host: await oneAddress(host), port })}/metrics`;
  } catch (error) {
    throw new Error(
      `QUARRY_METRICS_PORT: cannot listen on ${host}:${port} (${(error as Error).message}): choose another port`,
      { cause: error },
    );
  }
}

/**
 * Returns 127.0.0.1 for localhost where it has this address. For the name, Fastify would make a second server for ::1,
 * without our limits on connections, their end at a stop, and the renewal of the certificate.
 */
const oneAddress = async (host: string): Promise<string> =>
  host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host;

async function refusal(
  error: unknown,
  { QUARRY_HOST: host, QUARRY_PORT: port }: ListenAddress,
): Promise<Error> {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    const listener = await whoListens(port);
    const whose = listener ? ` by ${listener.name} (process ${listener.pid})` : '';
    return new Error(
      `port ${port} on ${host} is in use${whose}: choose another with --port, or stop what listens there`,
      { cause: error },
    );
  }
  if (code === 'EACCES')
    return new Error(
      `port ${port} on ${host} may not be used by this user: choose one above 1023 with --port`,
      { cause: error },
    );
  return new Error(`cannot listen on ${host}:${port} (${message}): choose another --host`, {
    cause: error,
  });
}

/** Returns an advice for the operator when others reach the service and its owner has no password, and otherwise null. */
export function passwordAdvice(
  { isReachable }: Pick<Config, 'isReachable'>,
  { hasPassword }: Pick<StartLink, 'hasPassword'>,
): string | null {
  if (hasPassword || !isReachable) return null;
  return 'Others can reach this service: sign in by the link, and set a password for the owner.';
}

/** Returns a warning for the operator when other machines reach the address without TLS, and otherwise null. */
export function plainHttpWarning(
  config: Pick<Config, 'isLoopback' | 'tls' | 'QUARRY_HOST' | 'QUARRY_PUBLIC_URL'>,
): string | null {
  if (config.tls) return null;
  // When the public URL is an HTTPS address, a proxy in front of Quarry provides TLS.
  const isBehindTls = config.QUARRY_PUBLIC_URL?.startsWith('https:') ?? false;
  if (config.isLoopback || isBehindTls) return null;
  return (
    `Quarry listens on ${config.QUARRY_HOST} over plain HTTP: others on the network can read API keys and search results. ` +
    'Name a certificate (QUARRY_TLS_CERTIFICATE), put a proxy that speaks HTTPS in front and set QUARRY_PUBLIC_URL to its address, or leave --host at 127.0.0.1.'
  );
}
