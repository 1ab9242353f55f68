import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
