/** These settings say where metrics and the health of a process can be read. */
import { z } from 'zod';

export const TELEMETRY_SETTINGS = {
  QUARRY_METRICS_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'give a port from 0 to 65535')
    .transform(Number)
    .pipe(z.number().max(65535, 'give a port from 0 to 65535'))
    .optional()
    .describe(
      'Port of /metrics and /health, also in a process without the role api. Without it, nobody can read metrics. It takes no key, so only a monitor should reach it.',
    ),
  QUARRY_METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to which the port of metrics is bound.'),
};
