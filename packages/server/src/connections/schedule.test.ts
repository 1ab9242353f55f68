import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { defineSource, type Source } from '../sources/define.ts';
import { isFullDue, nextRun, planFullEvery, planSchedule } from './schedule.ts';

const make = (over: Partial<Source>): Source => ({
  ...defineSource({
    shortName: 'test',
    name: 'Test',
    description: '',
    labels: [],
    auth: {},
    config: z.strictObject({}),
    entities: {},
    evidence: [],
    rateLimitLevel: null,
    async *pull() {},
  }),
  ...over,
});
const plain = make({});
const continuous = make({ cursor: z.string(), deletions: 'listed' });
const byField = make({ cursor: z.string(), needsCursorField: true, deletions: 'listed' });
const local = make({ isLocal: true });
const pushed = defineSource({
  shortName: 'pushed',
  name: 'Pushed',
  description: '',
  labels: [],
  auth: {},
  config: z.strictObject({}),
  entities: {},
  evidence: [],
  rateLimitLevel: null,
});
const now = new Date('2026-03-04T05:06:07Z');
const cron = (source: Source, expression: string) =>
  planSchedule(source, { cron: expression }, { now }).cron;

describe('planSchedule', () => {
  it('[JOB-30] [JOB-45] is continuous by default, every 5 minutes, if the source has a log of its changes', () => {
    const planned = (source: Source, input?: Parameters<typeof planSchedule>[1]) => {
      const { cron, continuous } = planSchedule(source, input, { now });
      return [cron, continuous];
    };
    const [often, daily] = ['*/5 * * * *', '6 5 * * *'];
    assert.deepEqual(planned(continuous), [often, true]);
    assert.deepEqual(planned(plain), [daily, false]);
    assert.deepEqual(planned(byField), [daily, false]);
    assert.deepEqual(planned(local), [daily, false]);
    assert.deepEqual(planned(pushed), [null, false]);
    assert.deepEqual(planned(continuous, { continuous: false }), [daily, false]);
    assert.deepEqual(planned(byField, { cursor_field: 'at' }), [daily, false]);
    assert.deepEqual(planned(byField, { continuous: true, cursor_field: 'at' }), [often, true]);
  });

  it('[JOB-31] accepts null for no schedule', () =>
    assert.equal(planSchedule(plain, { cron: null }, { now }).cron, null));

  for (const wrong of [
    '@daily',
    '@hourly',
    '',
    'daily',
    '* * *',
    '0 3 * * * *',
    '61 * * * *',
    '0 3 * * 9',
  ]) {
    it(`[JOB-28] refuses '${wrong}'`, () =>
      assert.throws(() => cron(plain, wrong), { status: 422, message: /five fields/ }));
  }

  it('[JOB-28] refuses a day that never comes', () =>
    assert.throws(() => cron(plain, '0 0 30 2 *'), { status: 422, message: /never fires/ }));

  for (const often of ['* * * * *', '*/30 * * * *', '0,59 3 1 * *', '0-1 0 1 1 *']) {
    it(`[JOB-32] accepts '${often}' only for a continuous sync or a source on this machine`, () => {
      const refused = { status: 422, message: /more often than hourly/ };
      for (const source of [plain, byField]) assert.throws(() => cron(source, often), refused);
      for (const source of [continuous, local]) assert.equal(cron(source, often), often);
      const input = { cron: often, continuous: true };
      assert.equal(planSchedule(byField, input, { now }).cron, often);
      assert.throws(
        () => planSchedule(continuous, { ...input, continuous: false }, { now }),
        refused,
      );
    });
  }

  it('[JOB-32] refuses two runs within one hour, at any time of the check', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-03-01T03:30:00Z') });
    assert.throws(() => cron(plain, '0,59 3 1 * *'), { status: 422, message: /than hourly/ });
  });

  it('[JOB-32] accepts an hourly schedule for every source', () =>
    assert.equal(cron(plain, '17 * * * *'), '17 * * * *'));

  it('[JOB-39] accepts continuous and cursor_field only if the source has cursors', () => {
    assert.throws(() => planSchedule(plain, { continuous: true }, { now }), {
      status: 422,
    });
    assert.throws(() => planSchedule(plain, { cursor_field: 'at' }, { now }), {
      status: 422,
    });
    assert.deepEqual(planSchedule(continuous, { continuous: true, cursor_field: 'at' }, { now }), {
      cron: '*/5 * * * *',
      continuous: true,
      cursorField: 'at',
    });
  });

  it('[JOB-32] refuses to end continuous while the cron runs more often than hourly', () => {
    const current = { cron: '*/5 * * * *', continuous: true, cursorField: 'at' };
    const change = (input: Parameters<typeof planSchedule>[1]) =>
      planSchedule(byField, input, { now, current });
    assert.throws(() => change({ continuous: false }), {
      status: 422,
      message: /more often than hourly/,
    });
    assert.equal(change({ continuous: false, cron: '0 * * * *' }).cron, '0 * * * *');
    // A connection that was created under other rules can still be changed in other fields.
    const older = { ...current, continuous: false };
    assert.equal(
      planSchedule(byField, { cursor_field: 'by' }, { now, current: older }).cron,
      '*/5 * * * *',
    );
  });

  it('[CON-36] refuses a schedule for a source that is pushed', () =>
    assert.throws(() => planSchedule(pushed, { cron: null }, { now }), { status: 422 }));

  it('[CON-19] keeps the fields that a change does not contain', () => {
    const current = { cron: '1 2 * * *', continuous: true, cursorField: 'at' };
    assert.deepEqual(planSchedule(continuous, {}, { now, current }), current);
    // Both values differ from the defaults of a new connection.
    for (const [source, isContinuous] of [
      [continuous, false],
      [byField, true],
    ] as const) {
      const chosen = { ...current, continuous: isContinuous };
      assert.deepEqual(
        planSchedule(source, { cursor_field: 'at' }, { now, current: chosen }),
        chosen,
      );
      assert.deepEqual(planSchedule(source, undefined, { now, current: chosen }), chosen);
    }
    assert.deepEqual(planSchedule(continuous, { cursor_field: null }, { now, current }), {
      ...current,
      cursorField: null,
    });
    assert.deepEqual(planSchedule(continuous, { continuous: false }, { now, current }), {
      ...current,
      continuous: false,
    });
  });
});

