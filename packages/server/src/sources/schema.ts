/** These are the wire shapes of the source catalog and of entity definitions. */
import { z } from 'zod';
import { AUTH_METHODS } from './auth.ts';

const SourceField = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    type: z.string().describe('string, number, boolean, array or object.'),
    required: z.boolean(),
    secret: z
      .boolean()
      .optional()
      .describe('True for a field that is stored encrypted and never returned.'),
    file: z
      .boolean()
      .optional()
      .describe('True for a field that takes the whole text of a file, such as a JSON key.'),
    has_options: z
      .boolean()
      .optional()
      .describe(
        'True for a field whose values the source knows: POST /v1/sources/{short_name}/options lists them.',
      ),
    default: z.unknown().optional(),
  })
  .meta({ id: 'SourceField' });
export type SourceField = z.infer<typeof SourceField>;

const Fields = z.object({ fields: z.array(SourceField) });

export const SourceType = z
  .object({
    name: z.string(),
    short_name: z.string(),
    description: z.string(),
    auth_methods: z.array(z.enum(AUTH_METHODS)),
    oauth_type: z.enum(['access_only', 'with_refresh']).nullable(),
    oauth_scopes: z
      .array(z.string())
      .nullable()
      .describe('Permissions that a person is asked for; null for a source without OAuth.'),
    redirect_uri: z
      .string()
      .nullable()
      .describe('Address that an OAuth client for this service must be registered with.'),
    requires_byoc: z.boolean().describe("True when the source needs the user's own OAuth client."),
    auth_config_class: z.string(),
    config_class: z.string(),
    class_name: z.string(),
    output_entity_definitions: z
      .array(z.string())
      .describe('Names of the entity definitions that the source yields.'),
    auth_fields: Fields.nullable().describe('Fields of direct credentials.'),
    config_fields: Fields,
    supported_auth_providers: z
      .array(z.string())
      .describe('Kinds of auth providers that can keep the credentials of this source.'),
    labels: z.array(z.string()),
    supports_continuous: z.boolean(),
    is_local: z
      .boolean()
      .describe(
        'True when the source reads the machine of Quarry. All its connections may sync more often than hourly; of any other source only continuous ones may.',
      ),
    federated_search: z.boolean(),
    supports_access_control: z.boolean(),
  })
  .meta({ id: 'SourceType' });
export type SourceType = z.infer<typeof SourceType>;

export const EntityDefinition = z
  .object({
    id: z.uuid().describe('Identifier that is the same in every installation.'),
    name: z.string(),
    source_short_name: z.string(),
    json_schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema of the fields that only entities of this definition have.'),
  })
  .meta({ id: 'EntityDefinition' });
export type EntityDefinition = z.infer<typeof EntityDefinition>;
