/** Tests which starts make a link that signs the owner in. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pino from 'pino';
import { openProcess } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { caller } from '../inject.ts';

for (const { name, open } of DATABASES)
  describe(`the link of a start on ${name}`, () => {
    const isEmbedded = name === 'sqlite';
    const title = isEmbedded
      ? '[MEM-10] every start makes one'
      : '[MEM-10] only the first start makes one, and further processes keep it';
    it(title, async () => {
      const database = await open();
      const dir = mkdtempSync(join(tmpdir(), 'quarry-link-'));
      const start = () =>
        openProcess(readConfig({ QUARRY_DATA_DIR: dir }), {
          log: pino({ level: 'silent' }),
          threads: false,
          database,
          onFatal: (error) => assert.fail(error),
        });
      const first = await start();
      const link = must(await first.startLink());
      await first.close();
      const second = await start();
      assert.equal((await second.startLink()) !== null, isEmbedded);
      const token = must(/#token=(.*)$/.exec(link.url)?.[1]);
      const call = caller(second.api, '');
      const { status } = await call('POST', '/v1/auth/start', { body: { token }, key: null });
      assert.equal(status, isEmbedded ? 401 : 200);
      await second.close();
      await database.close();
      rmSync(dir, { recursive: true, force: true });
    });
  });
