/** Plays a few kills. `npm run faults -- --webhooks` plays many kills. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES } from '../../databases.ts';
import { playKills } from './play.ts';

for (const database of DATABASES)
  describe(`kill -9 during deliveries on ${database.name}`, () => {
    it('[DLV-10] every message arrives, and few messages arrive twice', async (t) => {
      const test = await database.open();
      const { url } = test;
      if (url === null) {
        await test.close();
        return t.skip('another process cannot reach it');
      }
      const outcome = await playKills({ ...test, url }, { kills: 2, messages: 15 });
      assert.equal(outcome.deliveries, 150);
    });
  });
