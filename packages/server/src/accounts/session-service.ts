/** People sign in by password, accept invitations, and see and end their sessions. */
import type { Kysely } from 'kysely';
import { holdCaller, record } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import { type AccountRow, lockAccount, lockAccountWith } from '../db/account.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Db, Schema, Tx } from '../db/schema.ts';
import { AppError, conflict, forbidden, invalid, notFound, unauthorized } from '../errors.ts';
import { sha256 } from '../model/hash.ts';
import { insertMembership, insertUser } from '../organizations/store.ts';
import { instant, newId } from '../util.ts';
import { inviterNames } from './inviter.ts';
import { invitationOf, invitationTermsOf, useInvitation } from './member-store.ts';
import { type Device, describeAccount, type OpenedSession, openSession } from './open-session.ts';
import { recordOwnAct } from './own-acts.ts';
import { hashPassword, isPassword } from './password.ts';
import type {
  Acceptance,
  InvitationTerms,
  Me,
  PasswordChange,
  PasswordSignIn,
  Session,
} from './schema.ts';
import { endsAt, MAX_AGE_MS } from './session-ends.ts';
import * as store from './session-store.ts';
import { removeLinksOf } from './start-link-store.ts';
import type { AccountGuess, Throttle } from './throttle.ts';

export type Sessions = ReturnType<typeof createSessions>;

interface SessionDeps {
  readonly db: Kysely<Schema>;
  readonly throttle: Throttle;
}

export function createSessions({ db, throttle }: SessionDeps) {
  /** Returns the account whose password it is. Throws the same 401 for a wrong one and for an unknown account. */
  async function accountBy(guess: AccountGuess, password: string) {
    const found = await throttle.guess(guess, async () => {
      const account = await store.accountOf(db, guess.email);
      const isRight = await isPassword(password, account?.password_hash ?? null);
      return isRight ? account : undefined;
    });
    if (!found) throw notTogether();
    return found;
  }

  return {
    async signIn({ email, password }: PasswordSignIn, device: Device): Promise<OpenedSession> {
      const { id, password_hash } = await accountBy({ email, address: device.address }, password);
      return db.transaction().execute(async (tx) => {
        // Somebody may have changed the password since it was compared.
        if ((await lockAccount(tx, id)).password_hash !== password_hash) throw notTogether();
        return openSession(tx, id, { ...device, way: 'password' });
      });
    },

    /** Tells to whoever has the link what the invitation is for, before a password is given. */
    async invitation(token: string, address: string): Promise<InvitationTerms> {
      const terms = await throttle.guess({ address }, () => invitationTermsOf(db, sha256(token)));
      if (!terms) throw usedUp();
      const { inviter_name, inviter_email, ...shown } = terms;
      return {
        ...shown,
        expires_at: instant(terms.expires_at),
        invited_by:
          inviter_email === null
            ? null
            : inviterNames({ name: inviter_name, email: inviter_email }),
      };
    },

    /**
     * An account that exists keeps its password, which the person has to know. Otherwise whoever made the invitation
     * could use its link to take over the account of somebody in another organization.
     */
    async accept({ token, password, name }: Acceptance, device: Device): Promise<OpenedSession> {
      const invitation = await invitationOf(db, sha256(token));
      if (!invitation) throw usedUp();
      const { email, organization_id } = invitation;
      const account = await store.accountOf(db, email);
      if (account?.password_hash) await accountBy({ email, address: device.address }, password);
      else if (account) await needUnused(db, account);
      const password_hash = account?.password_hash ?? (await hashPassword(password));
      const now = Date.now();
      const userId = account?.id ?? newId();
      return db.transaction().execute(async (tx) => {
        const current = await lockAccountWith(tx, email);
        if (current?.password_hash !== account?.password_hash) throw atOnce();
        const made = { id: userId, email, name: name ?? null, password_hash, created_at: now };
        if (!current && !(await insertUser(tx, made))) throw atOnce();
        if (current?.password_hash === null) {
          await needUnused(tx, current);
          await store.setPassword(tx, userId, password_hash);
        }
        const organization = await lockOrganization(tx, organization_id);
        const role = organization && (await useInvitation(tx, invitation.id));
        if (!role) throw usedUp();
        await insertMembership(tx, { organization_id, user_id: userId, role, created_at: now });
        await record(tx, [organization_id], {
          action: 'member.joined',
          actor: { type: 'user', id: userId, name: null, email },
          address: device.address,
          target: { id: userId, name: email, details: { role } },
        });
        return openSession(tx, userId, { ...device, way: 'invitation', organization_id });
      });
    },

    /** The session ends at once, and its cookie opens nothing any more. */
    signOut: (token: string, address: string): Promise<void> =>
      db.transaction().execute(async (tx) => {
        const ended = await store.removeByHash(tx, sha256(token));
        if (ended) await recordEnd(tx, ended, address);
      }),

    /** A key that reaches one organization names no other. */
    async me(ctx: Ctx): Promise<Me> {
      const me = await describeAccount(db, ctx.account.id, ctx.organization.id);
      if (ctx.session !== undefined || ctx.allOrganizations) return me;
      return {
        ...me,
        organizations: me.organizations.filter(({ id }) => id === me.organization.id),
      };
    },

    async list(ctx: Ctx): Promise<Session[]> {
      const session = sessionOf(ctx);
      const rows = await store.list(db, ctx.account.id, endsAt(Date.now()));
      return rows.map((row) => toSession(row, session));
    },

    async remove(ctx: Ctx, id: string): Promise<Session> {
      const session = sessionOf(ctx);
      const row = await db.transaction().execute(async (tx) => {
        const ended = await store.remove(tx, ctx.account.id, id);
        if (!ended) throw notFound('session', id);
        await recordEnd(tx, ended, ctx.address);
        return ended;
      });
      return toSession(row, session);
    },

    /** All other sessions of the account end, and so do its start links. */
    async changePassword(
      ctx: Ctx,
      { current_password, new_password }: PasswordChange,
    ): Promise<Me> {
      const session = sessionOf(ctx);
      const { address } = ctx;
      const { id, email } = ctx.account;
      const account = await store.accountById(db, id);
      if (account.password_hash !== null) {
        if (current_password === undefined) throw wrongPassword('give the present password, too');
        const right = await throttle.guess({ email, address }, async () =>
          (await isPassword(current_password, account.password_hash)) ? account : undefined,
        );
        if (!right) throw wrongPassword('this is not the present password');
      }
      const hash = await hashPassword(new_password);
      await db.transaction().execute(async (tx) => {
        await holdCaller(tx, ctx);
        if ((await lockAccount(tx, id)).password_hash !== account.password_hash)
          throw wrongPassword('the password was changed at the same moment');
        await store.setPassword(tx, id, hash);
        // The links end first, so that the session of one that is being used now ends too.
        await removeLinksOf(tx, id);
        await store.removeOthers(tx, id, session);
        await recordOwnAct(tx, id, {
          action: 'password.changed',
          address,
          target: { id, name: email },
        });
      });
      return describeAccount(db, id, ctx.organization.id);
    },
  };
}

