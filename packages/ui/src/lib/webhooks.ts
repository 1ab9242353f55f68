/** Says in words what webhooks send, and what became of it. */
import type { Schemas } from '../api/client.ts';
import type { Shown } from './states.ts';

export type EventType = Schemas['NewWebhookSubscription']['event_types'][number];
export type Subscription = Schemas['WebhookSubscription'];
export type Attempt = Schemas['WebhookDeliveryAttempt'];

export const EVENT_NAMES: Record<EventType, string> = {
  'sync.completed': 'A sync has ended well',
  'sync.failed': 'A sync has failed',
  'sync.cancelled': 'A sync was stopped',
  'sync.pending': 'A sync waits for its turn',
  'sync.running': 'A sync has begun',
  'source_connection.created': 'A connection was made',
  'source_connection.auth_completed': 'Somebody has signed in to a connection',
  'source_connection.deleted': 'A connection was deleted',
  'collection.created': 'A collection was made',
  'collection.updated': 'A collection was changed',
  'collection.deleted': 'A collection was deleted',
};
const TYPES = Object.keys(EVENT_NAMES) as EventType[];

export const EVENT_GROUPS = [
  ['Syncs', 'sync.'],
  ['Connections', 'source_connection.'],
  ['Collections', 'collection.'],
].map(([title = '', prefix = '']) => ({
  title,
  types: TYPES.filter((type) => type.startsWith(prefix)),
}));

/** Names an event for people. A later version of the service may have types that this page does not know. */
export function eventName(type: string | null): string {
  if (type === null) return 'A message that is no longer kept';
  if (type === 'test') return 'Test message';
  return EVENT_NAMES[type as EventType] ?? type;
}

/** "All events", "A sync has failed", "3 events". */
export function eventsInWords(types: readonly string[]): string {
  if (types.length === TYPES.length) return 'All events';
  const [first = ''] = types;
  return types.length === 1 ? eventName(first) : `${types.length} events`;
}

const HEALTH: Record<Subscription['health_status'], Shown> = {
  healthy: { tone: 'ok', word: 'Messages arrive' },
  degraded: { tone: 'warn', word: 'Some attempts failed' },
  failing: { tone: 'bad', word: 'Failing' },
  unknown: { tone: 'wait', word: 'Nothing sent yet' },
};

export const subscriptionState = ({
  disabled,
  disabled_reason,
  health_status,
}: Pick<Subscription, 'disabled' | 'disabled_reason' | 'health_status'>): Shown =>
  disabled
    ? { tone: disabled_reason === null ? 'none' : 'bad', word: 'Switched off' }
    : HEALTH[health_status];

/** A delivery is one message to one endpoint, with the attempts at it, the newest first. */
export interface Delivery {
  readonly messageId: string;
  readonly type: string | null;
  readonly attempts: readonly Attempt[];
}

/** Groups attempts by their message and endpoint, in the order of the newest attempt of each. */
export function deliveriesOf(attempts: readonly Attempt[]): Delivery[] {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const key = `${attempt.message_id} ${attempt.endpoint_id}`;
    groups.set(key, [...(groups.get(key) ?? []), attempt]);
  }
  return [...groups.values()].flatMap((of) => {
    const [newest] = of;
    return newest ? { messageId: newest.message_id, type: newest.event_type, attempts: of } : [];
  });
}

/** A delivery that has failed may be asked for again; one that still waits, or has arrived, goes its own way. */
export function deliveryState({ attempts }: Delivery): Shown {
  const [newest] = attempts;
  if (newest?.status === 'success') return { tone: 'ok', word: 'Delivered' };
  if (newest?.status === 'failed') return { tone: 'bad', word: 'Failed' };
  return attempts.length > 1
    ? { tone: 'warn', word: 'Will be tried again' }
    : { tone: 'wait', word: 'Waiting' };
}

/** Only events can be sent again: instead of a test message, another one is sent. */
export const canBeResent = (delivery: Delivery): boolean =>
  delivery.attempts[0]?.status === 'failed' && delivery.type !== null && delivery.type !== 'test';

/** "Answered 204", "The endpoint refused the connection.", "due". */
export function outcomeOf({ status, error, response_status_code }: Attempt): string {
  if (status === 'pending') return 'not sent yet';
  if (response_status_code > 0) return `Answered ${response_status_code}`;
  return error ?? 'No answer';
}
