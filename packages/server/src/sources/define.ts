/**
 * A source is defined by one object: its name, its methods of signing in, and a generator that pulls its records. A
 * federated source has `search` instead of the generator: it is searched live, and none of its records are stored.
 *
 * The framework does the rest: it validates credentials and configuration before `pull` runs, and it compares,
 * extracts, transforms, chunks, embeds and commits everything that `pull` yields.
 *
 * `items.ts` lists what a generator may yield.
 */
import type { Logger } from 'pino';
import { z } from 'zod';
import type { OptionalKinds } from '../documents/kinds.ts';
import type { Entity } from '../model/entity.ts';
import type { Send } from '../net/guarded-send.ts';
import type { CloudApi } from './api.ts';
import type { AuthMethod, ConnectionAccess, SourceAuth } from './auth.ts';
import type { Downloads } from './downloads.ts';
import type { SourceEvidence } from './evidence.ts';
import type { BelowList, LeftOut, SourceItem, Stub, Upsert } from './items.ts';
import type { SourceOperator } from './operator.ts';
import type { IsOwn } from './own-files.ts';
import type { SourceWatching } from './watching.ts';

/**
 * A source reaches the machine and the network only through this environment, which enforces what the operator allows.
 */
export interface SourceEnvironment {
  /**
   * Returns the real path. Throws a SourceError 'config' when the operator does not allow this path, or when
   * it lies in the data directory.
   */
  allowPath(path: string): Promise<string>;
  /**
   * Returns a function that recognizes the files that belong to Quarry itself now. A source must never read these
   * files, under any path.
   */
  ownFiles(): Promise<IsOwn>;
  /** Returns the address to connect to. Throws a SourceError 'config' when the operator does not allow this host. */
  allowHost(host: string): Promise<string>;
  /** Sends a request to a cloud service. `openHttp` of the kit calls this function. */
  readonly send: Send;
  /** Returns the address of a cloud service. Throws a SourceError 'config' for a host to which `send` does not send. */
  allowService(host: string): Promise<string>;
  /** Sends a request to an auth provider, which may be in the networks in which databases may be. */
  readonly sendToProvider: Send;
  /** Sources download files into folders below this one. */
  readonly downloadsFolder: string;
  /** Files of these kinds are read too; none if it is left out. */
  readonly optional?: OptionalKinds;
}

export interface SourceContext<Config, Credentials> extends SourceEnvironment, ConnectionAccess {
  readonly downloads: Downloads;
  readonly config: Config;
  /** These are the direct credentials. They are null for another method, and for a source without credentials. */
  readonly credentials: Credentials;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The meter counts the requests and the received bytes; a job shows them in sync_metadata. */
  readonly meter: { requests: number; bytes: number };
}

export interface PullContext<Config, Credentials, Cursor>
  extends SourceContext<Config, Credentials> {
  /** This is the cursor of the last sync; null asks for a full pull. */
  readonly cursor: Cursor | null;
  /**
   * This is the cursor of the last sync in a full pull, too. A source may take from it what spares requests, such as the
   * validators of conditional requests, but it must still list every record. Null means that there is none, or that the
   * stored records should be compared with the source.
   */
  readonly lastCursor: Cursor | null;
  /** A continuous connection finds changes by this field; null when the source does not need such a field. */
  readonly cursorField: string | null;
  /**
   * This is the last position that an earlier, interrupted attempt of this full pull has yielded as a bookmark, or
   * null.
   */
  readonly bookmark: unknown;
  /**
   * Returns the partitions in which a watch has noticed changes since the last call. A source that can lists them next,
   * also again, so that a change is found before the pull ends.
   */
  readonly takeChanged?: () => readonly string[];
}

export interface Membership {
  /** The group has the form `group:…`. */
  readonly group: string;
  /** The member has the form `user:…` or `group:…`. */
  readonly member: string;
}

/** A group whose members cannot be read is skipped, so that the job says so. */
export type MembershipItem = Membership | LeftOut;

