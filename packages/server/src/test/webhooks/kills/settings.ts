/** play.ts and the processes that it kills share these settings. */
import type { DeliveryLimits } from '../../../webhooks/deliver/fair-scheduler.ts';

export const SECRET = 'a secret of the tests, long enough';
export const LIMITS: DeliveryLimits = { total: 64, failing: 32, initial: 4, perEndpoint: 16 };

const SPEED = 20;

/**
 * On this clock, twenty minutes pass in a minute. It starts at the time `began`, and all processes have the same clock.
 */
export const fastClock = (began: number) => async (): Promise<number> =>
  began + (Date.now() - began) * SPEED;
