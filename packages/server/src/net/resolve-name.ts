/** Resolves names of hosts to all of their addresses. */
import { lookup, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';

/** Returns all addresses of a name. Throws when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Asks the resolver of the operating system, which also knows the file of hosts and the names of the local network. It
 * holds a thread of the process until it has an answer, and there are few of them. So a caller must not use it for names
 * that tenants choose freely: names whose servers do not answer would stop all others.
 */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

const LIMITS = { timeout: 2000, tries: 2 };

/**
 * Asks the name servers of the system directly (c-ares), which holds no thread. A name without a dot, such as localhost,
 * is not a public one, so the operating system is asked. `servers` are other name servers than those of the system.
 */
export const resolvePublicly =
  (servers?: readonly string[]): Resolve =>
  async (host) => {
    if (!host.includes('.')) return resolveBySystem(host);
    // The name servers of a machine change when it joins another network, and a resolver reads them only once.
    const resolver = new Resolver(LIMITS);
    if (servers) resolver.setServers(servers);
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(host),
      resolver.resolve6(host),
    ]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    const [four, six] = [ipv4, ipv6].map((one) => (one.status === 'fulfilled' ? one.value : []));
    return hasIpv4() ? [...four!, ...six!] : [...six!, ...four!];
  };

const hasIpv4 = (): boolean =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .some(({ family, internal }) => family === 'IPv4' && !internal);