/** Asks for values that a field of the configuration may have. */
export interface OptionsRequest {
  /** This is the name of a field whose schema has `.meta({ …, options: true })`. */
  readonly field: string;
  /**
   * Only options whose value, title or description contains this text, in any case, are wanted; '' asks for all. The
   * framework removes all other options, so a source sends the text to its service only if the service can search.
   */
  readonly query: string;
  /** At most this many options are shown, so a source that reads pages may stop after them. */
  readonly limit: number;
}

/** Returns true when the text that a person looks for is in the option. */
export const isMeant = ({ value, title, description = '' }: FieldOption, query: string): boolean =>
  [value, title, description].some((text) => text.toLowerCase().includes(query.toLowerCase()));

/**
 * A caller who asks for options has not chosen all settings yet. Fields without options are valid or at their default.
 */
type Unfinished<Config> = unknown extends Config ? unknown : Partial<Config>;

export interface FieldOption {
  readonly value: string;
  readonly title: string;
  readonly description?: string | undefined;
}

/** The author of a source writes this object. */
export interface SourceSpec<Config, Credentials, Cursor> {
  readonly shortName: string;
  readonly name: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly auth: SourceAuth<Credentials, Config>;
  /** Only a source that is made with `cloudSource` has this property. */
  readonly api?: CloudApi<Config>;
  /** A field with `.meta({ …, options: true })` has values that the source knows, and `options` gives them. */
  readonly config: z.ZodType<Config> & z.ZodObject;
  /** This is the schema of the cursor. A source without it cannot pull incrementally. */
  readonly cursor?: z.ZodType<Cursor>;
  /** If true, a user must choose the field by which changes are found. */
  readonly needsCursorField?: boolean;
  /**
   * An incremental pull also reports deletions ('told'), or only a full pull finds them ('listed'). A source with a
   * cursor must say which: with 'listed', a continuous connection is also pulled in full now and then.
   */
  readonly deletions?: 'told' | 'listed';
  /** If true, the source reads the machine on which Quarry runs, so frequent syncs do not burden another service. */
  readonly isLocal?: boolean;
  /**
   * These are the entity definitions of the source. A key is an `entity.type`, and the value is the schema of the
   * `entity.fields` of that type.
   */
  readonly entities: Readonly<Record<string, z.ZodObject>>;
  /**
   * Entities of all other types have this definition. A source needs it when the types come from the data, such as the
   * names of tables. Without it, the source must not yield another type.
   */
  readonly otherTypes?: string;
  /** Says which files the source reads, for people, such as 'attachments of issues'. Other sources read none. */
  readonly files?: string;
  /** Says how many requests the service allows, for people, such as '5,000 an hour'. */
  readonly limits?: string;
  /** A source of the catalog names at least one proof. */
  readonly evidence: readonly SourceEvidence[];
  /**
   * If true, its records name the people who may find them, without groups. A source with `members` need not say so.
   */
  readonly namesViewers?: boolean;
  readonly rateLimitLevel: 'org' | 'connection' | null;
  /** If true, `send` also reaches the networks in which databases may be, because the source may be an internal one. */
  readonly mayBeInternal?: boolean;
  /**
   * Throws a SourceError when the source refuses the credentials or cannot be reached. A source that has `account` checks
   * here only what its account does not show.
   */
  check?(ctx: SourceContext<Config, Credentials>): Promise<void>;
  /** Returns the account that has signed in, in a form that people recognize, such as an e-mail address. */
  account?(ctx: SourceContext<Config, Credentials>): Promise<string>;
  /** Push sources and federated sources do not have this function. */
  pull?(ctx: PullContext<Config, Credentials, Cursor>): AsyncGenerator<SourceItem, void, void>;
  /** Yields the records of the stubs whose version has changed, in any order. It must answer each stub once. */
  hydrate?(
    ctx: SourceContext<Config, Credentials>,
    stubs: readonly Stub[],
  ): AsyncIterable<Upsert | LeftOut>;
  /**
   * Yields everything that is below the records of the stubs, in any order. It must answer each stub once: with
   * `below(id, children)`, or with `fail` for the id of the stub, which keeps what is stored below it.
   */
  below?(
    ctx: SourceContext<Config, Credentials>,
    stubs: readonly Stub[],
  ): AsyncIterable<BelowList | LeftOut>;
  /**
   * Searches the source for a person's query. Returns at most `limit` entities, the best first. The text of an entity
   * is the passage that was found; of a longer text only the first chunk is shown. The caller waits for a few seconds
   * at most. This function is never called for a source that has `pull`.
   */
  search?(
    ctx: SourceContext<Config, Credentials>,
    query: string,
    limit: number,
  ): Promise<readonly Entity[]>;
  /** A source that has this property tells of changes as they happen. */
  readonly watch?: SourceWatching<Config>;
  /** Yields all members of all groups. Every full sync, and an incremental one once a day, reads them at its end. */
  members?(ctx: SourceContext<Config, Credentials>): AsyncIterable<MembershipItem>;
  /**
   * Returns the account within which names of groups are unique, such as a domain or a workspace. A source that names
   * groups must have it. The pipeline writes `group:<short name>/<account>/<id>` for the group `group:<id>` of the
   * source, so that groups of two sources never have the same name.
   */
  groupScope?(ctx: SourceContext<Config, Credentials>): Promise<string>;
  /** Returns values that a field of the configuration may have, such as the projects that the account sees. */
  options?(
    ctx: SourceContext<Unfinished<Config>, Credentials>,
    request: OptionsRequest,
  ): Promise<readonly FieldOption[]>;
}

