/**
 * People sign in through the issuer of the operator (OpenID Connect). The issuer vouches for an e-mail, and the account
 * with that e-mail signs in. Somebody invited joins in this way too, and somebody unknown only if the operator says so.
 *
 * Nothing is stored between the two requests of a browser. The browser that begins gets a cookie, of which the nonce and
 * the verifier of PKCE are made, which also has the page that the person wants, and whose name belongs to the state. So the state does nothing in another browser, and
 * an attacker cannot let somebody else's browser finish a sign-in of the attacker.
 */
import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { record } from '../audit/act.ts';
import { lockAccountWith } from '../db/account.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { shown } from '../errors.ts';
import {
  authorizationUrl,
  createIdTokenVerifier,
  emailByCode,
  type SignInSecrets,
} from '../issuer/code-flow.ts';
import { createDiscovery } from '../issuer/discovery.ts';
import { EmailNotVouched, InvalidToken, IssuerFailure } from '../issuer/failures.ts';
import { createAsk } from '../issuer/issuer-client.ts';
import { sha256 } from '../model/hash.ts';
import type { Role } from '../model/role.ts';
import type { Send } from '../net/guarded-send.ts';
import type { IssuerSignInSettings } from '../oauth-settings.ts';
import { insertMembership, insertUser, names } from '../organizations/store.ts';
import { newId } from '../util.ts';
import * as members from './member-store.ts';
import { type Device, type OpenedSession, openSession } from './open-session.ts';
import { ownPath } from './own-path.ts';
import { VouchedEmail } from './schema.ts';
import { makeToken } from './secret-token.ts';
import { membershipsOf } from './session-store.ts';
import { type RefusalCode, type SignInRefusal, SignInRefused } from './sign-in-refusal.ts';
import { recordVouching, vouchFor } from './vouch.ts';

export const ISSUER_PATH = '/v1/auth/issuer';
export const ISSUER_CALLBACK = '/v1/auth/callback';

export interface IssuerCallback {
  readonly state: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  /** The issuer names itself here (RFC 9207), if it does so at all. */
  readonly iss: string | undefined;
}

type BegunSignIn =
  | {
      readonly redirect: string;
      /** The browser keeps this cookie until it comes back. */
      readonly secret: { readonly name: string; readonly value: string };
    }
  | SignInRefusal;
type EndedSignIn = { readonly token: string; readonly to: string | null } | SignInRefusal;

export type IssuerSignIn = ReturnType<typeof createIssuerSignIn>;

interface IssuerDeps {
  readonly db: Kysely<Schema>;
  readonly settings: IssuerSignInSettings;
  /** Sends the requests to addresses that the issuer's metadata names and that are not at the issuer's own origin. */
  readonly send: Send;
  readonly origin: () => string;
  readonly log: Logger;
}

export function createIssuerSignIn({ db, settings, send, origin, log }: IssuerDeps) {
  const { issuer, client, role } = settings;
  const ask = createAsk(issuer, send);
  const discover = createDiscovery(ask, issuer);
  const verifyIdToken = createIdTokenVerifier(ask, client);
  const flowOf = (secrets: SignInSecrets) => ({
    client,
    redirectUri: `${origin()}${ISSUER_CALLBACK}`,
    secrets,
  });

  /** Returns the result of the work, or why the person is not signed in. */
  async function unlessRefused<Result>(
    to: string | null,
    work: () => Promise<Result>,
  ): Promise<Result | SignInRefusal> {
    try {
      return await work();
    } catch (error) {
      const refused = refusalIn(error);
      if (refused === null) throw error;
      if (error instanceof IssuerFailure) log.error({ err: error }, 'the issuer cannot be asked');
      const reason = (error as Error).message;
      log.info({ code: refused, reason }, 'a sign-in through the issuer is refused');
      return { refused, to };
    }
  }

  /** Opens a session of the account with the e-mail, for which the issuer vouches. */
  const enter = (email: string, device: Device): Promise<OpenedSession> =>
    db.transaction().execute(async (tx) => {
      const account = await lockAccountWith(tx, email);
      const userId = account?.id ?? newId();
      const joined = account ? await membershipsOf(tx, userId) : [];
      const reached = new Set(joined.map(({ id }) => id));
      const joining = await joiningOf(tx, email, reached);
      if (reached.size === 0 && joining.length === 0)
        throw new SignInRefused('unknown_account', 'nobody here has this e-mail');
      const now = Date.now();
      if (!account) await makeAccount(tx, { id: userId, email, now });
      const forgotten = account ? await vouchFor(tx, account, now) : null;
      for (const one of joining) await join(tx, one, { userId, email, device, now });
      if (forgotten)
        await recordVouching(tx, { id: userId, email }, { forgotten, address: device.address });
      return openSession(tx, userId, { ...device, way: 'issuer' });
    });

  /** Returns the organizations that the person joins now, each with the role in it, in the order of their ids. */
  async function joiningOf(
    tx: Tx,
    email: string,
    reached: ReadonlySet<string>,
  ): Promise<readonly Joining[]> {
    const invited = await members.invitationsFor(tx, email);
    const joining = invited.map((one) => ({ ...one, isNew: !reached.has(one.organization_id) }));
    if (joining.length > 0 || reached.size > 0 || role === null) return joining;
    const [oldest] = await names(tx, 1);
    return oldest ? [{ id: null, organization_id: oldest.id, role, isNew: true }] : [];
  }

  return {
    name: hostOf(issuer),
    url: () => `${origin()}${ISSUER_PATH}`,

    /** Returns the address of the issuer, and the cookie of the browser that goes there. */
    begin(to: string | undefined): Promise<BegunSignIn> {
      const path = ownPath(to, origin());
      return unlessRefused(path, async () => {
        const [{ token: state }, { token }] = [makeToken(), makeToken()];
        const value = path === null ? token : `${token}.${encoded(path)}`;
        const redirect = authorizationUrl(await discover(), flowOf(secretsOf(state, value)));
        return { redirect, secret: { name: cookieOf(state), value } };
      });
    },

    /** The issuer has sent the browser back. `cookies` are those of the browser. */
    end(
      { state, code, error, iss }: IssuerCallback,
      cookies: Readonly<Record<string, string | undefined>>,
      device: Device,
    ): Promise<EndedSignIn> {
      const cookie = state === undefined ? undefined : cookies[cookieOf(state)];
      const to = ownPath(decoded(cookie?.split('.')[1]), origin());
      return unlessRefused(to, async () => {
        if (state === undefined || cookie === undefined)
          throw new SignInRefused('expired', 'the browser has no cookie of this sign-in');
        const given = codeIn({ code, error });
        const metadata = await discover();
        if (iss !== undefined && iss !== metadata.issuer)
          throw new InvalidToken('another issuer has answered');
        const flow = flowOf(secretsOf(state, cookie));
        const email = await emailByCode({ ask, verifyIdToken }, metadata, {
          ...flow,
          code: given,
        });
        const parsed = VouchedEmail.safeParse(email);
        if (!parsed.success)
          throw new SignInRefused('email_not_usable', 'no account can have this e-mail');
        const { token } = await enter(parsed.data, device);
        return { token, to };
      });
    },
  };
}