/**
 * Throws a 409 for an account without a password that somebody uses, or whose person signs in through the issuer: an
 * inviter must not choose its password.
 */
async function needUnused(
  db: Db,
  { id, email, vouched_at }: Pick<AccountRow, 'id' | 'email' | 'vouched_at'>,
): Promise<void> {
  const has = `${email} has an account without a password, which no invitation can open`;
  if (vouched_at !== null) throw conflict(`${has}: sign in through the issuer, which accepts it`);
  if ((await store.membershipsOf(db, id)).length > 0) throw conflict(has);
}

const atOnce = () =>
  conflict('another invitation was accepted at the same moment: send this one again');

const recordEnd = (
  tx: Tx,
  { id, user_id }: Pick<store.SessionRow, 'id' | 'user_id'>,
  address: string,
) => recordOwnAct(tx, user_id, { action: 'session.ended', address, target: { id, name: null } });

const usedUp = () =>
  new AppError(404, 'this invitation has been used or withdrawn, or is too old: ask for another', {
    code: 'not_found',
  });

const notTogether = () => unauthorized('this e-mail and password do not belong together');

const wrongPassword = (message: string) => invalid(message, { loc: ['body', 'current_password'] });

function sessionOf({ session }: Ctx): string {
  if (session === undefined)
    throw forbidden('an API key has no sessions: sign in to see and change those of your account');
  return session;
}

const toSession = (row: store.SessionRow, current: string): Session => ({
  id: row.id,
  created_at: instant(row.created_at),
  last_used_at: instant(row.last_used_at),
  expires_at: instant(row.created_at + MAX_AGE_MS),
  address: row.address,
  user_agent: row.user_agent,
  current: row.id === current,
});