/** The framework uses this type for all sources. Their values are `unknown`, because `openContext` validates them. */
export type Source = SourceSpec<unknown, unknown, unknown> & {
  readonly operator?: SourceOperator;
};

/**
 * Returns how records get into searches: the source is pulled, callers push records, or each search asks the source
 * (federated).
 */
export const syncMode = (source: Pick<Source, 'pull' | 'search'>): 'pull' | 'push' | 'federated' =>
  source.pull ? 'pull' : source.search ? 'federated' : 'push';

/** Returns the methods by which one may sign in to the source. */
export const methodsOf = ({ auth, api }: Pick<Source, 'auth' | 'api'>): AuthMethod[] => [
  ...(auth.direct || !auth.oauth ? (['direct'] as const) : []),
  ...(auth.oauth ? (['oauth_browser', 'oauth_token', 'oauth_byoc'] as const) : []),
  ...(api ? (['auth_provider'] as const) : []),
];

/**
 * Asks the source whether it accepts the settings and credentials. Returns the account that they belong to, or null when
 * the source cannot tell. Throws a SourceError when it refuses them.
 */
export async function checkSettings(
  source: Source,
  context: SourceContext<unknown, unknown>,
): Promise<string | null> {
  const account = (await source.account?.(context)) ?? null;
  await source.check?.(context);
  return account;
}

export function defineSource<Config, Credentials, Cursor>(
  spec: SourceSpec<Config, Credentials, Cursor>,
): Source {
  if (spec.cursor && !spec.deletions)
    throw new Error(`${spec.shortName} has a cursor and does not say how its deletions are found`);
  if (markedFields(spec.config, 'options').length > 0 !== (spec.options !== undefined))
    throw new Error(
      `${spec.shortName} needs both the function options and fields with .meta({ …, options: true }), or neither`,
    );
  return spec as unknown as Source;
}

/** Validates the configuration and credentials with the schemas of the source. Throws a ZodError. */
export function openContext<
  Context extends Pick<SourceContext<unknown, unknown>, 'config' | 'credentials'>,
>(source: Source, context: Context): Context {
  return {
    ...context,
    config: source.config.parse(context.config ?? {}),
    credentials:
      source.auth.direct && context.credentials !== null
        ? source.auth.direct.fields.parse(context.credentials)
        : null,
  };
}

/** Makes a field for a secret: its value is encrypted in the database, never logged, and never returned by the API. */
export const secret = (title: string, description: string) =>
  z.string().min(1).meta({ title, description, secret: true });

/** Makes a field for a secret that is the whole text of a file, such as the JSON key of a service account. */
export const secretFile = (title: string, description: string) =>
  z.string().min(1).meta({ title, description, secret: true, file: true });

/** Returns the names of the fields whose metadata has this mark. */
export function markedFields(schema: z.ZodType, mark: 'secret' | 'options' | 'saysWhen'): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties)
    .filter(([, property]) => (property as Readonly<Record<string, unknown>>)[mark] === true)
    .map(([name]) => name);
}
