/**
 * Only this file decides which addresses are loopback or public, to which addresses a connection may lead, and which
 * addresses belong to one client.
 *
 * - Tenants choose cloud services: the APIs of sources and the endpoints of webhooks. The metadata of an OAuth issuer
 *   may name addresses at other origins. All of these must be public, because otherwise a tenant could reach the
 *   network behind this machine. QUARRY_ALLOW_LOOPBACK also allows this machine, for development.
 * - Tenants choose the servers of their databases. These may also be in the networks of QUARRY_SOURCE_NETWORKS.
 * - The operator chooses models, the issuer and the mail server, which may therefore be anywhere. In a single-user
 *   install databases may be anywhere too, because the user is the operator.
 *
 * A name is judged by the addresses to which it resolves, and the connection goes to the address that was judged, so
 * that the name cannot resolve differently the second time.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SourceError, shown } from '../errors.ts';
import { must } from '../util.ts';
import { nameResolver, type Resolve } from './resolve-name.ts';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Returns the address to connect to. Throws a SourceError: 'config' for a refused host, 'transient' for an unknown one. */
export type AllowHost = (host: string) => Promise<string>;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns true for an address or a name of this machine that other machines cannot use. An IPv6 address may be in
 * brackets, as in a URL.
 */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || literal(host)?.range() === 'loopback';

/**
 * Returns true when a secret may be sent to the URL: nobody can listen on the way, because the connection uses TLS or
 * does not leave this machine.
 */
export const isConfidential = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/** Returns true for an IP address that is not public, and false for a name, which is checked when it is resolved. */
export function isPrivateAddress(host: string): boolean {
  const address = literal(host);
  return address !== undefined && !isPublic(address);
}

/**
 * Allows every host and returns it without looking it up, even a name. The caller must use it only for hosts that the
 * operator set.
 */
export const anyHost: AllowHost = async (host) => withoutBrackets(host);

/** Tells whether a text names a network, as 10.0.0.0/8 does. */
export function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const version = isIP(address);
  return (
    version > 0 &&
    more.length === 0 &&
    /^\d+$/.test(bits) &&
    Number(bits) <= (version === 4 ? 32 : 128)
  );
}

/** Tells whether a text names an address, or a network other than the one that holds all addresses. */
export const isAddressOrNetwork = (text: string): boolean =>
  isIP(text) > 0 || (isCidr(text) && Number(text.split('/')[1]) > 0);

/**
 * Returns the addresses that count as one client: an IPv4 address alone, and the network of 64 bits of an IPv6 address,
 * in which a client chooses addresses as it likes (RFC 4291, section 2.5.1). All texts that are not addresses count as
 * one client, because a proxy may pass on any text.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const first = parsed.parts.slice(0, 4);
  return `${new ipaddr.IPv6([...first, 0, 0, 0, 0])}/64`;
}

export const cloudHosts =
  (allowsLoopback: boolean, resolveName: Resolve = nameResolver()): AllowHost =>
  (host) =>
    addressOf(host, resolveName, {
      isAllowed: (address) =>
        isPublic(address) || (allowsLoopback && address.range() === 'loopback'),
      rule: allowsLoopback
        ? 'a cloud service must be at one, or on this machine'
        : 'a cloud service must be at one (for development, the operator can allow this machine with QUARRY_ALLOW_LOOPBACK)',
    });

/** Allows public addresses and those in `networks`, which are CIDRs. */
export function hostsIn(
  networks: readonly string[],
  resolveName: Resolve = nameResolver(),
): AllowHost {
  const parsed = networks.map((cidr) => ipaddr.parseCIDR(cidr));
  return (host) =>
    addressOf(host, resolveName, {
      isAllowed: (address) => isPublic(address) || isIn(parsed, address),
      rule: 'its network must be in QUARRY_SOURCE_NETWORKS, which the operator sets',
    });
}

/**
 * Returns the first address of the host. Throws when any of its addresses is refused, because the owner of a name decides
 * which address comes first.
 */
async function addressOf(
  host: string,
  resolveName: Resolve,
  { isAllowed, rule }: { isAllowed: (address: IpAddress) => boolean; rule: string },
): Promise<string> {
  const name = withoutBrackets(host);
  const itself = literal(name);
  const addresses = itself ? [itself] : await addressesOf(name, resolveName);
  const refused = addresses.find((address) => !isAllowed(address));
  if (refused)
    // The cause is for the log of the operator: a tenant does not learn the addresses of this network.
    throw new SourceError('config', `the host ${shown(host)} is not at a public address: ${rule}`, {
      cause: new Error(`${host} is at ${refused}`),
    });
  return must(addresses[0]).toString();
}

async function addressesOf(name: string, resolveName: Resolve): Promise<IpAddress[]> {
  const unknown = `the host ${name} does not resolve to an address`;
  const texts = await resolveName(name).catch((cause: unknown) => {
    throw new SourceError('transient', unknown, { cause });
  });
  if (texts.length === 0) throw new SourceError('transient', unknown);
  return texts.map((text) => ipaddr.process(text));
}

/** Parses a host that is an IP address, in any notation. Returns undefined for a name. */
function literal(host: string): IpAddress | undefined {
  const text = withoutBrackets(host);
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

/** A URL writes an IPv6 address in brackets. */
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false;
  // Some network stacks take ::7f00:1 for 127.0.0.1. All public IPv6 addresses are in 2000::/3.
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

const isIn = (networks: readonly [IpAddress, number][], address: IpAddress) =>
  networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
