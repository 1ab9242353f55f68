import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientNetwork, isConfidential, isLoopback, isPrivateAddress } from './addresses.ts';

describe('addresses', () => {
  it('of this machine are loopback in every notation', () => {
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.8.9.10',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '::1',
      '[::1]',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '[::ffff:7f00:1]',
    ])
      assert.ok(isLoopback(host), host);
  });

  it('of other machines, unspecified addresses, and texts that only look like this machine are not loopback', () => {
    for (const host of [
      '',
      '0.0.0.0',
      '::',
      '128.0.0.1',
      '::2',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.localhost.example',
      '/var/run/socket',
    ])
      assert.ok(!isLoopback(host), host);
  });

  it('may receive secrets over HTTPS, and on this machine also over HTTP', () => {
    for (const url of [
      'https://a.example',
      'https://10.0.0.1',
      'http://localhost:1',
      'http://[::1]',
    ])
      assert.ok(isConfidential(new URL(url)), url);
    for (const url of ['http://a.example', 'http://10.0.0.1', 'ftp://localhost', 'ws://127.0.0.1'])
      assert.ok(!isConfidential(new URL(url)), url);
  });

  it('are private when they are not public, but a name never counts as private, because its addresses are checked when it is resolved', () => {
    for (const host of ['10.0.0.1', '127.0.0.1', '[fe80::1]', '169.254.169.254', '[::7f00:1]'])
      assert.ok(isPrivateAddress(host), host);
    for (const host of ['93.184.216.34', '[2606:4700::1111]', 'localhost', 'a.example'])
      assert.ok(!isPrivateAddress(host), host);
  });

  it('of IPv6 belong to one client within a network of 64 bits, and those of IPv4 do not', () => {
    for (const [address, network] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
      ['fe80::1%eth0', 'fe80::/64'],
      ['192.0.2.1:4711', 'unknown'],
      ['', 'unknown'],
    ] as const)
      assert.equal(clientNetwork(address), network);
  });
});
