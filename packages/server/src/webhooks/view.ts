/** These functions turn the rows of subscriptions, attempts, messages and recoveries into the shapes of the API. */
import { instant, instantOrNull } from '../util.ts';
import type { AttemptRow, WaitingRow } from './attempt-store.ts';
import { healthOf } from './health.ts';
import type { MessageRow } from './message-store.ts';
import type { RecoveryRow } from './recover-store.ts';
import type { Attempt, Message, Recovery, Subscription } from './schema.ts';
import type { ShownRow } from './store.ts';

export const toSubscription = (row: ShownRow): Subscription => ({
  id: row.id,
  url: row.url,
  filter_types: row.filter_types,
  description: row.description,
  disabled: row.disabled_at !== null,
  disabled_at: instantOrNull(row.disabled_at),
  disabled_reason: row.disabled_reason,
  health_status: healthOf(row.outcomes),
  created_at: instant(row.created_at),
  updated_at: instant(row.modified_at),
});

export const toAttempt = (row: AttemptRow): Attempt => ({
  id: row.id,
  message_id: row.message_id,
  event_type: row.event_type,
  endpoint_id: row.subscription_id,
  status: row.status,
  response: row.response,
  response_status_code: row.response_status_code,
  error: row.error,
  timestamp: instant(row.created_at),
  duration_ms: row.duration_ms,
  url: row.url,
});

/** A pending delivery is shown as a pending attempt, with the time at which that attempt is due. */
export const toPending = (row: WaitingRow): Attempt => ({
  id: `${row.message_id}:${row.subscription_id}`,
  message_id: row.message_id,
  event_type: row.event_type,
  endpoint_id: row.subscription_id,
  status: 'pending',
  response: '',
  response_status_code: 0,
  error: null,
  timestamp: instant(row.due_at),
  duration_ms: null,
  url: row.url,
});

export function toMessage(row: MessageRow): Message {
  const payload: Record<string, unknown> = JSON.parse(row.payload);
  const { collection_readable_id: channel } = payload;
  return {
    id: row.id,
    event_type: row.event_type,
    payload,
    timestamp: instant(row.created_at),
    channels: typeof channel === 'string' ? [channel] : [],
    tags: null,
  };
}

export const toRecovery = (row: RecoveryRow): Recovery => ({
  id: row.id,
  status: row.status,
  since: instant(row.since),
  until: instantOrNull(row.until),
  messages: row.messages,
  created_at: instant(row.created_at),
  completed_at: instantOrNull(row.completed_at),
});
