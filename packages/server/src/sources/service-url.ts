/** This setting says where the API of a service is. */
import { z } from 'zod';
import { isConfidential } from '../net/addresses.ts';

/** Credentials are sent to this address. */
export const ServiceUrl = z
  .string()
  .max(1000)
  .refine((text) => {
    const url = URL.parse(text);
    if (!url || url.username || url.password || url.search || url.hash) return false;
    return isConfidential(url);
  }, 'is not the https address of an API');
