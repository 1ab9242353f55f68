/**
 * The tool server as a protected resource of OAuth, in front of an issuer that it knows by its name only: whom a
 * token stands for, and what that account may reach.
 *
 * A person searches as such: access control applies, as it does to X-Principals.
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

/** A collection in an organization of the account. */
export interface Reached {
  readonly readable_id: string;
  readonly name: string;
  readonly organization: Identity['organization'];
}

/** Where accounts are kept. */
export interface AccountDirectory {
  /** The account with this e-mail, and its oldest organization; undefined when it belongs to none. */
  find(email: string): Promise<Pick<Identity, 'account' | 'organization'> | undefined>;
  /** In all its organizations, in the order of their readable_id. */
  collections(accountId: string): Promise<readonly Reached[]>;
}

export interface OAuth {
  readonly settings: OAuthSettings;
  /** Throws a Refusal or an AppError. */
  identify(token: string): Promise<Identity>;
  collections(accountId: string): Promise<readonly Reached[]>;
}

/** Seconds after which an issuer may be back. */
const RETRY_AFTER = 5;

export function createOAuth(
  settings: OAuthSettings,
  deps: {
    /** The way out to what the issuer names elsewhere. */
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
        throw new McpRefusal(401, 'authentication', 'Invalid OAuth token');
      }
      if (!(error instanceof IssuerFailure)) throw error;
      log.error({ err: error }, 'the OAuth issuer cannot be asked');
      throw new McpRefusal(
        503,
        'internal',
        'The issuer of OAuth tokens does not answer as it should, so that no token can be checked: try again in a moment',
        RETRY_AFTER,
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
