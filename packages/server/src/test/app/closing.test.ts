import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import pino from 'pino';
import { openProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { isDataDirLocked } from '../../db/lock.ts';

it('a part that cannot be closed keeps no other part open', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-closing-'));
  const lines: { msg: string; err?: { message: string } }[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const config = readConfig({ QUARRY_DATA_DIR: dir });
  try {
    const quarry = await openProcess(config, {
      log,
      threads: false,
      onFatal: (error) => assert.fail(error),
    });
    assert.equal(isDataDirLocked(dir), true);
    quarry.api.addHook('onClose', async () => {
      throw new Error('the API stays open');
    });
    await assert.rejects(quarry.close(), /the API stays open/);
    assert.equal(isDataDirLocked(dir), false);
    assert.deepEqual(
      lines.map(({ msg, err }) => [msg, err?.message]),
      [['a part could not be closed', 'the API stays open']],
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
});
