import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Attempt,
  canBeResent,
  deliveriesOf,
  deliveryState,
  EVENT_GROUPS,
  EVENT_NAMES,
  eventName,
  eventsInWords,
  outcomeOf,
  subscriptionState,
} from './webhooks.ts';

const attempt = (more: Partial<Attempt>): Attempt => ({
  id: 'a',
  message_id: 'm',
  event_type: 'sync.failed',
  endpoint_id: 'e',
  status: 'failed',
  response: '',
  response_status_code: 0,
  error: 'The endpoint refused the connection.',
  timestamp: '2026-11-28T10:00:00.000Z',
  duration_ms: 3,
  url: 'https://hooks.example.com/',
  ...more,
});

describe('the words of webhooks', () => {
  it('name events, and leave unknown ones as they are', () => {
    assert.equal(eventName('sync.failed'), 'A sync has failed');
    assert.equal(eventName('test'), 'Test message');
    assert.equal(eventName('moon.risen'), 'moon.risen');
    assert.match(eventName(null), /no longer kept/);
  });

  it('offer each event in exactly one group', () => {
    const offered = EVENT_GROUPS.flatMap(({ types }) => types);
    assert.deepEqual(offered.toSorted(), Object.keys(EVENT_NAMES).toSorted());
  });

  it('sum up the events of a subscription', () => {
    assert.equal(eventsInWords(Object.keys(EVENT_NAMES)), 'All events');
    assert.equal(eventsInWords(['sync.failed']), 'A sync has failed');
    assert.equal(eventsInWords(['sync.failed', 'sync.completed']), '2 events');
  });

  it('tell a subscription that Quarry has switched off from one that a person has', () => {
    const off = { disabled: true, disabled_reason: null, health_status: 'failing' } as const;
    assert.deepEqual(subscriptionState(off), { tone: 'none', word: 'Switched off' });
    assert.equal(subscriptionState({ ...off, disabled_reason: 'Five days' }).tone, 'bad');
    assert.equal(subscriptionState({ ...off, disabled: false }).word, 'Failing');
  });

  it('group attempts by message and endpoint, and judge by the newest', () => {
    const deliveries = deliveriesOf([
      attempt({ id: '3', status: 'pending', message_id: 'late' }),
      attempt({ id: '2', status: 'failed', message_id: 'late' }),
      attempt({ id: '1', status: 'failed', message_id: 'old' }),
      attempt({ id: '0', status: 'success', message_id: 'old', endpoint_id: 'other' }),
    ]);
    assert.deepEqual(
      deliveries.map((one) => [one.messageId, one.attempts.length, deliveryState(one).word]),
      [
        ['late', 2, 'Will be tried again'],
        ['old', 1, 'Failed'],
        ['old', 1, 'Delivered'],
      ],
    );
    assert.deepEqual(deliveries.map(canBeResent), [false, true, false]);
    assert.ok(!deliveriesOf([attempt({ event_type: 'test' })]).some(canBeResent));
  });

  it('say what came of an attempt', () => {
    assert.equal(outcomeOf(attempt({ response_status_code: 500, error: 'x' })), 'Answered 500');
    assert.equal(outcomeOf(attempt({})), 'The endpoint refused the connection.');
    assert.equal(outcomeOf(attempt({ status: 'pending' })), 'not sent yet');
  });
});
