/**
 * Starts OpenStack Swift, a store of objects that also speaks S3, from the programs of Debian on this machine. Its four
 * servers listen on free ports of 127.0.0.1, and keep everything in a folder that is removed at the end.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { S3Keys } from './sources/s3-client.ts';
import { until } from './until.ts';

const run = promisify(execFile);

const BIN = '/usr/bin';
/** The programs are for the Python of Debian, and another Python may come first in the path. */
const PYTHON = join(BIN, 'python3');
const KINDS = ['account', 'container', 'object'] as const;
/** Debian makes this user. As root, the servers would become that user, who could not read the folder of the test. */
const USER = 'swift';
/** Swift keeps facts about a file in its extended attributes, which a file system in memory may not have. */
const FOLDER = '/var/tmp/quarry-swift-';

/** This is the reason for skipping the tests of a real server, or false. `.ci/run` installs Swift. */
export const skipWithoutSwift =
  !['proxy', ...KINDS].every((kind) => existsSync(join(BIN, `swift-${kind}-server`))) &&
  'no OpenStack Swift is installed: apt-get install swift-proxy swift-account swift-container swift-object';

export interface SwiftServer {
  readonly endpoint: string;
  readonly region: string;
  /** This user owns all buckets. */
  readonly owner: S3Keys;
  /** This user may do nothing. */
  readonly stranger: S3Keys;
  stop(): Promise<void>;
}

const OWNER = { access_key_id: 'acme:ann', secret_access_key: 'secret-of-ann-4711' };
const STRANGER = { access_key_id: 'acme:bob', secret_access_key: 'secret-of-bob-4711' };

/** The server lists at most `pageSize` objects at once; S3 lists 1,000. */
export async function startSwift({ pageSize = 1000 } = {}): Promise<SwiftServer> {
  const folder = mkdtempSync(FOLDER);
  const children: ChildProcess[] = [];
  const owner = await ownerOfServers();
  const user = owner ? USER : userInfo().username;
  const stop = async () => {
    await Promise.all(children.map(end));
    rmSync(folder, { recursive: true });
  };
  try {
    mkdirSync(join(folder, 'devices', 'd1'), { recursive: true });
    const [proxy = 0, ...ports] = await freePorts(1 + KINDS.length);
    writeFileSync(join(folder, 'swift.conf'), SWIFT_CONF);
    for (const [i, kind] of KINDS.entries()) {
      const place = { kind, port: ports[i] ?? 0, folder, user };
      writeFileSync(join(folder, `${kind}.conf`), storageConf(place));
    }
    writeFileSync(join(folder, 'proxy.conf'), proxyConf({ port: proxy, folder, user, pageSize }));
    const servers = KINDS.flatMap((kind, i) => [kind, String(ports[i])]);
    await run(PYTHON, ['-c', RINGS, folder, ...servers]);
    if (owner)
      for (const path of ['', ...globSync('**', { cwd: folder })])
        chownSync(join(folder, path), owner.uid, owner.gid);
    for (const kind of [...KINDS, 'proxy'])
      children.push(
        spawn(PYTHON, [join(BIN, `swift-${kind}-server`), join(folder, `${kind}.conf`)], {
          cwd: folder,
          stdio: 'ignore',
          ...owner,
        }),
      );
    await Promise.all([proxy, ...ports].map((port) => answers(port, children)));
    const endpoint = `http://127.0.0.1:${proxy}`;
    return { endpoint, region: 'us-east-1', owner: OWNER, stranger: STRANGER, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = quarry
swift_hash_path_prefix = quarry
[storage-policy:0]
name = Policy-0
default = yes
`;

interface ServerPlace {
  readonly port: number;
  readonly folder: string;
  readonly user: string;
}

const common = ({ port, folder, user }: ServerPlace): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
swift_dir = ${folder}
user = ${user}
log_level = ERROR
log_address = /nonexistent
`;

const storageConf = ({
  kind,
  ...place
}: ServerPlace & { readonly kind: string }) => `${common(place)}
devices = ${join(place.folder, 'devices')}
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;

/** Nothing listens at the address of the cache, without which Swift asks its own servers again. */
const proxyConf = ({
  pageSize,
  ...place
}: ServerPlace & { readonly pageSize: number }) => `${common(place)}
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_bucket_listing = ${pageSize}
[filter:tempauth]
use = egg:swift#tempauth
user_acme_ann = ${OWNER.secret_access_key} .admin
user_acme_bob = ${STRANGER.secret_access_key}
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
${['catch_errors', 'listing_formats', 'copy', 'slo', 'dlo', 'symlink']
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`)
  .join('')}`;

/**
 * A ring tells where the data of a server lies: here on one device. One process makes all rings, because Python starts
 * slowly.
 */
const RINGS = `
import sys
from swift.common.ring import RingBuilder
folder, *servers = sys.argv[1:]
for kind, port in zip(servers[::2], servers[1::2]):
    builder = RingBuilder(2, 1, 0)
    place = {'ip': '127.0.0.1', 'port': int(port)}
    replication = {'replication_' + name: value for name, value in place.items()}
    device = {'region': 1, 'zone': 1, 'device': 'd1', 'weight': 1.0, 'meta': ''}
    builder.add_dev({**place, **replication, **device})
    builder.rebalance()
    builder.get_ring().save(folder + '/' + kind + '.ring.gz')
`;

async function ownerOfServers(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, USER])).stdout)),
  );
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${USER}`);
  return { uid, gid };
}

/** The ports are open at the same time, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

const answers = (port: number, children: readonly ChildProcess[]) =>
  until(async () => {
    const ended = children.find(({ exitCode }) => exitCode !== null);
    if (ended) throw new Error(`${ended.spawnargs.join(' ')} ended with ${ended.exitCode}`);
    return fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => undefined,
    );
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await ended;
}