/** With these errors the issuer says that it cannot answer now (RFC 6749, 4.1.2.1). */
const UNAVAILABLE: readonly string[] = ['server_error', 'temporarily_unavailable'];

function codeIn({ code, error }: Pick<IssuerCallback, 'code' | 'error'>): string {
  if (error === undefined && code) return code;
  throw new SignInRefused(
    UNAVAILABLE.includes(error ?? '') ? 'issuer_unavailable' : 'refused_by_issuer',
    `the issuer has answered with the error '${shown(error ?? '')}'`,
  );
}

/** Returns null for an error that is none of the person or the issuer. */
function refusalIn(error: unknown): RefusalCode | null {
  if (error instanceof SignInRefused) return error.code;
  if (error instanceof InvalidToken) return 'invalid_answer';
  if (error instanceof IssuerFailure) return 'issuer_unavailable';
  return error instanceof EmailNotVouched ? 'email_not_verified' : null;
}

const encoded = (path: string) => Buffer.from(path).toString('base64url');
const decoded = (text: string | undefined) =>
  text === undefined ? undefined : Buffer.from(text, 'base64url').toString();

async function makeAccount(
  tx: Tx,
  { id, email, now }: { readonly id: string; readonly email: string; readonly now: number },
): Promise<void> {
  if (!(await insertUser(tx, { id, email, name: null, created_at: now, vouched_at: now })))
    throw new SignInRefused('try_again', 'the account was made at the same moment');
}

interface Joining {
  /** This is the id of the invitation; null when nobody has invited the person. */
  readonly id: string | null;
  readonly organization_id: string;
  readonly role: Role;
  /** It is false when the person is a member of the organization already. */
  readonly isNew: boolean;
}

async function join(
  tx: Tx,
  { id, organization_id, role: roleBefore, isNew }: Joining,
  who: { readonly userId: string; readonly email: string; readonly device: Device; now: number },
): Promise<void> {
  const { userId, email, device, now } = who;
  if (!(await lockOrganization(tx, organization_id))) return;
  const role = id === null ? roleBefore : await members.useInvitation(tx, id);
  if (!role || !isNew) return;
  await insertMembership(tx, { organization_id, user_id: userId, role, created_at: now });
  await record(tx, [organization_id], {
    action: 'member.joined',
    actor: { type: 'user', id: userId, name: null, email },
    address: device.address,
    target: { id: userId, name: email, details: { role } },
  });
}

const hostOf = (issuer: string): string => new URL(issuer).host;

/** The sign-ins of several tabs have cookies of their own. */
const cookieOf = (state: string): string => `quarry_issuer_${sha256(state).slice(0, 16)}`;

const secretsOf = (state: string, cookie: string): SignInSecrets => ({
  state,
  nonce: derived(cookie, `nonce ${state}`),
  verifier: derived(cookie, `pkce ${state}`),
});

const derived = (cookie: string, text: string): string =>
  createHmac('sha256', cookie).update(text).digest('base64url');
