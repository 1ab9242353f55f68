/** These are the wire shapes of auth providers. */
import { z } from 'zod';
import { characters } from '../http/text.ts';
import { AUTH_PROVIDERS } from '../model/auth-provider.ts';
import { MAX_READABLE_ID, READABLE_ID } from '../model/readable-id.ts';

const Name = characters(1, 64);
const ReadableId = z
  .string()
  .max(MAX_READABLE_ID)
  .regex(READABLE_ID, 'use lower-case letters and digits in groups joined by single hyphens');
const ShortName = z.enum(AUTH_PROVIDERS);
const Credentials = z
  .record(z.string(), z.unknown())
  .describe(
    'What signs in to the provider. `custom`: `url`, `secret`. `nango`: `secret_key`, `base_url`. `composio`: `api_key`, `base_url`. `pipedream`: `client_id`, `client_secret`, `project_id`, `environment`, `base_url`. It is stored encrypted and never returned.',
  );

export const NewAuthProvider = z
  .strictObject({
    name: Name,
    readable_id: ReadableId.optional().describe(
      'Identifier of the provider in routes and in connections; made from the name when omitted.',
    ),
    short_name: ShortName.describe('Kind of the provider.'),
    credentials: Credentials,
  })
  .meta({ id: 'NewAuthProvider' });
export type NewAuthProvider = z.infer<typeof NewAuthProvider>;

export const AuthProviderChange = z
  .strictObject({
    name: Name.optional(),
    credentials: Credentials.optional(),
    readable_id: z.string().optional().describe('It cannot change.'),
    short_name: ShortName.optional().describe('It cannot change.'),
  })
  .meta({ id: 'AuthProviderChange' });
export type AuthProviderChange = z.infer<typeof AuthProviderChange>;

export const AuthProvider = z
  .object({
    id: z.uuid(),
    organization_id: z.uuid(),
    readable_id: z.string(),
    name: z.string(),
    short_name: ShortName,
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    created_by_email: z.string(),
    modified_by_email: z.string(),
  })
  .meta({ id: 'AuthProvider' });
export type AuthProvider = z.infer<typeof AuthProvider>;
