import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isDataDirLocked, lockDataDir } from './lock.ts';

describe('lockDataDir', () => {
  it('[GEN-25] gives the lock to one process, and to the next one when the first has ended', () => {
    const dir = mkdtempSync(join(tmpdir(), 'quarry-lock-'));
    assert.equal(isDataDirLocked(dir), false);
    const free = lockDataDir(dir);
    assert.equal(isDataDirLocked(dir), true);
    assert.throws(() => lockDataDir(dir), /is in use by another Quarry: .* --data-dir/);
    free();
    assert.equal(isDataDirLocked(dir), false);
    lockDataDir(dir)();
    rmSync(dir, { recursive: true });
  });
});
