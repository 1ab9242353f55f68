/** Makes the parts of accounts that the API needs. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseKind } from '../db/connect.ts';
import type { Schema } from '../db/schema.ts';
import type { Send } from '../net/guarded-send.ts';
import type { SendMail } from '../net/smtp.ts';
import type { IssuerSignInSettings } from '../oauth-settings.ts';
import { createIssuerSignIn } from './issuer-sign-in.ts';
import { createMembers } from './member-service.ts';
import { createSessionIdentity } from './session-identity.ts';
import { createSessions } from './session-service.ts';
import { createStartSignIn } from './start-link.ts';
import { createThrottle } from './throttle.ts';

export type Accounts = ReturnType<typeof createAccounts>;

interface AccountDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /** Returns the origin at which browsers reach the service. */
  readonly origin: () => string;
  readonly log: Logger;
  /** It is null when nobody signs in through an issuer. */
  readonly issuer: IssuerSignInSettings | null;
  /** Sends requests to public addresses of the issuer. */
  readonly send: Send;
  /** It is null when nothing is mailed. */
  readonly sendMail: SendMail | null;
}

export function createAccounts({ db, kind, origin, log, issuer, send, sendMail }: AccountDeps) {
  const throttle = createThrottle({ db, kind });
  return {
    members: createMembers({ db, kind, origin, sendMail }),
    sessions: createSessions({ db, throttle }),
    signInByLink: createStartSignIn({ db, throttle }),
    issuer: issuer && createIssuerSignIn({ db, settings: issuer, send, origin, log }),
    browsers: { cookies: { origin }, ...createSessionIdentity(db, log) },
  };
}
