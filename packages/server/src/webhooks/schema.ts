/** These are the wire shapes of subscriptions, messages and attempts. */
import { z } from 'zod';
import { EVENT_TYPES } from '../events/types.ts';
import { characters } from '../http/text.ts';
import { withoutPrefix } from './secret.ts';

const LEAST_SECRET = 24;

const EventTypes = z
  .array(z.enum(EVENT_TYPES))
  .min(1)
  .max(EVENT_TYPES.length)
  .transform((types) => [...new Set(types)])
  .describe('The events that are delivered.');
const Url = z.url().max(2000).describe('HTTPS, at a public address.');
const Description = characters(0, 255).nullable();
const Instant = z.iso.datetime({ offset: true });

export const NewSubscription = z
  .strictObject({
    url: Url,
    event_types: EventTypes,
    secret: z
      .string()
      .max(200)
      .refine((text) => [...withoutPrefix(text)].length >= LEAST_SECRET, {
        error: `use at least ${LEAST_SECRET} characters, whsec_ not counted`,
      })
      .meta({ minLength: LEAST_SECRET })
      .optional()
      .describe(
        'whsec_ and base64. Of anything else the UTF-8 bytes are the key. Without it one is made.',
      ),
    description: Description.optional(),
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
      .describe('true: nothing is delivered; what waits is stopped, and can be recovered later.'),
    recover_since: Instant.optional().describe(
      'With disabled false: messages since then that were not delivered are.',
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
      .describe('Why the service has disabled it; null when somebody has.'),
    health_status: z
      .enum(['healthy', 'degraded', 'failing', 'unknown'])
      .describe(
        'failing: the newest three attempts failed; healthy: the newest ten succeeded; unknown: there was none.',
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
    endpoint_id: z.uuid().describe('The subscription.'),
    status: z.enum(['pending', 'success', 'failed']).describe('pending: it is yet to end.'),
    response: z.string().describe('The first KiB of the body of the answer.'),
    response_status_code: z.int().describe('0 as long as there is no answer.'),
    error: z.string().nullable().describe('Why there was no answer, or none that counts.'),
    timestamp: z.iso.datetime().describe('When it began; of a pending one, when it is due.'),
    duration_ms: z.int().nullable(),
    url: z.string(),
  })
  .meta({ id: 'WebhookDeliveryAttempt' });
export type Attempt = z.infer<typeof Attempt>;

export const SubscriptionDetail = Subscription.extend({
  delivery_attempts: z.array(Attempt).describe('The newest 100, those to come first.'),
  secret: z.string().optional().describe('Only with include_secret=true.'),
}).meta({ id: 'WebhookSubscriptionDetail' });
export type SubscriptionDetail = z.infer<typeof SubscriptionDetail>;

export const RecoverRequest = z
  .strictObject({
    since: Instant.describe('Messages from then on.'),
    until: Instant.optional().describe('And before then; without it until now.'),
  })
  .meta({ id: 'WebhookRecoverRequest' });
export type RecoverRequest = z.infer<typeof RecoverRequest>;

export const Recovery = z
  .object({
    id: z.uuid(),
    status: z.enum(['running', 'completed']),
    since: z.iso.datetime(),
    until: z.iso.datetime().nullable(),
    messages: z.int().describe('That it has found to be delivered, until now.'),
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
  delivery_attempts: z.array(Attempt).optional().describe('Only with include_attempts=true.'),
}).meta({ id: 'WebhookMessageDetail' });
export type MessageDetail = z.infer<typeof MessageDetail>;
