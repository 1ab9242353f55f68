/** These are the wire shapes of API keys. */
import { z } from 'zod';
import { characters } from '../http/text.ts';
import { ROLES } from '../model/role.ts';

const Role = z.enum(ROLES);

/** The number is limited because each request with the key reads its collections. */
const MAX_COLLECTIONS = 100;

export const NewApiKey = z
  .strictObject({
    name: characters(1, 100),
    role: Role.default('member').describe('Each role has all rights of the roles before it.'),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .describe(
        'Must lie in the future; without it the key does not expire. A key that expires cannot make a key that lasts longer.',
      ),
    all_organizations: z
      .boolean()
      .default(false)
      .describe(
        'The admin key can act in every organization in which its account is an admin, with the header X-Organization-ID. Only a key with all_organizations can make another such key.',
      ),
    search_as: z
      .boolean()
      .default(false)
      .describe('Allows X-Principals for any role. An admin key does not need it.'),
    collections: z
      .array(z.string())
      .min(1)
      .max(MAX_COLLECTIONS)
      .nullable()
      .optional()
      .describe(
        'readable_ids of the collections to which the key is limited, for the roles read and member. Null: it reaches all collections, also later ones.',
      ),
  })
  .meta({ id: 'NewApiKey' });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const ApiKey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    role: Role,
    all_organizations: z.boolean(),
    search_as: z.boolean(),
    collections: z
      .array(z.string())
      .nullable()
      .describe(
        'readable_ids of the collections to which the key is limited. A deleted collection is not in the list, and the key does not reach a new collection of the same name.',
      ),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    created_by_email: z.string(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyWithValue = ApiKey.extend({
  key: z.string().describe('The key itself; it is shown only now.'),
}).meta({ id: 'ApiKeyWithValue' });
export type ApiKeyWithValue = z.infer<typeof ApiKeyWithValue>;
