/** The play and the processes that it kills share these settings. */
import type { DeliveryLimits } from '../../../webhooks/deliver/fair-scheduler.ts';

export const SECRET = 'a secret of the tests, long enough';
export const LIMITS: DeliveryLimits = { total: 64, failing: 32, initial: 4, perEndpoint: 16 };

const SPEED = 20;

/** Twenty minutes pass on this clock in a minute, since that instant, whichever process asks. */
export const fastClock = (began: number) => async (): Promise<number> =>
  began + (Date.now() - began) * SPEED;
