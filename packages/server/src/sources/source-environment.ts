/**
 * The operator decides which files and hosts sources may reach; this file enforces that.
 *
 * A single-user install may reach everything that its user may reach. Any other install reads files only below
 * QUARRY_FILES_ROOTS, because otherwise every tenant could read the machine; net/addresses.ts says which hosts are
 * reached. A symbolic link is allowed when its target is allowed. No installation lets sources read the data directory
 * and the folder of backups (own-files.ts).
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config } from '../config.ts';
import { NO_OPTIONAL_KINDS } from '../documents/kinds.ts';
import { SourceError } from '../errors.ts';
import { anyHost, cloudHosts, hostsIn } from '../net/addresses.ts';
import { createSend } from '../net/guarded-send.ts';
import type { Resolve } from '../net/resolve-name.ts';
import type { SourceEnvironment } from './define.ts';
import { isInOwnFolder, ownFiles } from './own-files.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

export function createSourceEnvironment(
  config: Pick<
    Config,
    | 'singleUser'
    | 'QUARRY_DATA_DIR'
    | 'QUARRY_BACKUP_DIR'
    | 'QUARRY_SOURCE_NETWORKS'
    | 'QUARRY_FILES_ROOTS'
    | 'QUARRY_ALLOW_LOOPBACK'
  >,
  resolveName?: Resolve,
  optional = NO_OPTIONAL_KINDS,
): SourceEnvironment {
  const allowService = cloudHosts(config.QUARRY_ALLOW_LOOPBACK, resolveName);
  const send = createSend(allowService);
  const { QUARRY_DATA_DIR: dataDir, QUARRY_BACKUP_DIR: backupDir } = config;
  const own = backupDir === undefined ? [dataDir] : [dataDir, backupDir];
  const shared = {
    send,
    allowService,
    ownFiles: () => ownFiles(...own),
    downloadsFolder: join(dataDir, 'downloads'),
    optional,
  };
  const outsideOfOwn = async (path: string, real: string) => {
    if (await isInOwnFolder(real, own)) throw ownPathError(path);
    return real;
  };
  if (config.singleUser)
    return {
      ...shared,
      allowPath: async (path) => outsideOfOwn(path, await realPath(absolute(path))),
      allowHost: anyHost,
      sendToProvider: createSend(anyHost),
    };

  const networks = config.QUARRY_SOURCE_NETWORKS;
  const allowHost = hostsIn(networks, resolveName);
  const ofProviders = config.QUARRY_ALLOW_LOOPBACK ? [...networks, ...LOOPBACK] : networks;
  const roots = config.QUARRY_FILES_ROOTS;

  return {
    ...shared,
    sendToProvider: createSend(hostsIn(ofProviders, resolveName)),
    async allowPath(path) {
      const asked = absolute(path);
      const real = roots.length > 0 ? await realRoots(roots) : [];
      // The path is checked before the disk is read. Otherwise the answer would reveal which files exist outside the
      // roots.
      if (![...roots, ...real].some((root) => isWithin(root, asked))) throw pathError(path);
      const actual = await realPath(asked);
      if (!real.some((root) => isWithin(root, actual))) throw pathError(path);
      return outsideOfOwn(path, actual);
    },

    async allowHost(host) {
      if (host.startsWith('/'))
        throw new SourceError(
          'config',
          `the socket ${host} may not be used: only a single-user install connects to sockets of its machine`,
        );
      return allowHost(host);
    },
  };
}

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

/** Returns the real paths of the roots. Roots that do not exist are left out. */
async function realRoots(roots: readonly string[]): Promise<string[]> {
  const settled = await Promise.allSettled(roots.map((root) => realpath(root)));
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const pathError = (path: string) =>
  new SourceError(
    'config',
    `the path ${path} may not be read: others may use this service, so the operator must set QUARRY_FILES_ROOTS to its folder or to one above it`,
  );

const ownPathError = (path: string) =>
  new SourceError(
    'config',
    `the path ${path} may not be read: it lies in the data directory of Quarry or in its folder of backups, which hold its keys and its database`,
  );
