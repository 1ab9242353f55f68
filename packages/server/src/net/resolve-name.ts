/**
 * Resolves names of hosts to all of their addresses.
 *
 * The name servers of the system are asked directly (c-ares), which holds no thread. The resolver of the operating
 * system also knows the file of hosts and the names of the local network, but it holds a thread of the process until it
 * has an answer, and there are few of them. Tenants choose names freely, and names whose servers do not answer would
 * stop all others. So the operating system is asked only for names that the name servers say they do not know.
 */
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';

/** Returns all addresses of a name. Throws when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const LIMITS = { timeout: 2000, tries: 2 };
/** With these answers, no name server knows the name, or the machine has none. */
const UNKNOWN = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'];
const ANY_PORT = 53;

interface ResolverOptions {
  /** These are other name servers than those of the system. */
  readonly servers?: readonly string[];
  readonly hasRoute?: (address: string) => Promise<boolean>;
}

/** A name without a dot is known to no name server. Throws after a timeout without asking the operating system. */
export const nameResolver =
  ({ servers, hasRoute = isRouted }: ResolverOptions = {}): Resolve =>
  async (host) => {
    if (!host.includes('.')) return bySystem(host);
    // The name servers of a machine change when it joins another network, and a resolver reads them only once.
    const resolver = new Resolver(LIMITS);
    if (servers) resolver.setServers(servers);
    const asked = [resolver.resolve4(host), resolver.resolve6(host)] as const;
    const [ipv4, ipv6] = await Promise.allSettled(asked);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') {
      const failed = [ipv4, ipv6].find(({ reason }) => !UNKNOWN.includes(reason.code));
      if (failed) throw failed.reason;
      return bySystem(host);
    }
    const four = ipv4.status === 'fulfilled' ? ipv4.value : [];
    const six = ipv6.status === 'fulfilled' ? ipv6.value : [];
    const [first] = four;
    return first !== undefined && (await hasRoute(first)) ? [...four, ...six] : [...six, ...four];
  };

const bySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Tells whether this machine can send to the address. A machine with a bridge for containers has an IPv4 address even
 * when it reaches nothing by IPv4. No packet is sent: to connect a socket of UDP is to ask the system for a route.
 */
export function isRouted(address: string): Promise<boolean> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('error', () => resolve(false));
  socket.connect(ANY_PORT, address, (error?: Error) => resolve(error === undefined));
  return promise.finally(() => socket.close());
}
