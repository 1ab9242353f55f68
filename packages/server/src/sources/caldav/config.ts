/** The settings and the credentials of a connection to calendars. */
import { z } from 'zod';
import { secret } from '../define.ts';
import { ServiceUrl } from '../service-url.ts';

export const CalDavConfig = z.strictObject({
  url: ServiceUrl.meta({
    title: 'Address',
    description:
      'Address of the server, of a principal or of one calendar, such as https://dav.example.org/.',
    address: true,
  }),
  calendars: z.array(z.string().min(1).max(2000)).min(1).max(200).optional().meta({
    title: 'Calendars',
    description: 'Paths of calendars. Without it, all that the account sees.',
    options: true,
  }),
});
export type CalDavConfig = z.infer<typeof CalDavConfig>;

export const CalDavCredentials = z.strictObject({
  username: z.string().min(1).max(255).meta({
    title: 'User',
    description: 'Name or e-mail address with which one signs in.',
  }),
  password: secret('Password', 'The password, or an app password where the provider asks for one.'),
});

export const CalDavCursor = z.strictObject({
  /** For each calendar, the token or ctag up to which it was copied. */
  calendars: z.record(z.string(), z.string()),
});
export type CalDavCursor = z.infer<typeof CalDavCursor>;
