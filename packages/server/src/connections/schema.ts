/** These are the wire shapes of source connections. */
import { z } from 'zod';
import { characters } from '../http/text.ts';
import { WATCH_STATES } from '../model/watch-state.ts';
import { RedirectUri } from '../sign-in/browser/redirect.ts';
import { ErrorDetails } from '../syncs/schema.ts';
import { Transformers } from '../transformers/schema.ts';

const Name = characters(4, 42);
const Description = characters(0, 255).nullable();
const Config = z.record(z.string(), z.unknown());
const Credentials = z.record(z.string(), z.unknown());

const Schedule = z
  .strictObject({
    cron: z
      .string()
      .max(100)
      .nullable()
      .optional()
      .describe(
        'Cron expression of five fields, in UTC; null means that no sync starts by itself. The default of a continuous connection is every 5 minutes, that of any other one daily.',
      ),
    continuous: z
      .boolean()
      .optional()
      .describe(
        'If true, most syncs pull only new and changed records. The default is true for a source that reports changes by itself, and false for any other one.',
      ),
    cursor_field: z
      .string()
      .min(1)
      .max(255)
      .nullable()
      .optional()
      .describe(
        'Field whose value grows with every change, such as `updated_at`. A sync finds new and changed records by it.',
      ),
  })
  .meta({ id: 'ScheduleInput' });
export type ScheduleInput = z.infer<typeof Schedule>;

const FullEvery = z
  .number()
  .int()
  .min(1)
  .max(8760)
  .nullable()
  .describe(
    'Longest time between two full syncs of a continuous connection with a schedule, in hours; null sets no such limit. The default is 24 where only full syncs find deleted records, 168 where incremental ones find them too, and null where every sync is full.',
  );

