import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { trimCache } from './compile-cache.ts';

it('the oldest entries of the cache of compiled code are removed once it is too large', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'quarry-compiled-'));
  try {
    fs.mkdirSync(join(folder, 'v24'));
    for (const [name, madeAt] of Object.entries({ b: 2, d: 4, a: 1, c: 3 })) {
      fs.writeFileSync(join(folder, 'v24', name), 'x'.repeat(100));
      fs.utimesSync(join(folder, 'v24', name), madeAt, madeAt);
    }
    trimCache(folder, 400);
    assert.equal(fs.readdirSync(join(folder, 'v24')).length, 4);
    trimCache(folder, 299);
    assert.deepEqual(fs.readdirSync(join(folder, 'v24')).toSorted(), ['c', 'd']);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  trimCache(folder, 0);
});
