/** This setting says where the API of a service is. */
import { z } from 'zod';

/**
 * Credentials are sent to this address: without TLS only to this machine, where no other party listens in between.
 */
export const ServiceUrl = z
  .string()
  .max(1000)
  .refine((text) => {
    const url = URL.parse(text);
    if (!url || url.username || url.password || url.search || url.hash) return false;
    const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
    return url.protocol === 'https:' || (url.protocol === 'http:' && isHere);
  }, 'is not the https address of an API');
