/** These are the wire shapes of subscriptions, messages and attempts. */
import { z } from 'zod';
import { EVENT_TYPES } from '../events/types.ts';
import { characters } from '../http/text.ts';
import { ATTEMPT_RESULTS, RECOVERY_STATES } from '../model/delivery-state.ts';
import { HEALTH } from './health.ts';
import { withoutPrefix } from './secret.ts';

const MIN_SECRET = 24;

/** A query parameter is a text, so this is 'true' or 'false' and not a boolean. */
export const Include = z.enum(['true', 'false']).default('false');

const EventTypes = z
  .array(z.enum(EVENT_TYPES))
  .min(1, 'choose at least one event')
  .max(EVENT_TYPES.length)
  .transform((types) => [...new Set(types)])
  .describe('The events that are delivered.');
const Url = z
  .url('write the whole URL, for example https://hooks.example.com/quarry')
  .max(2000)
  .describe('HTTPS, at a public address.');
const Description = characters(0, 255).nullable();
const Instant = z.iso.datetime({ offset: true });

export const NewSubscription = z
  .strictObject({
    url: Url,
    event_types: EventTypes,
    secret: z
      .string()
      .max(200)
      .refine((text) => [...withoutPrefix(text)].length >= MIN_SECRET, {
        error: `use at least ${MIN_SECRET} characters, whsec_ not counted`,
      })
      .meta({ minLength: MIN_SECRET })
      .optional()
      .describe(
        'Signing secret: whsec_ followed by base64. If the text is not base64, its UTF-8 bytes are the key. Without this field, a secret is generated.',
      ),
    description: Description.optional(),
    disabled: z
      .boolean()
      .optional()
      .describe('When true, nothing is delivered until it is enabled. False when omitted.'),
  })
  .meta({ id: 'NewWebhookSubscription' });
export type NewSubscription = z.infer<typeof NewSubscription>;

export const SubscriptionPatch = z
  .strictObject({
    url: Url.optional(),
    event_types: EventTypes.optional(),
    description: Description.optional(),
    disabled: z
      .boolean()
      .optional()
      .describe(
        'When true, nothing is delivered. Pending deliveries stop; a recovery can deliver them later.',
      ),
    recover_since: Instant.optional().describe(
      'Delivers the messages since this time that were not delivered. The subscription must be enabled, or become enabled by disabled: false.',
    ),
  })
  .meta({ id: 'WebhookSubscriptionPatch' });
export type SubscriptionPatch = z.infer<typeof SubscriptionPatch>;

export const Subscription = z
  .object({
    id: z.uuid(),
    url: z.string(),
    filter_types: z.array(z.string()),
    description: z.string().nullable(),
    disabled: z.boolean(),
    disabled_at: z.iso.datetime().nullable(),
    disabled_reason: z
      .string()
      .nullable()
      .describe(
        'Reason for which the service disabled it; null when a user disabled it or it is enabled.',
      ),
    health_status: z
      .enum(HEALTH)
      .describe(
        'failing: the newest three attempts failed; healthy: all of the newest ten succeeded; degraded: neither; unknown: there was no attempt.',
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookSubscription' });
export type Subscription = z.infer<typeof Subscription>;

export const Attempt = z
  .object({
    id: z.string(),
    message_id: z.uuid(),
    event_type: z
      .string()
      .nullable()
      .describe('Type of the message; null when the message is no longer kept.'),
    endpoint_id: z.uuid().describe('The subscription.'),
    status: z
      .enum(['pending', ...ATTEMPT_RESULTS])
      .describe('pending: the attempt has not ended yet.'),
    response: z.string().describe('The first KiB of the body of the answer.'),
    response_status_code: z.int().describe('Status of the answer; 0 without an answer.'),
    error: z
      .string()
      .nullable()
      .describe('Reason of the failure; null when the attempt did not fail.'),
    timestamp: z.iso.datetime().describe('Start of the attempt, or the due time of a pending one.'),
    duration_ms: z.int().nullable(),
    url: z.string(),
  })
  .meta({ id: 'WebhookDeliveryAttempt' });
export type Attempt = z.infer<typeof Attempt>;

export const SubscriptionDetail = Subscription.extend({
  delivery_attempts: z.array(Attempt).describe('The newest 100 attempts, pending ones first.'),
  secret: z.string().optional().describe('Signing secret, present only with include_secret=true.'),
}).meta({ id: 'WebhookSubscriptionDetail' });
export type SubscriptionDetail = z.infer<typeof SubscriptionDetail>;

export const RecoverRequest = z
  .strictObject({
    since: Instant.describe('Start of the recovered period.'),
    until: Instant.optional().describe('End of the recovered period; now when omitted.'),
  })
  .meta({ id: 'WebhookRecoverRequest' });
export type RecoverRequest = z.infer<typeof RecoverRequest>;

export const Recovery = z
  .object({
    id: z.uuid(),
    status: z.enum(RECOVERY_STATES),
    since: z.iso.datetime(),
    until: z.iso.datetime().nullable(),
    messages: z
      .int()
      .describe(
        'Number of messages that became due so far: deliveries that did not exist were created, and failed and stopped ones were reset.',
      ),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookRecovery' });
export type Recovery = z.infer<typeof Recovery>;

export const Message = z
  .object({
    id: z.uuid().describe('The header webhook-id of its deliveries.'),
    event_type: z.string(),
    payload: z.record(z.string(), z.unknown()).describe('The body of its deliveries.'),
    timestamp: z.iso.datetime(),
    channels: z.array(z.string()).describe('The readable_id of the collection.'),
    tags: z.array(z.string()).nullable(),
  })
  .meta({ id: 'WebhookMessage' });
export type Message = z.infer<typeof Message>;

export const MessageDetail = Message.extend({
  delivery_attempts: z
    .array(Attempt)
    .optional()
    .describe('Attempts at all endpoints, present only with include_attempts=true.'),
}).meta({ id: 'WebhookMessageDetail' });
export type MessageDetail = z.infer<typeof MessageDetail>;
