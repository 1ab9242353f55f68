/** These are the schemas of settings that say where a service is. */
import { z } from 'zod';
import { isConfidential } from '../net/addresses.ts';

/** The URL is checked strictly, because credentials are sent to it. */
export const ServiceUrl = z
  .string()
  .max(1000)
  .refine((text) => {
    const url = URL.parse(text);
    if (!url || url.username || url.password || url.search || url.hash) return false;
    return isConfidential(url);
  }, 'is not an address of the form https://host/path, without a user name, a query or a fragment (http:// only for this machine)');

/** A name or an address of a server, without a protocol and a port. An IPv6 address has several colons. */
export const isHostAlone = (text: string): boolean => !/:\/\/|^[^:]*:\d*$/.test(text);
export const NOT_ALONE = 'is not a host alone: leave out the protocol, and put the port into port';
