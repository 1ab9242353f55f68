/** The settings of the address say where the API listens, and this file decides whether others can reach it there. */
import { z } from 'zod';
import { isLoopback } from './net/addresses.ts';

export const ADDRESS_SETTINGS = {
  QUARRY_PORT: z
    .string()
    .regex(/^\d+$/, 'a port is a number')
    .default('8099')
    .transform(Number)
    .pipe(z.number().max(65535, 'a port is at most 65535'))
    .describe('Port of the API; 0 takes a free one.'),
  QUARRY_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'Address the API binds to. Only a loopback address keeps other machines out; with any other one put HTTPS in front.',
    ),
};

const AddressValues = z.object(ADDRESS_SETTINGS);
type AddressValues = z.infer<typeof AddressValues> & {
  readonly QUARRY_PUBLIC_URL?: string | undefined;
};

/**
 * Returns true when others than the users of this machine can reach the API. A proxy on this machine, which the public
 * URL tells of, lets them reach an address that their machines cannot reach themselves.
 */
export const isReachable = ({
  QUARRY_HOST: host,
  QUARRY_PUBLIC_URL: url,
}: AddressValues): boolean =>
  !isLoopback(host) || (url !== undefined && !isLoopback(new URL(url).hostname));
