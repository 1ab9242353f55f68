/**
 * This file lists the states of a delivery (one message to one subscription) and every move between them. The SQL
 * statements that move a delivery use these moves (webhooks/deliver/queue-store.ts, webhooks/recover-store.ts,
 * webhooks/store.ts). docs/webhooks.md has a drawing of the states. The file also lists the results of an attempt and
 * the states of a recovery.
 */
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED' | 'STOPPED';

type DeliveryMove = Readonly<Partial<Record<DeliveryState, DeliveryState>>>;

export const DELIVERY_MOVES = {
  /** The endpoint answers with 2xx. */
  deliver: { PENDING: 'DELIVERED' },
  /** The attempt fails, and it was not the last one. */
  retry: { PENDING: 'PENDING' },
  /** The last attempt fails, or the endpoint answers 410 Gone. */
  give_up: { PENDING: 'FAILED' },
  /** The subscription is disabled. */
  stop: { PENDING: 'STOPPED' },
  /** A caller asks for the messages that were not delivered. */
  recover: { FAILED: 'PENDING', STOPPED: 'PENDING' },
} as const satisfies Record<string, DeliveryMove>;

/** Returns the states from which a delivery can make the move. */
export const deliveryStatesBefore = (move: keyof typeof DELIVERY_MOVES): DeliveryState[] =>
  Object.keys(DELIVERY_MOVES[move]) as DeliveryState[];

/** These are the results of an ended attempt. */
export const ATTEMPT_RESULTS = ['success', 'failed'] as const;
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number];

export const RECOVERY_STATES = ['running', 'completed'] as const;
export type RecoveryState = (typeof RECOVERY_STATES)[number];