describe('nextRun', () => {
  for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York'])
    it(`[JOB-28] [JOB-29] [JOB-30] reads the cron in UTC on a machine in ${zone}`, (t) => {
      const { TZ } = process.env;
      process.env.TZ = zone;
      t.after(() => {
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      });
      const next = nextRun('30 4 * * *', new Date('2026-03-04T05:06:07Z'));
      assert.equal(new Date(next ?? 0).toISOString(), '2026-03-05T04:30:00.000Z');
      assert.equal(planSchedule(plain, undefined, { now }).cron, '6 5 * * *');
    });

  it('[JOB-31] is null without a cron, and for a day that never comes', () => {
    assert.equal(nextRun(null, now), null);
    assert.equal(nextRun('0 0 31 2 *', now), null);
  });
});

describe('planFullEvery', () => {
  it('[JOB-46] is 24 hours by default if the changes of the source do not include deletions, a week if they do, and null for other sources', () => {
    const telling = make({ cursor: z.string(), deletions: 'told' });
    const planned = (source: Source) => planFullEvery(source, undefined, undefined);
    assert.deepEqual([continuous, byField].map(planned), [24, 24]);
    assert.deepEqual([telling, plain, local, pushed].map(planned), [168, null, null, null]);
    assert.equal(planFullEvery(telling, 48, undefined), 48);
    assert.equal(planFullEvery(continuous, null, undefined), null);
  });

  it('[JOB-46] keeps the value when a change does not contain it', () => {
    assert.equal(planFullEvery(continuous, undefined, 6), 6);
    assert.equal(planFullEvery(continuous, undefined, null), null);
    assert.equal(planFullEvery(continuous, null, 6), null);
  });

  it('[JOB-46] refuses hours for a source that is always pulled in full or never pulled', () => {
    for (const source of [plain, pushed]) {
      assert.throws(() => planFullEvery(source, 24, undefined), {
        status: 422,
        message: /full_every/,
      });
      assert.equal(planFullEvery(source, null, undefined), null);
    }
  });
});

