/** The settings of the address say where the API listens, and this file decides whether others can reach it there. */
import { z } from 'zod';
import { list } from './model-settings.ts';
import { isAddressOrNetwork, isLoopback } from './net/addresses.ts';

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
      'Address the API binds to. Only a loopback address keeps other machines out; with any other one name a certificate (QUARRY_TLS_CERTIFICATE), or put HTTPS in front.',
    ),
  QUARRY_URL: z
    .url({ protocol: /^https?$/, error: 'give an address such as https://quarry.example.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address of the service that commands ask, with QUARRY_API_KEY; without it, the one that runs with the data of this machine.',
    ),
  QUARRY_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(list)
    .pipe(
      z.array(
        z
          .string()
          .refine(
            isAddressOrNetwork,
            'give addresses or networks of proxies, such as 127.0.0.1 or 10.1.0.0/16',
          ),
      ),
    )
    .describe(
      'Addresses and CIDRs of the proxies in front of the service, such as 127.0.0.1. Their header X-Forwarded-For names the address of the client, for the limit of failed sign-ins, the audit log and the sessions. A service with a proxy is not a single-user install.',
    ),
  QUARRY_CORS_ORIGINS: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(z.string().refine(isOrigin, 'give origins, such as https://app.example.com')))
    .describe(
      'Origins of the pages that may call the API from a browser, such as https://app.example.com, always with a key and never with cookies. Without any, no page of another origin may.',
    ),
};

/** Browsers name an origin in this form. A wildcard is not one. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

const AddressValues = z.object(ADDRESS_SETTINGS);
type AddressValues = z.infer<typeof AddressValues> & {
  readonly QUARRY_PUBLIC_URL?: string | undefined;
};

/**
 * Returns true when others than the users of this machine can reach the API. A proxy on this machine lets them reach an
 * address that their machines cannot reach themselves; the public URL or the trusted proxies tell of it.
 */
export const isReachable = ({
  QUARRY_HOST: host,
  QUARRY_PUBLIC_URL: url,
  QUARRY_TRUSTED_PROXIES: proxies,
}: AddressValues): boolean =>
  !isLoopback(host) ||
  (url !== undefined && !isLoopback(new URL(url).hostname)) ||
  proxies.length > 0;
