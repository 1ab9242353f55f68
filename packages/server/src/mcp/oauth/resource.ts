/**
 * The tool server is a protected resource of OAuth, in front of an issuer that it knows only by its name. This file
 * finds the account that a token stands for, and what that account may reach.
 *
 * A person searches as that person: access control applies, as it does to X-Principals.
 */
import type { Logger } from 'pino';
import { NO_RIGHTS } from '../../context.ts';
import { AppError, forbidden, shown } from '../../errors.ts';
import type { Identity } from '../../http/auth.ts';
import type { Send } from '../../net/guarded-send.ts';
import type { OAuthSettings } from '../../oauth-settings.ts';
import { McpRefusal } from '../refusal.ts';
import { InvalidToken, IssuerFailure } from './failures.ts';
import { createAsk } from './issuer-client.ts';
import { createTokens } from './tokens.ts';

/** The collection lies in one of the organizations of the account. */
export interface Reached {
  readonly readable_id: string;
  readonly name: string;
  readonly organization: Identity['organization'];
}

/** The directory knows the accounts and what they reach. */
export interface AccountDirectory {
  /**
   * Gives the account with this e-mail and the organization of its oldest membership; undefined when the account
   * does not exist or belongs to no organization.
   */
  find(email: string): Promise<Pick<Identity, 'account' | 'organization'> | undefined>;
  /** Gives the collections of all its organizations, in the order of their readable_id. */
  collections(accountId: string): Promise<readonly Reached[]>;
}

export interface OAuth {
  readonly settings: OAuthSettings;
  /** Throws a McpRefusal or an AppError. */
  identify(token: string): Promise<Identity>;
  collections(accountId: string): Promise<readonly Reached[]>;
}

/** The issuer may be back after this many seconds. */
const RETRY_AFTER = 5;

export function createOAuth(
  settings: OAuthSettings,
  deps: {
    /** Reaches the addresses that the issuer names at other origins. */
    readonly send: Send;
    readonly accounts: AccountDirectory;
    readonly log: Logger;
  },
): OAuth {
  const { send, accounts, log } = deps;
  const emailOf = createTokens(settings, createAsk(settings.issuer, send));

  async function checked(token: string): Promise<string> {
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
        'The issuer of OAuth tokens does not answer as it should, so that no token can be checked: try again in a moment',
        { code: 'internal', retryAfter: RETRY_AFTER },
      );
    }
  }

  return {
    settings,
    collections: (accountId) => accounts.collections(accountId),

    async identify(token) {
      const email = await checked(token);
      const found = await accounts.find(email);
      if (!found)
        throw forbidden(
          `no account here has the e-mail '${shown(email)}': ask an admin of your organization to add it as a member`,
        );
      return { ...NO_RIGHTS, ...found, role: 'read', person: `user:${found.account.email}` };
    },
  };
}