describe('isFullDue', () => {
  const HOUR = 3_600_000;
  const MINUTES = HOUR / 12;
  /** The times of its own of this connection begin at 0, and those of the other one in the middle. */
  const [FIRST, MIDDLE] = ['0-00000000', '0-80000000'];
  const due = (
    completedStartedAt: number | null,
    at: number,
    incompleteEndedAt: number | null = null,
    full_every: number | null = 24,
  ) =>
    isFullDue(
      { id: FIRST, full_every },
      { completedStartedAt, incompleteEndedAt, newestCreatedAt: null },
      { now: at, next: at + MINUTES },
    );

  it('[JOB-46] is true when the next run would come too late', () => {
    assert.equal(due(0, 24 * HOUR - MINUTES), false);
    assert.equal(due(0, 24 * HOUR - MINUTES + 1), true);
    assert.equal(due(0, 23 * HOUR), false);
    assert.equal(due(0, 23 * HOUR, null, 1), true);
    assert.equal(due(0, HOUR - MINUTES + 1, null, 1), true);
  });

  it('[JOB-46] is true when there is no next run', () => {
    const isDue = (next: number | null) =>
      isFullDue(
        { id: FIRST, full_every: 24 },
        { completedStartedAt: 0, incompleteEndedAt: null, newestCreatedAt: null },
        { now: 2 * HOUR, next },
      );
    assert.deepEqual([isDue(null), isDue(3 * HOUR)], [true, false]);
  });

  it('[JOB-46] is always false without hours', () =>
    assert.equal(due(0, 999 * HOUR, null, null), false));

  it('[JOB-46] takes times for none that were written before the clock was set back', () => {
    assert.equal(due(31 * HOUR, 30 * HOUR), false);
    assert.equal(due(999 * HOUR, 30 * HOUR), true);
    assert.equal(due(0, 30 * HOUR, 999 * HOUR), true);
    assert.equal(due(0, 20 * HOUR, 999 * HOUR), false);
  });

  it('[JOB-46] is true at different times for connections that have synced without full syncs until now', () => {
    const WEEK = 168 * HOUR;
    const isDue = (
      id: string,
      at: number,
      newestCreatedAt = at - MINUTES,
      ended: number | null = null,
    ) =>
      isFullDue(
        { id, full_every: 168 },
        { completedStartedAt: 0, incompleteEndedAt: ended, newestCreatedAt },
        { now: at, next: at + MINUTES },
      );
    const times = (id: string) =>
      Array.from({ length: WEEK / MINUTES }, (_, i) => 8 * WEEK + HOUR + i * MINUTES).filter((at) =>
        isDue(id, at, at),
      );
    assert.deepEqual(times(FIRST), [9 * WEEK - MINUTES]);
    assert.deepEqual(times(MIDDLE), [8.5 * WEEK - MINUTES]);
    // The service was off at the time of the connection, or for weeks.
    assert.equal(isDue(FIRST, 9 * WEEK + HOUR, 9 * WEEK - HOUR), true);
    assert.equal(isDue(MIDDLE, 9 * WEEK, 8 * WEEK), true);
    // The full sync has failed, and is tried again.
    assert.equal(isDue(MIDDLE, 9 * WEEK, 9 * WEEK - HOUR, 9 * WEEK - 2 * HOUR), true);
    assert.equal(
      isDue(MIDDLE, 1.5 * WEEK, 1.5 * WEEK - MINUTES),
      true,
      'it is late by half a week',
    );
  });

  it('[JOB-46] is true again an hour after the end of a full sync that did not complete', () => {
    assert.equal(due(0, 30 * HOUR, 29 * HOUR + 1), false);
    assert.equal(due(0, 30 * HOUR, 29 * HOUR), true);
  });
});
