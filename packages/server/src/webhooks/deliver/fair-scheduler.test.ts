import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeliveryLimits, DeliverySlots, type EndpointQueue } from './fair-scheduler.ts';

const LIMITS: DeliveryLimits = { total: 8, failing: 4, initial: 1, perEndpoint: 3 };
const queueOf = (name: string, count: number, isFailing = false): EndpointQueue => ({
  subscriptionId: name,
  organizationId: name[0] ?? '',
  isFailing,
  seqs: Array.from({ length: count }, (_, i) => i),
});
const names = (slots: DeliverySlots, queues: readonly EndpointQueue[]) =>
  slots
    .choose(queues)
    .map(({ subscriptionId, seq }) => `${subscriptionId}:${seq}`)
    .join(' ');

/** Returns slots that remember many successes of these endpoints. */
function slotsOf(answering: readonly string[], limits = LIMITS): DeliverySlots {
  const slots = new DeliverySlots(limits);
  for (const name of answering)
    for (let i = 0; i < limits.perEndpoint; i++)
      for (const one of slots.choose([queueOf(name, 1)])) slots.release(one, 'success');
  return slots;
}

describe('the choice of the next deliveries', () => {
  it('organizations take turns, and endpoints within one, the oldest message first', () => {
    const queues = [queueOf('a1', 9), queueOf('a2', 9), queueOf('a3', 9), queueOf('b1', 9)];
    assert.equal(
      names(slotsOf(['a1', 'a2', 'a3', 'b1']), queues),
      'a1:0 b1:0 a2:0 b1:1 a3:0 b1:2 a1:1 a2:1',
    );
  });

  it('an endpoint begins with few slots, gets one more with each success, and begins again after a failure', () => {
    const slots = new DeliverySlots(LIMITS);
    const step = (outcome: 'success' | 'failed' | 'unknown') => {
      const chosen = slots.choose([queueOf('a1', 9)]);
      for (const one of chosen) slots.release(one, outcome);
      return chosen.length;
    };
    assert.deepEqual(
      (['unknown', 'success', 'success', 'success', 'unknown', 'failed', 'success'] as const).map(
        step,
      ),
      [1, 1, 2, 3, 3, 3, 1],
    );
  });

  it('an endpoint never has more than `perEndpoint` slots, even when the others need none', () => {
    const slots = slotsOf(['a1', 'a2']);
    assert.equal(names(slots, [queueOf('a1', 9)]), 'a1:0 a1:1 a1:2');
    assert.deepEqual([slots.full, slots.free], [['a1'], 5]);
    assert.equal(names(slots, [queueOf('a1', 9), queueOf('a2', 1)]), 'a2:0');
  });

  it('the next free slot goes to an endpoint that has none', () => {
    const slots = slotsOf(['a1', 'a2', 'a3'], { ...LIMITS, total: 2 });
    const [first] = slots.choose([queueOf('a1', 2)]);
    assert.ok(first);
    slots.release(first, 'success');
    assert.equal(
      names(
        slots,
        ['a1', 'a2', 'a3'].map((name) => queueOf(name, 9)),
      ),
      'a2:0',
    );
  });

  it('all failing endpoints share `failing` slots', () => {
    const slots = slotsOf(['a9', 'b1']);
    const dead = Array.from({ length: 9 }, (_, i) => queueOf(`a${i}`, 9, true));
    assert.equal(names(slots, dead), 'a0:0 a1:0 a2:0 a3:0');
    assert.equal(
      names(slots, [...dead, queueOf('a9', 9), queueOf('b1', 9)]),
      'a9:0 b1:0 a9:1 b1:1',
    );
    assert.equal(slots.free, 0);
  });

  it('a delivery keeps its slot until it is released, and is not chosen again before that', () => {
    const slots = slotsOf(['a1']);
    const [first] = slots.choose([queueOf('a1', 1)]);
    assert.ok(first);
    assert.equal(names(slots, [queueOf('a1', 1)]), '');
    slots.release(first, 'success');
    assert.deepEqual([slots.free, names(slots, [queueOf('a1', 1)])], [8, 'a1:0']);
  });
});
