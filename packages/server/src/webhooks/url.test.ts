import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOSTILE_URLS } from '../test/webhooks/hostile.ts';
import { refusalOf } from './url.ts';

describe('the check of the URL of an endpoint', () => {
  it('[WHK-07] [WHK-27] refuses a private address in every notation', () => {
    for (const url of HOSTILE_URLS.literal) assert.ok(refusalOf(url, false), url);
  });

  it('[WHK-07] accepts https to a public address or to a name', () => {
    for (const url of [
      'https://example.com/hooks?a=1#b',
      'https://example.com:8443/',
      'https://93.184.216.34/',
      'https://[2606:4700::1111]/',
      // A name passes here because the connection checks the address to which it resolves.
      'https://localhost/',
      'https://127.0.0.1.nip.io/',
    ])
      assert.equal(refusalOf(url, false), undefined, url);
  });

  it('[WHK-07] allows this machine only when loopback is allowed', () => {
    for (const url of [
      'http://127.0.0.1:8080/hook',
      'http://localhost:8080/',
      'http://[::1]/',
      'https://127.0.0.1/',
    ])
      assert.equal(refusalOf(url, true), undefined, url);
    for (const url of [
      'http://example.com/',
      'http://10.0.0.1/',
      'https://10.0.0.1/',
      'https://169.254.169.254/',
      'ftp://127.0.0.1/',
    ])
      assert.ok(refusalOf(url, true), url);
  });
});
