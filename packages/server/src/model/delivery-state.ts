/**
 * This file lists the states of a delivery (one message to one subscription), and every move between them; at its
 * end, the results of an attempt and the states of a recovery.
 * Statements that move a delivery take the move from here (webhooks/deliver/queue-store.ts,
 * webhooks/recover-store.ts, webhooks/store.ts); docs/webhooks.md draws the states.
 */
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED' | 'STOPPED';

type DeliveryMove = Readonly<Partial<Record<DeliveryState, DeliveryState>>>;

export const DELIVERY_MOVES = {
  /** The endpoint answers with 2xx. */
  deliver: { PENDING: 'DELIVERED' },
  /** The attempt has any other outcome, and attempts are left. */
  retry: { PENDING: 'PENDING' },
  /** The last attempt failed, or the endpoint is gone. */
  give_up: { PENDING: 'FAILED' },
  /** The subscription is disabled. */
  stop: { PENDING: 'STOPPED' },
  /** A caller asks for the messages that were not delivered. */
  recover: { FAILED: 'PENDING', STOPPED: 'PENDING' },
} as const satisfies Record<string, DeliveryMove>;

/** Returns the states in which a delivery can make the move. */
export const deliverable = (move: keyof typeof DELIVERY_MOVES): DeliveryState[] =>
  Object.keys(DELIVERY_MOVES[move]) as DeliveryState[];

/** An attempt that has ended has one of these results. */
export const ATTEMPT_RESULTS = ['success', 'failed'] as const;
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number];

export const RECOVERY_STATES = ['running', 'completed'] as const;
export type RecoveryState = (typeof RECOVERY_STATES)[number];
