import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { DATABASES, type TestDatabase } from '../test/databases.ts';
import { must, newId } from '../util.ts';
import { createAdmissions } from './admissions.ts';
import type { SourceQuota } from './quotas.ts';

const START = 1_800_000_000_000;
const quotaOf = (over: Partial<Omit<SourceQuota, 'window'>> = {}): SourceQuota => ({
  window: { organizationId: newId(), shortName: 'cloud', connectionId: '' },
  limit: 3,
  windowSeconds: 10,
  ...over,
});
const impatient = { connectionId: 'one', waits: false };
const waiting = (connectionId: string) => ({ connectionId, waits: true });

for (const database of DATABASES)
  describe(`admissions on ${database.name}`, () => {
    let test: TestDatabase;
    /** This is the time of the database, in milliseconds. */
    let clock = START;
    before(async () => {
      test = await database.open();
    });
    after(() => test.close());

    const open = (now = () => 0) =>
      createAdmissions({
        db: test.db,
        kind: test.kind,
        now,
        databaseNow: () => sql<number>`cast(${clock} as bigint)`,
      });
    const secondsOf = async (...asked: Parameters<ReturnType<typeof open>['admit']>) => {
      const refusal = await open().admit(...asked);
      return refusal === undefined ? 0 : refusal.retryMs / 1000;
    };
    const rowsOf = async ({ window }: SourceQuota) =>
      test.db
        .selectFrom('source_admissions')
        .innerJoin('source_windows', 'source_windows.id', 'source_admissions.window_id')
        .select(['seq', 'at', 'source_admissions.connection_id'])
        .where('organization_id', '=', window.organizationId)
        .orderBy('seq')
        .execute();

    it('[LIM-12] [LIM-14] admits as many requests as a simple count allows, and says when the oldest one leaves the window', () => {
      const step = fc.oneof(fc.nat(400), fc.nat(3000), fc.constant(999), fc.constant(1000));
      return fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 6 }),
          fc.integer({ min: 1, max: 3 }),
          fc.array(step, { minLength: 1, maxLength: 60 }),
          async (limit, windowSeconds, steps) => {
            const quota = quotaOf({ limit, windowSeconds });
            const admissions = open();
            const admitted: number[] = [];
            for (const ms of steps) {
              clock += ms;
              const counted = admitted.filter((at) => at > clock - windowSeconds * 1000);
              const expected =
                counted.length < limit
                  ? undefined
                  : Math.max(100, must(counted[0]) + windowSeconds * 1000 - clock);
              const refusal = await admissions.admit([quota], impatient);
              assert.equal(refusal?.retryMs, expected);
              if (!refusal) admitted.push(clock);
            }
          },
        ),
        { numRuns: 20 },
      );
    });

    it('[LIM-12] [LIM-22] requests of several processes at the same time are counted together', async () => {
      const quota = quotaOf({ limit: 25 });
      const processes = [open(), open(), open()];
      const asked = Array.from({ length: 60 }, (_, i) =>
        must(processes[i % 3]).admit([quota], { connectionId: `${i % 3}`, waits: false }),
      );
      const refusals = await Promise.all(asked);
      assert.equal(refusals.filter((refusal) => refusal === undefined).length, 25);
      const rows = await rowsOf(quota);
      assert.deepEqual(
        rows.map(({ seq }) => seq),
        Array.from({ length: 25 }, (_, i) => i + 1),
      );
    });

    it('[LIM-11] windows of other connections and organizations have room of their own', async () => {
      const quota = quotaOf({ limit: 1 });
      const { window } = quota;
      const others = [
        { ...window, connectionId: 'two' },
        { ...window, shortName: 'other' },
        { ...window, organizationId: newId() },
      ];
      for (const one of [window, ...others])
        assert.equal(await secondsOf([{ ...quota, window: one }], impatient), 0);
      for (const one of [window, ...others])
        assert.equal(await secondsOf([{ ...quota, window: one }], impatient), 10);
    });

    it('[LIM-17] a request that counts in two windows is admitted to both or to neither', async () => {
      const [source, proxy] = [quotaOf({ limit: 5 }), quotaOf({ limit: 2, windowSeconds: 60 })];
      for (let i = 0; i < 2; i++) assert.equal(await secondsOf([source, proxy], impatient), 0);
      const refusal = await open().admit([source, proxy], impatient);
      assert.deepEqual([refusal?.quota, refusal?.retryMs], [proxy, 60_000]);
      assert.deepEqual([(await rowsOf(source)).length, (await rowsOf(proxy)).length], [2, 2]);
    });

    it('[LIM-12] a clock that is set back admits no additional request, and delays none for longer than a window', async () => {
      const quota = quotaOf({ limit: 2 });
      assert.equal(await secondsOf([quota], impatient), 0);
      clock += 4000;
      assert.equal(await secondsOf([quota], impatient), 0);
      clock -= 3_600_000;
      assert.equal(
        await secondsOf([quota], impatient),
        6,
        'the wait is the same as if no time had passed',
      );
      clock += 6000;
      assert.equal(await secondsOf([quota], impatient), 0);
      assert.equal(await secondsOf([quota], impatient), 4);
      clock += 3_600_000;
    });

    it('[LIM-12] removes admissions that have left the window, a few at a time, but never the newest', async () => {
      const quota = quotaOf({ limit: 200 });
      const admissions = open();
      const ask = async (times: number) => {
        for (let i = 0; i < times; i++)
          assert.equal(await admissions.admit([quota], impatient), undefined);
      };
      await ask(150);
      assert.equal((await rowsOf(quota)).length, 150);
      clock += 10_000;
      const left: number[] = [];
      for (let i = 0; i < 4; i++) {
        await ask(32);
        left.push((await rowsOf(quota)).length);
      }
      assert.deepEqual(left, [118, 86, 96, 128]);
      clock += 10_000;
      await ask(1);
      assert.equal((await rowsOf(quota)).at(-1)?.seq, 150 + 4 * 32 + 1);
    });

    it('an admission that arrives too late is requested again, and counts only once', async () => {
      const quota = quotaOf({ limit: 1 });
      // Each request reads the clock twice. The first two answers arrive too late, because the
      // thread is busy.
      const late = [0, 60, 60, 120].values();
      const admissions = open(() => late.next().value ?? 120);
      assert.equal(await admissions.admit([quota], impatient), undefined);
      assert.equal((await rowsOf(quota)).length, 3);
      assert.equal(await secondsOf([quota], impatient), 10);
      const roomy = quotaOf({ limit: 3 });
      assert.equal(await secondsOf([roomy], impatient), 0);
      const lateAtFirst = [0, 60, 60].values();
      const busyAtFirst = open(() => lateAtFirst.next().value ?? 60);
      assert.equal(await busyAtFirst.admit([roomy], impatient), undefined);
      assert.equal((await rowsOf(roomy)).length, 3);
      let now = 0;
      const alwaysBusy = open(() => {
        now += 100;
        return now;
      });
      assert.equal(await alwaysBusy.admit([quotaOf({ limit: 1 })], impatient), undefined);
    });

    describe('turns', () => {
      const ask = (quota: SourceQuota, name: string) => secondsOf([quota], waiting(name));

      it('[LIM-11] the connection that has waited longest comes first, even if another one asks more often', async () => {
        const quota = quotaOf({ limit: 1 });
        assert.equal(await ask(quota, 'large'), 0);
        clock += 1000;
        assert.equal(await ask(quota, 'small'), 9);
        clock += 1000;
        assert.equal(await ask(quota, 'large'), 8);
        clock += 8000;
        assert.equal(await ask(quota, 'large'), 0.1, 'the turn of small has come');
        clock += 300;
        assert.equal(await ask(quota, 'small'), 0);
        assert.equal(await ask(quota, 'large'), 10);
        assert.equal(await ask(quota, 'small'), 10);
        clock += 10_000;
        assert.equal(await ask(quota, 'small'), 0.1, 'large has waited longer');
        assert.equal(await ask(quota, 'large'), 0);
      });

      it('[LIM-11] a connection with many requests leaves an equal share to each waiting connection', async () => {
        const quota = quotaOf({ limit: 12 });
        const burst = async (name: string) => {
          let admitted = 0;
          while ((await ask(quota, name)) === 0) admitted++;
          return admitted;
        };
        assert.equal(await burst('large'), 12);
        clock += 5000;
        assert.equal(await ask(quota, 'second'), 5);
        clock += 1000;
        assert.equal(await ask(quota, 'third'), 4);
        // All twelve requests leave the window at once.
        clock += 4000;
        assert.equal(await burst('large'), 4, 'large has waited longest, but only for one request');
        assert.equal(await burst('second'), 4);
        assert.equal(await burst('third'), 4);
      });

      it('[LIM-11] the turn of a connection that does not come back ends after 5 seconds', async () => {
        const quota = quotaOf({ limit: 2 });
        for (let i = 0; i < 2; i++) assert.equal(await ask(quota, 'large'), 0);
        assert.equal(await ask(quota, 'gone'), 10);
        clock += 14_999;
        assert.equal(await ask(quota, 'large'), 0);
        assert.equal(await ask(quota, 'large'), 0.1);
        clock += 1;
        assert.equal(await ask(quota, 'large'), 0);
      });

      it('[LIM-21] a refused live search or check does not keep a turn', async () => {
        const quota = quotaOf({ limit: 1 });
        assert.equal(await ask(quota, 'large'), 0);
        assert.equal(await secondsOf([quota], impatient), 10);
        clock += 10_000;
        assert.equal(await ask(quota, 'large'), 0);
      });

      it('[LIM-11] each of ten connections gets its share of every window', async () => {
        const quota = quotaOf({ limit: 20 });
        const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
        const admitted = new Map<string, number>();
        // The first connection asks four times as often as the others, and always first.
        for (let round = 0; round < 60; round++) {
          for (const name of ['c0', 'c0', 'c0', ...names])
            if ((await ask(quota, name)) === 0) admitted.set(name, (admitted.get(name) ?? 0) + 1);
          clock += 1000;
        }
        for (const name of names.slice(1))
          assert.ok(must(admitted.get(name)) >= 8, `${name}: ${admitted.get(name)}`);
      });
    });
  });
