/**
 * A source says here, as data, how one signs in to it. The catalog, the validation of credentials, the sign-in in a
 * browser and the renewal of tokens follow from this data, so a connector has no code for any of them.
 *
 *   auth: {
 *     direct: { fields: z.object({ key: secret('Key', 'A personal API key.') }), sign: { headers: ({ key }) => ({ authorization: key }) } },
 *     oauth: { authorizeUrl, tokenUrl, scopes: ['read'], refresh: 'rotating' },
 *   }
 */
import type { z } from 'zod';
import type { Send } from '../net/guarded-send.ts';

export const AUTH_METHODS = [
  'direct',
  'oauth_browser',
  'oauth_token',
  'oauth_byoc',
  'auth_provider',
] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export type HeaderFields = Readonly<Record<string, string>>;

/** A source with neither property takes no credentials. */
export interface SourceAuth<Credentials, Config> {
  readonly direct?: DirectAuth<Credentials, Config>;
  readonly oauth?: OAuthFlow<Config>;
}

export interface DirectAuth<Credentials, Config> {
  readonly fields: z.ZodType<Credentials> & z.ZodObject;
  /** A source that does not ask over HTTP, such as a database, reads its credentials itself and has no `sign`. */
  readonly sign?: Sign<Credentials, Config>;
  /**
   * If true, the source also works without credentials, and usually does: a connection without a sign-in is created at
   * once, and the catalog shows no fields.
   */
  readonly isOptional?: boolean;
}

/**
 * Credentials sign requests by fixed headers, by a token for which they are exchanged, or by headers that are made for
 * each request.
 */
export type Sign<Credentials, Config> =
  | { readonly headers: (credentials: Credentials) => HeaderFields }
  | {
      /**
       * Returns the request for a token, such as that of client credentials (RFC 6749, 4.4) or a signed JWT (RFC 7523).
       */
      readonly token: (
        credentials: Credentials,
        config: Config,
        person?: string,
      ) => TokenRequest | Promise<TokenRequest>;
      /**
       * Returns the person on whose behalf the request is sent, if the request needs a token of its own for that.
       * `token` then gets the person. Such tokens are kept in memory only.
       */
      readonly personOf?: (request: Outgoing, credentials: Credentials) => string | undefined;
    }
  | {
      readonly each: (credentials: Credentials, request: Outgoing, config: Config) => HeaderFields;
    };

/** The form is sent to the URL; the answer has the form of RFC 6749, 5.1. */
export interface TokenRequest {
  readonly url: string;
  readonly form: HeaderFields;
  readonly headers?: HeaderFields;
}

/** Describes the authorization code flow of RFC 6749, 4.1, at this provider. */
export interface OAuthFlow<Config> {
  readonly authorizeUrl: string | ((config: Config) => string);
  readonly tokenUrl: string | ((config: Config) => string);
  readonly scopes: readonly string[];
  /** Some providers separate scopes by a comma. The default is a space. */
  readonly separator?: ',';
  /** These parameters are added to the authorize link, such as access_type. */
  readonly params?: HeaderFields;
  /** 'rotating' means that every refresh invalidates the refresh token that it was made with. */
  readonly refresh: 'never' | 'reusable' | 'rotating';
  /**
   * For this many seconds, the provider still accepts a refresh token that it has replaced, so that a client that has
   * lost the answer can ask again. The default is 0.
   */
  readonly refreshGraceSeconds?: number;
  /** The client signs in at the token endpoint by HTTP Basic, or by fields of the body (the default). */
  readonly clientAuth?: 'basic' | 'body';
  /** With false, the sign-in does without PKCE (RFC 7636), because the provider refuses it. */
  readonly pkce?: false;
  /** Reads the answer of a token endpoint that has another form than RFC 6749, 5.1. */
  readonly tokens?: z.ZodType<TokenAnswer>;
  /** The provider calls its Bearer tokens so in `token_type`, which RFC 6749, 7.1, calls "bearer". */
  readonly tokenType?: string;
}

/** A token endpoint answers this (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  /** The access token is valid for this many seconds. */
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
  readonly token_type?: string | undefined;
}

/** A request before it is signed. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: string | null;
}

export interface SignedRequest {
  readonly url: URL;
  /** These headers are added to those of the request. */
  readonly headers: HeaderFields;
  /** The stamp names the token in the headers. It is null when the headers have nothing that could be renewed. */
  readonly stamp: string | null;
  /** The headers were made with these, which are not in the headers themselves. Errors must not show them. */
  readonly secrets?: readonly string[] | undefined;
}

/** Signs the requests of one connection. It is the only way from a cloud source to a token. */
export interface Authorizer {
  /**
   * `refused` is the stamp of a request that the service answered with 401: the token is renewed, unless another
   * request has already renewed it. Throws a SourceError: 'auth' when the credentials are refused, 'transient' when the
   * token endpoint cannot be reached.
   */
  sign(request: Outgoing, refused: string | null, signal: AbortSignal): Promise<SignedRequest>;
}

/** The requests of one connection are signed by `authorizer`, and counted and sent by `send`. */
export interface ConnectionAccess {
  /** Counts the request against the limits of the organization, and sends it. */
  readonly send: Send;
  readonly authorizer: Authorizer;
  /** The operator has set this address in place of the usual base URL of the service. */
  readonly operatorBaseUrl?: string | undefined;
}
