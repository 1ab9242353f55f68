/**
 * The operator decides what sources may reach.
 *
 * A single-user install may reach everything that its user may reach. Any other install reads files only below
 * QUARRY_FILES_ROOTS and connects only to public addresses and to QUARRY_SOURCE_NETWORKS, because otherwise every
 * tenant could read the machine and its network. Cloud services are at public addresses in every install. Two
 * tricks do not work: a symbolic link is judged by the path to which it leads, and the connection goes to the
 * address that was judged, so that a name cannot resolve differently the second time. The data directory is closed
 * in every install (own-files.ts).
 */
import { lookup } from 'node:dns/promises';
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';
import { SourceError, shown } from '../errors.ts';
import { createSend } from '../net/guarded-send.ts';
import { must } from '../util.ts';
import type { SourceEnvironment } from './define.ts';
import { isInDataDir, ownFiles } from './own-files.ts';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** Returns all addresses of a name. Throws when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

export function createSurroundings(
  config: Pick<
    Config,
    | 'singleUser'
    | 'QUARRY_DATA_DIR'
    | 'QUARRY_SOURCE_NETWORKS'
    | 'QUARRY_FILES_ROOTS'
    | 'QUARRY_ALLOW_LOOPBACK'
  >,
  resolveName: Resolve = resolveByDns,
): SourceEnvironment {
  const isCloud = (address: IpAddress) =>
    isPublic(address) || (config.QUARRY_ALLOW_LOOPBACK && address.range() === 'loopback');
  const send = createSend((host) =>
    addressOf(host, resolveName, isCloud, 'cloud services are at public addresses'),
  );
  const dataDir = config.QUARRY_DATA_DIR;
  const shared = { send, ownFiles: () => ownFiles(dataDir) };
  const outsideOfDataDir = async (path: string, real: string) => {
    if (await isInDataDir(real, dataDir)) throw ownPath(path);
    return real;
  };
  if (config.singleUser)
    return {
      ...shared,
      allowPath: async (path) => outsideOfDataDir(path, await realPath(absolute(path))),
      allowHost: async (host) => withoutBrackets(host),
    };

  const networks = config.QUARRY_SOURCE_NETWORKS.map((cidr) => ipaddr.parseCIDR(cidr));
  const roots = config.QUARRY_FILES_ROOTS;

  return {
    ...shared,
    async allowPath(path) {
      const asked = absolute(path);
      const real = roots.length > 0 ? await realRoots(roots) : [];
      // The path is judged before the disk is asked, so that the answer does not tell what exists elsewhere.
      if (![...roots, ...real].some((root) => isWithin(root, asked))) throw refusedPath(path);
      const actual = await realPath(asked);
      if (!real.some((root) => isWithin(root, actual))) throw refusedPath(path);
      return outsideOfDataDir(path, actual);
    },

    async allowHost(host) {
      if (host.startsWith('/'))
        throw new SourceError(
          'config',
          `the socket ${host} may not be used: only a single-user install connects to sockets of its machine`,
        );
      const isAllowed = (address: IpAddress) => isPublic(address) || isIn(networks, address);
      const rule = 'the operator allows private networks with QUARRY_SOURCE_NETWORKS';
      return addressOf(host, resolveName, isAllowed, rule);
    },
  };
}

/**
 * Returns the address of a host. One refused address is enough to throw, because the owner of a name chooses
 * which of its addresses is used.
 */
async function addressOf(
  host: string,
  resolveName: Resolve,
  isAllowed: (address: IpAddress) => boolean,
  rule: string,
): Promise<string> {
  const name = withoutBrackets(host);
  const texts = ipaddr.isValid(name) ? [name] : await addressesOf(name, resolveName);
  const addresses = texts.map((text) => ipaddr.process(text));
  const refused = addresses.find((address) => !isAllowed(address));
  if (refused)
    // The cause is for the log of the operator: a tenant does not learn the addresses of this network.
    throw new SourceError('config', `the host ${shown(host)} is not at a public address: ${rule}`, {
      cause: new Error(`${host} is at ${refused}`),
    });
  return must(addresses[0]).toString();
}

/** A URL writes an IPv6 address in brackets. */
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

export function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false;
  // Some network stacks take ::7f00:1 for 127.0.0.1, and no public address lies outside 2000::/3.
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

const isIn = (networks: readonly [IpAddress, number][], address: IpAddress) =>
  networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );

async function addressesOf(name: string, resolveName: Resolve): Promise<readonly string[]> {
  const unknown = `the host ${name} does not resolve to an address`;
  const addresses = await resolveName(name).catch((cause: unknown) => {
    throw new SourceError('transient', unknown, { cause });
  });
  if (addresses.length === 0) throw new SourceError('transient', unknown);
  return addresses;
}

const resolveByDns: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

function absolute(path: string): string {
  if (!isAbsolute(path))
    throw new SourceError('config', `the path ${path} is relative: give it from the root`);
  return resolve(path);
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES')
      throw new SourceError('config', `the path ${path} may not be read by this service`);
    throw new SourceError('config', `the path ${path} does not exist`, { cause: error });
  }
}

/** Returns the real paths of the roots. A root that does not exist has nothing below it. */
async function realRoots(roots: readonly string[]): Promise<string[]> {
  const settled = await Promise.allSettled(roots.map((root) => realpath(root)));
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const refusedPath = (path: string) =>
  new SourceError(
    'config',
    `the path ${path} may not be read: the operator allows folders with QUARRY_FILES_ROOTS`,
  );

const ownPath = (path: string) =>
  new SourceError(
    'config',
    `the path ${path} may not be read: it lies in the data directory of Quarry, which holds its keys and its database`,
  );
