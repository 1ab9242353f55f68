/**
 * In terms of OAuth, the tool server is a protected resource whose tokens come from a configured issuer. This file
 * finds the account to which a token belongs, and the collections that the account may reach.
 *
 * A person with a token searches with the person's own principals: access control applies, as it does to a key with
 * X-Principals.
 */
import type { Logger } from 'pino';
import { NO_RIGHTS } from '../../context.ts';
import { AppError, forbidden, shown } from '../../errors.ts';
import type { Identity } from '../../http/auth.ts';
import { InvalidToken, IssuerFailure } from '../../issuer/failures.ts';
import { createAsk } from '../../issuer/issuer-client.ts';
import type { Send } from '../../net/guarded-send.ts';
import type { OAuthSettings } from '../../oauth-settings.ts';
import { McpRefusal } from '../refusal.ts';
import { createTokenVerifier } from './tokens.ts';

/** This is a collection in one of the organizations of the account. */
export interface ReachedCollection {
  readonly readable_id: string;
  readonly name: string;
  readonly organization: Identity['organization'];
}

/** The directory finds accounts and the collections that they reach. */
export interface AccountDirectory {
  /**
   * Returns the account with this e-mail and the organization of its oldest membership. Returns undefined when the
   * account does not exist or has no organization.
   */
  find(email: string): Promise<Pick<Identity, 'account' | 'organization'> | undefined>;
  /** Returns the collections of all organizations of the account, in the order of their readable_ids. */
  collections(accountId: string): Promise<readonly ReachedCollection[]>;
}

export interface OAuth {
  readonly settings: OAuthSettings;
  /** Throws a McpRefusal or an AppError. */
  identify(token: string): Promise<Identity>;
  collections(accountId: string): Promise<readonly ReachedCollection[]>;
}

/** When the issuer does not answer, the client is told to try again after this many seconds. */
const RETRY_AFTER = 5;

export function createOAuth(
  settings: OAuthSettings,
  deps: {
    /** Sends the requests to addresses that the issuer's metadata names and that are not at the issuer's own origin. */
    readonly send: Send;
    readonly accounts: AccountDirectory;
    readonly log: Logger;
  },
): OAuth {
  const { send, accounts, log } = deps;
  const emailOf = createTokenVerifier(settings, createAsk(settings.issuer, send));

  async function emailOrRefusal(token: string): Promise<string> {
    try {
      return await emailOf(token);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (error instanceof InvalidToken) {
        log.debug({ reason: error.message }, 'an OAuth token is refused');
        throw new McpRefusal(401, 'Invalid OAuth token', { code: 'authentication' });
      }
      if (!(error instanceof IssuerFailure)) throw error;
      log.error({ err: error }, 'the OAuth issuer cannot be asked');
      throw new McpRefusal(
        503,
        'The issuer of OAuth tokens does not answer as it should, so no token can be checked: try again in a moment',
        { code: 'internal', retryAfter: RETRY_AFTER },
      );
    }
  }

  return {
    settings,
    collections: (accountId) => accounts.collections(accountId),

    async identify(token) {
      const email = await emailOrRefusal(token);
      const found = await accounts.find(email);
      if (!found)
        throw forbidden(
          `no member of an organization here has the e-mail '${shown(email)}': sign in with the e-mail of a member, or use an API key`,
        );
      return { ...NO_RIGHTS, ...found, role: 'read', person: `user:${found.account.email}` };
    },
  };
}
