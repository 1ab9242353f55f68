/** This is the schema of a setting for the base URL of a service's API. */
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
