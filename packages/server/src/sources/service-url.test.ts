import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ImapCredentials } from './imap/settings.ts';
import { MysqlCredentials } from './mysql/credentials.ts';
import { ServiceUrl } from './service-url.ts';

describe('the address of a service', () => {
  it('must use TLS, or be on this machine', () => {
    for (const url of [
      'https://api.github.com',
      'https://git.acme.example/api/v3/',
      'http://127.0.0.1:8080/api',
      'http://localhost:1',
      'http://[::1]:1',
    ])
      assert.ok(ServiceUrl.safeParse(url).success, url);
    for (const url of [
      'http://api.github.com',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'ftp://127.0.0.1',
      'api.github.com',
      '',
    ])
      assert.ok(!ServiceUrl.safeParse(url).success, url);
  });

  it('must contain neither credentials nor a query', () => {
    for (const url of [
      'https://me:pw@a.example',
      'https://me@a.example',
      'https://:pw@a.example',
      'https://a.example?x=1',
      'https://a.example#x',
    ])
      assert.ok(!ServiceUrl.safeParse(url).success, url);
  });
});

describe('the host of a server', () => {
  const hosts = ['db', 'mail.example.org', '10.0.0.1', '::1', 'fe80::1'];
  const others = ['mail.example.org:993', '127.0.0.1:', 'imap://mail.example.org', 'https://db:5'];
  const faultsOf = (host: string) => [
    ImapCredentials.safeParse({ host, user: 'ann', password: 'x' }).error?.issues.map(placeOf),
    MysqlCredentials.safeParse({
      host,
      user: 'ann',
      password: 'x',
      database: 'd',
    }).error?.issues.map(placeOf),
  ];
  const placeOf = ({ path, message }: { path: PropertyKey[]; message: string }) =>
    `${path.join('.')} ${message}`;

  it('has neither a protocol nor a port', () => {
    for (const host of hosts) assert.deepEqual(faultsOf(host), [undefined, undefined], host);
    const fault = ['host is not a host alone: leave out the protocol, and put the port into port'];
    for (const host of others) assert.deepEqual(faultsOf(host), [fault, fault], host);
  });
});
