import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deviceOf } from './device.ts';

describe('the device of a session', () => {
  for (const [userAgent, name] of [
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Firefox on Windows',
    ],
  ] as const)
    it(`is ${name}`, () => assert.equal(deviceOf(userAgent), name));

  it('is the text itself of a program that nobody knows', () =>
    assert.equal(deviceOf('backup-tool 1.2'), 'backup-tool 1.2'));

  it('is unknown without a text', () => {
    assert.equal(deviceOf(null), 'Unknown browser');
    assert.equal(deviceOf(''), 'Unknown browser');
  });
});
