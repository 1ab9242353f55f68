import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { defineSource, type Source } from '../sources/define.ts';
import { nextRun, planSchedule } from './schedule.ts';

const make = (over: Partial<Source>): Source => ({
  ...defineSource({
    shortName: 'test',
    name: 'Test',
    description: '',
    labels: [],
    auth: { methods: ['direct'] },
    config: z.strictObject({}),
    entities: {},
    rateLimitLevel: null,
    async *pull() {},
  }),
  ...over,
});
const plain = make({});
const continuous = make({ cursor: z.string() });
const pushed = defineSource({
  shortName: 'pushed',
  name: 'Pushed',
  description: '',
  labels: [],
  auth: { methods: ['direct'] },
  config: z.strictObject({}),
  entities: {},
  rateLimitLevel: null,
});
const now = new Date('2026-03-04T05:06:07Z');
const cron = (source: Source, expression: string) =>
  planSchedule(source, { cron: expression }, now, undefined).cron;

describe('planSchedule', () => {
  it('[JOB-30] is daily at the minute of creation, every 5 minutes for a continuous source', () => {
    assert.equal(planSchedule(plain, undefined, now, undefined).cron, '6 5 * * *');
    assert.equal(planSchedule(continuous, undefined, now, undefined).cron, '*/5 * * * *');
    assert.equal(planSchedule(pushed, undefined, now, undefined).cron, null);
  });

  it('[JOB-31] takes null for no schedule', () =>
    assert.equal(planSchedule(plain, { cron: null }, now, undefined).cron, null));

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
    assert.throws(() => cron(plain, '0 0 30 2 *'), { status: 422, message: /never comes/ }));

  for (const often of ['* * * * *', '*/30 * * * *', '0,59 3 1 * *', '0-1 0 1 1 *']) {
    it(`[JOB-32] takes '${often}' for a continuous source only`, () => {
      assert.throws(() => cron(plain, often), { status: 422, message: /more often than hourly/ });
      assert.equal(cron(continuous, often), often);
    });
  }

  it('[JOB-32] takes exactly hourly for every source', () =>
    assert.equal(cron(plain, '17 * * * *'), '17 * * * *'));

  it('[JOB-39] takes continuous and cursor_field only where the source can go on', () => {
    assert.throws(() => planSchedule(plain, { continuous: true }, now, undefined), {
      status: 422,
    });
    assert.throws(() => planSchedule(plain, { cursor_field: 'at' }, now, undefined), {
      status: 422,
    });
    assert.deepEqual(
      planSchedule(continuous, { continuous: true, cursor_field: 'at' }, now, undefined),
      { cron: '*/5 * * * *', continuous: true, cursorField: 'at' },
    );
  });

  it('[CON-36] takes no schedule for what is pushed', () =>
    assert.throws(() => planSchedule(pushed, { cron: null }, now, undefined), { status: 422 }));

  it('[CON-19] keeps what a change does not name', () => {
    const current = { cron: '1 2 * * *', continuous: true, cursorField: 'at' };
    assert.deepEqual(planSchedule(continuous, {}, now, current), current);
    assert.deepEqual(planSchedule(continuous, { cursor_field: null }, now, current), {
      ...current,
      cursorField: null,
    });
    assert.deepEqual(planSchedule(continuous, { continuous: false }, now, current), {
      ...current,
      continuous: false,
    });
  });
});

describe('nextRun', () => {
  it('[JOB-28] [JOB-29] reads the cron in UTC', () => {
    const next = nextRun('30 4 * * *', new Date('2026-03-04T05:06:07Z'));
    assert.equal(new Date(next ?? 0).toISOString(), '2026-03-05T04:30:00.000Z');
  });

  it('[JOB-31] is null without a cron, and for a day that never comes', () => {
    assert.equal(nextRun(null, now), null);
    assert.equal(nextRun('0 0 31 2 *', now), null);
  });
});
