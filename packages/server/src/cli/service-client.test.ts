import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { portIn } from './service-client.ts';

describe('portIn', () => {
  it('knows the port that an address leaves out', () => {
    assert.deepEqual(
      ['http://127.0.0.1:4680', 'http://127.0.0.1:80', 'https://q.example.com', 'http://[::1]'].map(
        portIn,
      ),
      [4680, 80, 443, 80],
    );
  });
});
