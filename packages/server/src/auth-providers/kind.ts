/**
 * An auth provider keeps the credentials of people for others. A kind is how one speaks to such a service: what signs in
 * to it, how it names a connection, and how it gives the credentials of a connection or forwards requests with them.
 */
import type { z } from 'zod';
import type { AuthProviderError } from '../errors.ts';
import type { AuthProviderName } from '../model/auth-provider.ts';
import type { ResponseHeaders, Send } from '../net/guarded-send.ts';
import type { GuardedRequest } from '../net/request.ts';
import type { HeaderFields } from '../sources/auth.ts';

/** Messages and hints name a provider by its kind and its readable_id. */
export interface ProviderRef {
  readonly shortName: AuthProviderName;
  readonly readableId: string;
}

/** Sends the requests to a provider, and counts them. */
export interface ProviderTransport {
  readonly send: Send;
  readonly meter?: GuardedRequest['meter'];
}

/** A provider whose credentials are open. */
export interface ProviderAccess<Credentials> {
  readonly ref: ProviderRef;
  readonly credentials: Credentials;
}

interface CredentialsRequest<Credentials, Place> extends ProviderAccess<Credentials> {
  readonly place: Place;
  /** This is the short name of the source that will use the credentials. */
  readonly source: string;
  /** If true, the service has refused the last credentials or they have ended, so that the provider should renew them. */
  readonly isFresh: boolean;
  readonly transport: ProviderTransport;
}

export interface GivenCredentials {
  /** This is an access token of OAuth; null for credentials of another sort. */
  readonly accessToken: string | null;
  /** This is the only secret of credentials that have no more, such as a key; null for others. */
  readonly key: string | null;
  /** These are the credentials by the names that the provider gives them. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The credentials end after this time in milliseconds; null means that nobody knows. */
  readonly lifeMs: number | null;
}

/** A request of the source, before the provider adds the credentials. */
interface RequestToForward {
  readonly url: URL;
  readonly headers: HeaderFields;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** This is the parsed JSON of the body, or its text when it is not JSON. Only the first 64 KiB are read. */
  readonly body: unknown;
}

export interface Forwarding<Credentials, Place> {
  /** Returns the request to the provider that makes it send the request of the source. */
  wrap(
    access: ProviderAccess<Credentials>,
    place: Place,
    request: RequestToForward,
  ): RequestToForward;
  /** Tells whether an answer may be the provider's own, so that its beginning is read for `refusal`. */
  mayBeOwn(answer: Omit<ProviderAnswer, 'body'>): boolean;
  /** Returns the error that the provider's own answer means, or undefined when the service has answered. */
  refusal(ref: ProviderRef, answer: ProviderAnswer): AuthProviderError | undefined;
  /** The provider passes on only these headers of a successful answer; without this property it passes on all. */
  readonly passedHeaders?: ReadonlySet<string>;
}

/** The compiler checks a kind against its own types; the registry of kinds.ts holds all of them with unknown ones. */
export interface ProviderKind<Credentials, Place> {
  readonly shortName: AuthProviderName;
  /** These credentials sign in to the provider. */
  readonly credentials: z.ZodType<Credentials>;
  /** These fields of `provider_config` name the connection at the provider. */
  readonly place: z.ZodType<Place>;
  /** If true, `give` with `isFresh` makes the provider renew the credentials. */
  readonly renews: boolean;
  /** Throws an AuthProviderError when the provider refuses the credentials or cannot be reached. */
  check(access: ProviderAccess<Credentials>, transport: ProviderTransport): Promise<void>;
  /**
   * Throws an AuthProviderError: 'auth' when a person has to sign in at the provider, 'transient' or 'rate_limited' when
   * another attempt may help, and 'config' when the provider or the connection has to be set up in another way.
   */
  give(asked: CredentialsRequest<Credentials, Place>): Promise<GivenCredentials>;
  /** A kind without it has no mode `proxy`. */
  readonly forwarding?: Forwarding<Credentials, Place>;
}
