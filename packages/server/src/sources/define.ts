/**
 * A source is one value: what it is called, how it signs in, and a generator that pulls. One that is
 * searched where it is has `search` instead: it is federated, and nothing of it is stored.
 *
 * The framework does the rest: credentials and configuration are validated before `pull` runs;
 * what it yields is compared, extracted, transformed, chunked, embedded and committed.
 *
 * What a generator yields:
 * - `upsert(entity)`: the whole record.
 * - `stub(id, type, version)`: the record exists; `hydrate` is asked for it only when `version`
 *   differs from the stored one.
 * - `remove(id)`: the source says that it is gone.
 * - `skip(id, type, reason, { detail, hint })`: left out on purpose (too large, no text). Skipped records
 *   are counted by `reason`, so it is one of a few fixed phrases that read well after a number; what is
 *   of this record alone, such as its size, is the `detail`, and what one can do about it the `hint`.
 *   What is stored of it goes with the sweep. With `removes` it must not be there: the record goes at once,
 *   or with 'partition' all that is stored in or below the partition of this id goes with the sweep, both
 *   without a confirmation. (A pull that goes on at a bookmark has forgotten such a partition.)
 * - `fail(id, type, error)`: tried and broken; what is stored of it stays.
 * - `listed(partition)`: the partition was listed to its end. After a full pull that ended normally,
 *   what is stored of a listed partition and did not come up is deleted; so is all of a partition
 *   that was not mentioned, unless it or a partition above it (`a` is above `a/b`) failed.
 * - `lost(partition, error)`: the partition could not be listed. Nothing in it or below is deleted.
 * - `bookmark(position)`: of a full pull: everything before it has been said, and one that is
 *   interrupted may go on from here. Its next attempt gets the position in `bookmark`.
 * - `checkpoint(cursor)`: everything before it may be skipped next time. It is stored in the
 *   transaction of everything before it, so a crash repeats work but never loses it.
 */
import type { Logger } from 'pino';
import { z } from 'zod';
import type { SourceError } from '../errors.ts';
import type { Entity } from '../model/entity.ts';
import { storableText } from '../model/storable.ts';
import type { Send } from '../net/guarded-send.ts';
import type { IsOwn } from './own-files.ts';

export type AuthMethod =
  | 'direct'
  | 'oauth_browser'
  | 'oauth_token'
  | 'oauth_byoc'
  | 'auth_provider';

export interface Upsert {
  readonly kind: 'upsert';
  readonly entity: Entity;
  /** A separately listable part of the source, a path of segments joined by `/`; '' is the root. */
  readonly partition: string;
  readonly version: string | null;
}
export interface Stub {
  readonly kind: 'stub';
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly partition: string;
}
export interface LeftOut {
  readonly kind: 'skip' | 'fail';
  readonly id: string;
  readonly type: string;
  readonly reason: string;
  /** Always null for a record that failed. */
  readonly detail: string | null;
  readonly hint: string | null;
  readonly removes?: Removes;
}
type Removes = 'record' | 'partition';
export type SourceItem =
  | Upsert
  | Stub
  | LeftOut
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'listed'; readonly partition: string }
  | { readonly kind: 'lost'; readonly partition: string; readonly error: SourceError }
  | { readonly kind: 'bookmark'; readonly position: unknown }
  | { readonly kind: 'checkpoint'; readonly cursor: unknown };

/** What stands between a source and the machine and network of the operator. */
export interface SourceEnvironment {
  /**
   * Throws a SourceError 'config' when the operator does not allow this path, or when it lies in the data
   * directory. Gives its real path.
   */
  allowPath(path: string): Promise<string>;
  /** Tells what belongs to Quarry itself, as it stands now. A source reads nothing of that, under any name. */
  ownFiles(): Promise<IsOwn>;
  /** Throws a SourceError 'config' when the operator does not allow this host. Gives the address to connect to. */
  allowHost(host: string): Promise<string>;
  /** The way to cloud services; `openHttp` is built on it. */
  readonly send: Send;
}

export interface SourceContext<Config, Credentials> extends SourceEnvironment {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Counts what is fetched, for sync_metadata. */
  readonly meter: { requests: number; bytes: number };
}

export interface PullContext<Config, Credentials, Cursor>
  extends SourceContext<Config, Credentials> {
  /** Where the last sync stopped, or null for a full one. */
  readonly cursor: Cursor | null;
  /** The field that a continuous connection goes by, where the source lets one choose. */
  readonly cursorField: string | null;
  /** Where an earlier attempt of this full pull was interrupted, as the source has written it; or null. */
  readonly bookmark: unknown;
}

export interface Membership {
  /** `group:…` */
  readonly group: string;
  /** `user:…` or `group:…` */
  readonly member: string;
}

