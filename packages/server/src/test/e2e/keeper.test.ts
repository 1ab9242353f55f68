/** Several processes share the tokens of one connection, and are killed while they renew them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { openTokenPeer, type TokenPeer } from '../sign-in/token-peer.ts';
import { until } from '../until.ts';
import { openAskers } from './keeper/askers.ts';

type Askers = Awaited<ReturnType<typeof openAskers>>;

const ROUNDS = 20;
const KILLS = 2;

for (const database of DATABASES)
  describe(`tokens that several processes use on ${database.name}`, () => {
    let test: TestDatabase;
    let peer: TokenPeer;
    let askers: Askers;
    before(async () => {
      test = await database.open();
      if (test.url === null) return;
      peer = await openTokenPeer();
      askers = await openAskers(test, peer);
    });
    after(async () => {
      await askers?.close();
      await peer?.close();
      await test.close();
    });

    it(`[AUTH-24] two processes with 20 calls each refresh an expired token once, ${ROUNDS} times`, async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      await askers.signIn();
      const both = [await askers.start(), await askers.start()];
      for (let round = 1; round <= ROUNDS; round++) {
        const answers = await Promise.all(both.map((asker) => asker.ask(20)));
        assert.deepEqual(new Set(answers.flat()), new Set([peer.accessToken]));
        assert.equal(peer.forms.length, round);
        await askers.expire();
      }
      assert.deepEqual(peer.spentTwice, []);
      for (const asker of both) await asker.kill();
    });

    it(`[AUTH-25] kill -9 around a refresh, ${KILLS} times: what was committed stays, and no spent token is sent`, async (t) => {
      if (test.url === null) return t.skip('another process cannot reach the database');
      let kept = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await askers.signIn();
        const before = await askers.version();
        const asker = await askers.start({ isAlone: true });
        // The process dies before, while or after its answer arrives and is stored.
        const dying = Promise.withResolvers<void>();
        peer.instead.push(async (_, response, form) => {
          const when = kill % 5;
          if (when === 0) await asker.kill();
          peer.refresh(response, form);
          if (when === 4) await until(async () => (await askers.version()) > before);
          // The rest dies at some moment between the answer and the commit, or after it.
          if (when > 1) await sleep(kill % 8);
          if (when > 0) await asker.kill();
          dying.resolve();
        });
        void asker.ask(3).catch(() => {});
        await dying.promise;

        const isCommitted = (await askers.version()) > before;
        const requests = peer.forms.length;
        // A claim on PostgreSQL runs out by itself after a minute.
        if (test.kind === 'postgres') await askers.change({ claimed_until: 1 });
        const next = await askers.start({ isAlone: true });
        const [answer = ''] = await next.ask(1);
        if (isCommitted) assert.equal(answer, peer.accessToken);
        else assert.match(answer, /^failed: a process died/);
        assert.equal(peer.forms.length, requests, 'nothing is asked again');
        if (isCommitted) kept++;
        await next.kill();
      }
      assert.deepEqual(peer.spentTwice, []);
      t.diagnostic(`${kept} of ${KILLS} kills came after the commit`);
    });
  });