/** In this form of signing in, the given fields decide the method. */
const Authentication = z
  .strictObject({
    credentials: Credentials.optional(),
    access_token: z.string().min(1).optional(),
    refresh_token: z.string().min(1).optional(),
    expires_at: z.iso.datetime({ offset: true }).optional(),
    redirect_uri: RedirectUri.optional(),
    client_id: z.string().min(1).optional(),
    client_secret: z.string().min(1).optional(),
    provider_readable_id: z.string().min(1).optional(),
    provider_config: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Authentication' });
export type Authentication = z.infer<typeof Authentication>;

/** In this other form of signing in, the only key names the method. */
const Auth = z
  .strictObject({
    direct: z.strictObject({ credentials: Credentials }).optional(),
    oauth_browser: z
      .strictObject({
        redirect_uri: RedirectUri.optional(),
        client_id: z.string().min(1).optional(),
        client_secret: z.string().min(1).optional(),
      })
      .optional(),
    oauth_token: z
      .strictObject({
        access_token: z.string().min(1),
        refresh_token: z.string().min(1).optional(),
        expires_at: z.iso.datetime({ offset: true }).optional(),
        client_id: z.string().min(1).optional(),
        client_secret: z.string().min(1).optional(),
      })
      .optional(),
    auth_provider: z
      .strictObject({
        provider_readable_id: z.string().min(1),
        provider_config: z.record(z.string(), z.unknown()).optional(),
      })
      .optional(),
  })
  .refine((auth) => Object.keys(auth).length === 1, 'name exactly one authentication method')
  .meta({ id: 'Auth' });
export type Auth = z.infer<typeof Auth>;

export const NewSourceConnection = z
  .strictObject({
    name: Name,
    short_name: z.string().min(1).describe('A source type of GET /v1/sources.'),
    readable_collection_id: z.string().min(1),
    description: Description.optional(),
    config: Config.optional(),
    schedule: Schedule.optional(),
    full_every: FullEvery.optional(),
    sync_immediately: z.boolean().optional().describe('True when omitted.'),
    redirect_url: RedirectUri.optional().describe(
      'Another name for `redirect_uri` of `authentication`.',
    ),
    authentication: Authentication.optional(),
    auth: Auth.optional(),
    transformers: Transformers.optional(),
  })
  .meta({ id: 'NewSourceConnection' });
export type NewSourceConnection = z.infer<typeof NewSourceConnection>;

export const SourceConnectionPatch = z
  .strictObject({
    name: Name.optional(),
    description: Description.optional(),
    config: Config.optional(),
    schedule: Schedule.optional(),
    full_every: FullEvery.optional(),
    authentication: Authentication.optional(),
    auth: Auth.optional(),
    transformers: Transformers.optional(),
  })
  .meta({ id: 'SourceConnectionPatch' });
export type SourceConnectionPatch = z.infer<typeof SourceConnectionPatch>;

export const OptionsInput = z
  .strictObject({
    field: z
      .string()
      .min(1)
      .max(255)
      .describe('Name of a field of `config_fields` with `has_options`.'),
    credentials: Credentials.optional().describe(
      'Direct credentials, which are not stored. Leave them out with `source_connection_id`.',
    ),
    source_connection_id: z
      .string()
      .optional()
      .describe('Id of a connection of this source. Its stored sign-in is used.'),
    config: Config.optional().describe(
      'Settings that are chosen already. Those of the connection when omitted. Fields with `has_options` may be missing.',
    ),
    query: z
      .string()
      .max(255)
      .default('')
      .describe('Text that the value, the title or the description contains, in any case.'),
  })
  .meta({ id: 'OptionsInput' });
export type OptionsInput = z.infer<typeof OptionsInput>;

export const ShownOption = z
  .object({
    value: z.string().describe('Value for the field, or for its list.'),
    title: z.string(),
    description: z.string().nullable(),
  })
  .meta({ id: 'FieldOption' });
export type ShownOption = z.infer<typeof ShownOption>;

const when = z.iso.datetime().nullable();
const count = z.int().min(0);

export const EntityCountsOverTime = z
  .object({
    points: z
      .array(
        z.object({
          at: z.iso.datetime(),
          total_entities: count,
          by_type: z
            .record(z.string(), count)
            .describe('Counts of the 20 most frequent types; `total_entities` counts all types.'),
        }),
      )
      .describe(
        'Points, the oldest first, at most 500. A point is the end of a job that changed the counts, and they are the same until the next point. When there are more, older points are dropped evenly over the time.',
      ),
  })
  .meta({ id: 'EntityCountsOverTime' });
export type EntityCountsOverTime = z.infer<typeof EntityCountsOverTime>;

export const SourceConnection = z
  .object({
    id: z.uuid(),
    organization_id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    short_name: z.string(),
    readable_collection_id: z.string(),
    status: z.enum(['ACTIVE', 'PENDING_AUTH', 'SYNCING', 'ERROR', 'NEEDS_REAUTH', 'INACTIVE']),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    created_by_email: z.string(),
    modified_by_email: z.string(),
    true_as_of: when.describe(
      'Time at which the last completed sync began to read the source; null before the first one. Everything that the source had by then can be found, with the settings of that sync, except records that jobs list as failed or skipped. What was deleted at the source by then is gone, except deletions that wait for a confirmation, and, where only full syncs find deletions, those since the last full sync. Syncs that fail or are cancelled do not move the time. Of a push connection it is the time at which the newest completed push arrived. A federated source is asked live, so it has null.',
    ),
    auth: z.object({
      method: z.string(),
      authenticated: z.boolean(),
      authenticated_at: when,
      expires_at: when.describe(
        'Time at which the OAuth access token expires; null when it is not known. Most tokens are renewed before that.',
      ),
      account: z
        .string()
        .nullable()
        .describe('Account that has signed in, or null when the source cannot tell.'),
      sign_in_error: z
        .object({ code: z.string(), message: z.string() })
        .nullable()
        .describe(
          'Why the newest sign-in in a browser has failed, with the codes that `redirect_uri` gets; null when it has not failed, and while the connection is authenticated.',
        ),
      auth_url: z
        .url()
        .optional()
        .describe(
          'Link with which a person signs in. It works once and for 10 minutes, and is shown only when it is made.',
        ),
    }),
    config: Config,
    schedule: z.object({
      cron: z.string().nullable(),
      next_run: when,
      continuous: z.boolean(),
      cursor_field: z.string().nullable(),
    }),
    full_every: z.number().int().nullable(),
    sync_id: z.uuid(),
    sync: z.object({
      total_runs: z.number().int(),
      successful_runs: z.number().int(),
      failed_runs: z.number().int(),
      last_job: z
        .object({
          id: z.uuid(),
          status: z.string(),
          started_at: when,
          completed_at: when,
          duration_seconds: z.number().nullable(),
          entities_inserted: z.number().int(),
          entities_updated: z.number().int(),
          entities_deleted: z.number().int(),
          entities_failed: z.number().int(),
          error: z.string().nullable(),
          error_details: ErrorDetails.nullable(),
        })
        .nullable(),
      last_full_job: z
        .object({
          id: z.uuid(),
          started_at: when,
          completed_at: when,
          entities_encountered: z.record(z.string(), z.number().int()),
        })
        .nullable()
        .describe(
          'Last full sync that completed, with the numbers of the records that it met, by type; null when none has completed.',
        ),
    }),
    entities: z.object({
      total_entities: z.number().int(),
      by_type: z.record(z.string(), z.object({ count: z.number().int() })),
    }),
    deletions_held_back: z
      .object({ job_id: z.uuid(), count })
      .nullable()
      .describe(
        'Newest job that holds deletions back and can still be confirmed, with their number; null when there is none.',
      ),
    watch: z
      .object({
        state: z
          .enum(WATCH_STATES)
          .describe(
            '`watching`: a change is found as it happens. `polling`: not every change is noticed, so the source is also read every 5 minutes. `away`: the folder does not exist at the moment; what was read stays, and the folder is read again when it is back.',
          ),
        message: z.string().nullable().describe('Why it is not `watching`, for people.'),
      })
      .nullable()
      .describe('How changes of a folder are noticed; null while it is not watched.'),
    federated_search: z.boolean(),
    transformers: z.array(
      z.object({ transformer_id: z.uuid(), config: z.record(z.string(), z.unknown()) }),
    ),
  })
  .meta({ id: 'SourceConnection' });
export type SourceConnection = z.infer<typeof SourceConnection>;