/** What the author writes. */
export interface SourceSpec<Config, Credentials, Cursor> {
  readonly shortName: string;
  readonly name: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly auth: {
    readonly methods: readonly AuthMethod[];
    /** Fields of the direct method; absent for a source without credentials. */
    readonly fields?: z.ZodType<Credentials> & z.ZodObject;
  };
  readonly config: z.ZodType<Config>;
  /** Present when the source can go on from where it stopped. */
  readonly cursor?: z.ZodType<Cursor>;
  /** True when somebody has to choose the field by which its changes are known: it tells none by itself. */
  readonly needsCursorField?: boolean;
  /** True when a pull from a cursor also says what was deleted; else only a full one finds it out. */
  readonly tellsDeletions?: boolean;
  /** True for what is on the machine of Quarry: asking it often is a burden to nobody else. */
  readonly isLocal?: boolean;
  /** The definitions of its entities, with the shape of `entity.fields`: each is the `entity.type` of some. */
  readonly entities: Readonly<Record<string, z.ZodObject>>;
  /**
   * The definition of entities of every other type. Present where types have names that only the data knows,
   * such as tables; without it no other type may be emitted.
   */
  readonly otherTypes?: string;
  readonly rateLimitLevel: 'org' | 'connection' | null;
  /** Throws a SourceError when the source refuses the credentials or cannot be reached. */
  check?(ctx: SourceContext<Config, Credentials>): Promise<void>;
  /** Absent for a source that is pushed into or federated. */
  pull?(ctx: PullContext<Config, Credentials, Cursor>): AsyncGenerator<SourceItem, void, void>;
  /** The records behind stubs whose version changed, in any order, each answered once. */
  hydrate?(
    ctx: SourceContext<Config, Credentials>,
    stubs: readonly Stub[],
  ): AsyncIterable<Upsert | LeftOut>;
  /**
   * What the source itself finds for the words of a person, best first and at most `limit`. A text is the
   * passage that was found: of a longer one only the first chunk is shown. Whoever asks waits for a few
   * seconds at most. Of a source that can be pulled it is never called.
   */
  search?(
    ctx: SourceContext<Config, Credentials>,
    query: string,
    limit: number,
  ): Promise<readonly Entity[]>;
  /** Who is in which group, complete; read at the end of every full sync. */
  members?(ctx: SourceContext<Config, Credentials>): AsyncIterable<Membership>;
}

/** A source as the framework holds it: stored values are validated where they enter. */
export type Source = SourceSpec<unknown, unknown, unknown>;

/** How what it has gets into searches: it is pulled, pushed into, or asked during each search. */
export const wayOf = (source: Pick<Source, 'pull' | 'search'>): 'pull' | 'push' | 'federated' =>
  source.pull ? 'pull' : source.search ? 'federated' : 'push';

export function defineSource<Config, Credentials, Cursor>(
  spec: SourceSpec<Config, Credentials, Cursor>,
): Source {
  return spec as unknown as Source;
}

/** Validates what is stored or sent, in the words of the source's own schemas. Throws a ZodError. */
export function openContext<Context extends SourceContext<unknown, unknown>>(
  source: Source,
  context: Context,
): Context {
  return {
    ...context,
    config: source.config.parse(context.config ?? {}),
    credentials: source.auth.fields ? source.auth.fields.parse(context.credentials) : null,
  };
}

export const upsert = (
  entity: Entity,
  options: { partition?: string; version?: string } = {},
): Upsert => ({
  kind: 'upsert',
  entity,
  partition: options.partition ?? '',
  version: options.version ?? null,
});
export const stub = (id: string, type: string, version: string, partition = ''): Stub => ({
  kind: 'stub',
  id,
  type,
  version,
  partition,
});
export const remove = (id: string): SourceItem => ({ kind: 'remove', id });
interface SkipOptions {
  readonly detail?: string;
  readonly hint?: string;
  readonly removes?: Removes;
}
export const skip = (
  id: string,
  type: string,
  reason: string,
  { detail, hint, removes }: SkipOptions = {},
): LeftOut => ({
  kind: 'skip',
  id,
  type,
  reason: storableText(reason),
  detail: detail === undefined ? null : storableText(detail),
  hint: hint === undefined ? null : storableText(hint),
  ...(removes && { removes }),
});
export const fail = (id: string, type: string, error: SourceError): LeftOut => ({
  kind: 'fail',
  id,
  type,
  reason: error.message,
  detail: null,
  hint: error.hint ?? null,
});
export const listed = (partition: string): SourceItem => ({ kind: 'listed', partition });
export const lost = (partition: string, error: SourceError): SourceItem => ({
  kind: 'lost',
  partition,
  error,
});
export const bookmark = (position: unknown): SourceItem => ({ kind: 'bookmark', position });
export const checkpoint = (cursor: unknown): SourceItem => ({ kind: 'checkpoint', cursor });

/** A credential field: encrypted at rest, never logged, never returned by the API. */
export const secret = (title: string, description: string) =>
  z.string().min(1).meta({ title, description, secret: true });
