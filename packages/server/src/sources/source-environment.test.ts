import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, it } from 'node:test';
import { SourceError } from '../errors.ts';
import { bindMount } from '../test/bind-mount.ts';
import { ownFiles } from './own-files.ts';
import { createSourceEnvironment } from './source-environment.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quarry-environment-')));
const at = (...parts: string[]) => join(folder, ...parts);
mkdirSync(at('root/sub'), { recursive: true });
mkdirSync(at('root-2'));
mkdirSync(at('outside'));
mkdirSync(at('root/data/inner/deep'), { recursive: true });
for (const file of ['root/data/encryption.key', 'root/data/inner/deep/file'])
  writeFileSync(at(file), '');
for (const file of ['root/a.txt', 'root/..odd', 'root/sub/b.txt', 'outside/secret', 'root-2/c.txt'])
  writeFileSync(at(file), '');
symlinkSync(at('outside'), at('root/way-out'));
symlinkSync(at('root/sub'), at('root/way-in'));
symlinkSync(at('root'), at('link-to-root'));
symlinkSync(at('root/data'), at('root/way-to-data'));
symlinkSync(at('root/data/encryption.key'), at('root/way-to-key'));
describe('the environment of sources', () => {
  after(() => rmSync(folder, { recursive: true }));

  const NAMES: Readonly<Record<string, string[]>> = {
    'db.example.com': ['93.184.216.34'],
    'both.example.com': ['93.184.216.34', '2606:4700::1111'],
    'rebound.example.com': ['93.184.216.34', '127.0.0.1'],
    'inner.example.com': ['10.1.2.3'],
    'inner6.example.com': ['fd12::5'],
    'mapped.example.com': ['::ffff:10.1.2.3'],
    'empty.example.com': [],
  };
  const asked: string[] = [];
  async function resolveName(host: string): Promise<string[]> {
    asked.push(host);
    const addresses = NAMES[host];
    if (!addresses) throw new Error('ENOTFOUND');
    return addresses;
  }

  const open = (
    options: {
      networks?: string[];
      roots?: string[];
      singleUser?: boolean;
      loopback?: boolean;
    } = {},
  ) =>
    createSourceEnvironment(
      {
        singleUser: options.singleUser ?? false,
        QUARRY_DATA_DIR: at('root/data'),
        QUARRY_SOURCE_NETWORKS: options.networks ?? [],
        QUARRY_FILES_ROOTS: options.roots ?? [],
        QUARRY_ALLOW_LOOPBACK: options.loopback ?? false,
      },
      resolveName,
    );

  describe('cloud services that sources may reach', () => {
    const reach = async (host: string, options: Parameters<typeof open>[0]) => {
      const signal = AbortSignal.timeout(10_000);
      const request = { method: 'GET', headers: {}, body: null, signal };
      return open(options).send(new URL(`http://${host}/`), request);
    };

    for (const singleUser of [true, false])
      it(`[GEN-34] must have a public address, ${singleUser ? 'for one user' : 'for many'}`, async () => {
        for (const host of [
          '127.0.0.1:8099',
          '[::1]:8099',
          '[::ffff:127.0.0.1]:8099',
          '0x7f.1:8099',
          '2130706433:8099',
          '10.0.0.1',
          '169.254.169.254',
          'inner.example.com',
          'rebound.example.com',
          'mapped.example.com',
        ])
          await assert.rejects(
            reach(host, { singleUser, networks: ['10.0.0.0/8'] }),
            ({ cause }: Error) =>
              cause instanceof SourceError && /a cloud service must be at one/.test(cause.message),
            host,
          );
      });

    it('[GEN-34] may be on this machine when the operator allows it', async () => {
      const server = createServer((_, response) => response.end('here'));
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const { port } = server.address() as AddressInfo;
      for (const singleUser of [true, false])
        assert.equal(
          (await reach(`127.0.0.1:${port}`, { singleUser, loopback: true })).status,
          200,
        );
      await assert.rejects(reach('10.0.0.1', { loopback: true }), /fetch failed/);
      server.closeAllConnections();
      server.close();
    });
  });

  describe('hosts that sources may reach', () => {
    it('[GEN-35] may be any host in a single-user install', async () => {
      const { allowHost } = open({ singleUser: true });
      for (const host of [
        '127.0.0.1',
        'localhost',
        '169.254.169.254',
        '/var/run/postgresql',
        'db.local',
      ])
        assert.equal(await allowHost(host), host);
      assert.equal(await allowHost('[::1]'), '::1');
      assert.ok(!asked.includes('db.local'));
    });

    it('[GEN-36] are connected to at the public address that was checked', async () => {
      const { allowHost } = open();
      assert.equal(await allowHost('db.example.com'), '93.184.216.34');
      assert.equal(await allowHost('both.example.com'), '93.184.216.34');
      assert.equal(await allowHost('8.8.8.8'), '8.8.8.8');
      assert.equal(await allowHost('[2606:4700::1111]'), '2606:4700::1111');
    });

    it('[GEN-36] are refused at a private address, in every notation', async () => {
      const { allowHost } = open();
      const refused = [
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0177.0.0.1',
        '0x7f.0.0.1',
        '0.0.0.0',
        '0',
        '10.0.0.1',
        '172.16.0.1',
        '192.168.1.1',
        '100.64.0.1',
        '169.254.169.254',
        '192.0.2.1',
        '198.18.0.1',
        '224.0.0.1',
        '240.0.0.1',
        '255.255.255.255',
        '::',
        '::1',
        '[::1]',
        '::127.0.0.1',
        '[::127.0.0.1]',
        '::7f00:1',
        '::5db8:d822',
        '::ffff:127.0.0.1',
        '::ffff:7f00:1',
        '64:ff9b::7f00:1',
        '2002:7f00:1::',
        '2001:db8::1',
        'fe80::1',
        'fe80::1%eth0',
        'fc00::1',
        'fd12::5',
        'ff02::1',
        'inner.example.com',
        'inner6.example.com',
        'mapped.example.com',
        'rebound.example.com',
      ];
      for (const host of refused)
        await assert.rejects(
          allowHost(host),
          {
            name: 'SourceError',
            kind: 'config',
            message: `the host ${host} is not at a public address: its network must be in QUARRY_SOURCE_NETWORKS, which the operator sets`,
          },
          host,
        );
      // Only the log of the operator contains the address to which a host name resolves.
      await assert.rejects(allowHost('rebound.example.com'), (error: Error) => {
        assert.doesNotMatch(error.message, /127\.0\.0\.1/);
        return (error.cause as Error).message === 'rebound.example.com is at 127.0.0.1';
      });
    });

    it('[GEN-36] are allowed within QUARRY_SOURCE_NETWORKS, and refused right beside it', async () => {
      const { allowHost } = open({ networks: ['10.1.2.0/30', 'fd12::/16', '127.0.0.1/32'] });
      assert.equal(await allowHost('inner.example.com'), '10.1.2.3');
      assert.equal(await allowHost('mapped.example.com'), '10.1.2.3');
      assert.equal(await allowHost('inner6.example.com'), 'fd12::5');
      assert.equal(await allowHost('2130706433'), '127.0.0.1');
      assert.equal(await allowHost('rebound.example.com'), '93.184.216.34');
      for (const host of ['10.1.2.4', 'fd13::1', '127.0.0.2'])
        await assert.rejects(allowHost(host), { kind: 'config' }, host);
    });

    it('[GEN-36] cause a transient error when their name has no address', async () => {
      for (const host of ['nowhere.example.com', 'empty.example.com'])
        await assert.rejects(open().allowHost(host), {
          kind: 'transient',
          message: `the host ${host} does not resolve to an address`,
        });
    });

    it('[GEN-36] may not be sockets of the machine', async () => {
      await assert.rejects(open({ networks: ['0.0.0.0/0'] }).allowHost('/var/run/postgresql'), {
        kind: 'config',
        message: /^the socket \/var\/run\/postgresql may not be used/,
      });
    });
  });

  describe('paths that sources may read', () => {
    it('[GEN-35] may be anywhere in a single-user install, and are resolved to the real path', async () => {
      const { allowPath } = open({ singleUser: true });
      assert.equal(await allowPath(at('root/way-out/secret')), at('outside/secret'));
      await assert.rejects(allowPath(at('nothing')), {
        kind: 'config',
        message: `the path ${at('nothing')} does not exist`,
      });
    });

    it('[GEN-37] may be below a root, or a root itself', async () => {
      const { allowPath } = open({ roots: [at('missing'), at('root')] });
      assert.equal(await allowPath(at('root')), at('root'));
      assert.equal(await allowPath(`${at('root')}/sub/../a.txt`), at('root/a.txt'));
      assert.equal(await allowPath(at('root/..odd')), at('root/..odd'));
      assert.equal(await allowPath(at('root/way-in/b.txt')), at('root/sub/b.txt'));
      await assert.rejects(allowPath(at('root/nothing')), { message: /does not exist$/ });
    });

    it('[GEN-37] are refused anywhere else, whether they exist or not', async () => {
      const { allowPath } = open({ roots: [at('root')] });
      const refused = [
        at('outside/secret'),
        at('outside/nothing'),
        at('root-2/c.txt'),
        `${at('root')}/../outside/secret`,
        at('root/way-out/secret'),
        folder,
        '/',
      ];
      for (const path of refused)
        await assert.rejects(allowPath(path), {
          name: 'SourceError',
          kind: 'config',
          message: `the path ${path} may not be read: others may use this service, so the operator must set QUARRY_FILES_ROOTS to its folder or to one above it`,
        });
    });

    it('[GEN-37] are all refused without a root', async () => {
      await assert.rejects(open().allowPath(at('root/a.txt')), { kind: 'config' });
    });

    it('[GEN-37] may be below the target of a root that is a link, by both names', async () => {
      const { allowPath } = open({ roots: [at('link-to-root')] });
      assert.equal(await allowPath(at('link-to-root/a.txt')), at('root/a.txt'));
      assert.equal(await allowPath(at('root/a.txt')), at('root/a.txt'));
      await assert.rejects(allowPath(at('outside/secret')), { kind: 'config' });
    });

    for (const singleUser of [true, false]) {
      const refused = async (path: string) =>
        assert.rejects(
          open({ singleUser, roots: [folder] }).allowPath(path),
          {
            name: 'SourceError',
            kind: 'config',
            message: `the path ${path} may not be read: it lies in the data directory of Quarry or in its folder of backups, which hold its keys and its database`,
          },
          path,
        );

      it(`[CON-41] may not be in the data directory, by any path, ${singleUser ? 'for one user' : 'for many'}`, async () => {
        for (const path of [
          'root/data',
          'root/data/',
          'root/./sub/../data',
          'root/data/encryption.key',
          'root/data/inner',
          'root/data/inner/deep/file',
          'root/way-to-data',
          'root/way-to-data/inner',
          'root/way-to-key',
          'link-to-root/data',
        ])
          await refused(`${folder}/${path}`);
        const { allowPath } = open({ singleUser, roots: [folder] });
        assert.equal(await allowPath(at('root')), at('root'));
      });

      it(`[CON-41] may not be in a mount of the data directory, ${singleUser ? 'for one user' : 'for many'}`, (t) =>
        bindMount(t, at('root/data'), at('mounted'), async () => {
          await refused(at('mounted'));
          await refused(at('mounted/inner/deep'));
          await refused(at('mounted/encryption.key'));
        }));

      it(`[CON-41] may not be in a mount of a part of the data directory, ${singleUser ? 'for one user' : 'for many'}`, (t) =>
        bindMount(t, at('root/data/inner'), at('mounted-part'), async () => {
          await refused(at('mounted-part'));
          await refused(at('mounted-part/deep'));
        }));
    }

    it('[CON-41] are recognized as files of Quarry by device and inode, also behind a hard link', async () => {
      linkSync(at('root/data/encryption.key'), at('root/harmless.txt'));
      const isOwn = await open({ singleUser: true }).ownFiles();
      const own = (path: string) => isOwn(statSync(at(path), { bigint: true }));
      assert.ok(own('root/harmless.txt') && own('root/data') && own('root/data/inner'));
      assert.ok(!own('root/a.txt') && !own('root'));
    });

    it('[CON-41] are not files of Quarry when the data directory does not exist', async () => {
      const isOwn = await ownFiles(at('nothing'));
      assert.equal(isOwn(statSync(at('root'), { bigint: true })), false);
    });

    it('[CON-41] are all refused when the data directory cannot be read', async () => {
      await assert.rejects(ownFiles(at('root/a.txt')), {
        kind: 'config',
        message: `the folder ${at('root/a.txt')} of Quarry cannot be read: ENOTDIR`,
      });
    });

    it('are refused when they are relative or contain a zero byte', async () => {
      const path = relative(process.cwd(), at('root'));
      await assert.rejects(open({ singleUser: true }).allowPath(path), {
        kind: 'config',
        message: `the path ${path} is relative: give it from the root`,
      });
      await assert.rejects(open({ singleUser: true }).allowPath('/tmp/\0'), { kind: 'config' });
    });
  });
});
