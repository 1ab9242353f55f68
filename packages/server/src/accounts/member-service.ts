/** This service implements what an admin may do with the members of an organization. */
import type { Kysely } from 'kysely';
import { act, needRole } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import type { DatabaseKind } from '../db/connect.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Schema, Tx } from '../db/schema.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { ROLES, type Role } from '../model/role.ts';
import type { SendMail } from '../net/smtp.ts';
import { isAdministered, onlyAdministeredBy } from '../organizations/key-store.ts';
import { lockAll } from '../organizations/store.ts';
import { instant, instantOrNull, newId } from '../util.ts';
import { inviterNames } from './inviter.ts';
import { isOneTooMany } from './mail-limit.ts';
import * as store from './member-store.ts';
import type { Invitation, Member, NewMember } from './schema.ts';
import { makeToken } from './secret-token.ts';
import { sendInvitation } from './send-invitation.ts';
import { accountById } from './session-store.ts';

export type Members = ReturnType<typeof createMembers>;

const INVITATION_MS = 7 * 24 * 3_600_000;

interface MemberDeps {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
  /** Returns the origin at which browsers reach the service. */
  readonly origin: () => string;
  /** It is null when nothing is mailed. */
  readonly sendMail: SendMail | null;
}

interface MemberChange {
  readonly work: (tx: Tx, organizationId: string, before: store.MemberRow) => Promise<void>;
  /** The audit log shows these. */
  readonly details?: { readonly role: Role };
}

export function createMembers({ db, kind, origin, sendMail }: MemberDeps) {
  /**
   * Changes a member or an invitation, unless an organization would be left without anybody who can administer it. The
   * keys of a member may administer other organizations too, so all organizations are locked.
   */
  const change = (ctx: Ctx, id: string, { work, details }: MemberChange) =>
    act(db, ctx, async (tx, on) => {
      const organizationId = ctx.organization.id;
      await lockAll(tx, kind);
      if (!(await lockOrganization(tx, organizationId)))
        throw notFound('organization', organizationId);
      // The request may have waited here for another admin, who removed this one.
      await needRole(tx, { accountId: ctx.account.id, organizationId, role: 'admin' });
      const row = await store.find(tx, organizationId, id);
      if (!row) throw notFound('member', id);
      const orphans = await onlyAdministeredBy(tx, { organizationId, accountId: id });
      await work(tx, organizationId, row);
      on({ id, name: row.email, ...(details && { details }) });
      for (const orphan of new Set([organizationId, ...orphans]))
        if (!(await canBeAdministered(tx, orphan)))
          throw conflict(orphan === organizationId ? LAST_ADMIN : LAST_ELSEWHERE);
      return row;
    });

  return {
    async list(ctx: Ctx, page: Page): Promise<Listed<Member>> {
      const { total, rows } = await store.list(db, ctx.organization.id, page);
      return { total, rows: rows.map(toMember) };
    },

    /** Another invitation for the same e-mail takes the place of an earlier one. */
    async invite(ctx: Ctx, { email, role }: NewMember): Promise<Invitation> {
      refuseLonger(ctx, 'invite somebody, who would stay longer');
      const { token, hash } = makeToken();
      const now = Date.now();
      const row = { id: newId(), email, role, created_at: now, expires_at: now + INVITATION_MS };
      const { organization, inviter } = await act(db, ctx, async (tx, on) => {
        const organization = await lockOrganization(tx, ctx.organization.id);
        if (!organization) throw notFound('organization', ctx.organization.id);
        // The request may have waited here for another admin, who removed this one.
        const organizationId = ctx.organization.id;
        await needRole(tx, { accountId: ctx.account.id, organizationId, role: 'admin' });
        if (await store.isMember(tx, ctx.organization.id, email))
          throw conflict(`${email} is a member already; PATCH /v1/members/{id} changes the role`);
        const whose = { organization_id: ctx.organization.id, invited_by: ctx.account.id };
        await store.invite(tx, { ...row, ...whose, hash });
        on({ id: row.id, name: email, details: { role } });
        return { organization: organization.name, inviter: await accountById(tx, ctx.account.id) };
      });
      // A browser does not send what is behind the #, so the token is in no log of a proxy.
      const invitation_url = `${origin()}/accept#token=${token}`;
      const facts = {
        ...{ to: email, organization, inviter: inviterNames(inviter) },
        ...{ url: invitation_url, expiresAt: row.expires_at },
      };
      const mail = await sendInvitation(facts, {
        ...{ sendMail, log: ctx.log },
        isLimited: () => isOneTooMany(db, { email, organizationId: ctx.organization.id }),
      });
      const by = {
        inviter_id: inviter.id,
        inviter_name: inviter.name,
        inviter_email: inviter.email,
      };
      return { ...toMember({ ...row, ...by, name: null }), invitation_url, mail };
    },

    async update(ctx: Ctx, id: string, { role }: { readonly role: Role }): Promise<Member> {
      const work: MemberChange['work'] = async (tx, from, before) => {
        if (ROLES.indexOf(role) > ROLES.indexOf(before.role))
          refuseLonger(ctx, 'raise the role of somebody, who would keep it longer');
        await store.setRole(tx, from, { id, role });
      };
      const row = await change(ctx, id, { work, details: { role } });
      return toMember({ ...row, role });
    },

    /** The member's sessions and keys reach the organization no more when this function returns. */
    async remove(ctx: Ctx, id: string): Promise<Member> {
      const work = (tx: Tx, from: string) => store.remove(tx, from, id);
      return toMember(await change(ctx, id, { work }));
    },
  };
}

/** Throws a 403 for a key that expires. Whoever has the key could otherwise stay by an account of their own. */
function refuseLonger({ expiresAt }: Ctx, wish: string): void {
  if (expiresAt !== null)
    throw forbidden(`your key expires at ${instant(expiresAt)}; it may not ${wish}`);
}

const LAST_ADMIN =
  'nobody else can administer the organization: first make another admin, who has a password or an admin key';
/** The message does not name the organization, because the caller may not be allowed to reach it. */
const LAST_ELSEWHERE =
  "a key of this member is the only one that administers another organization of the member's account; make an admin key there first";

const canBeAdministered = async (tx: Tx, organizationId: string): Promise<boolean> =>
  (await isAdministered(tx, organizationId)) ||
  (await store.hasAdminWithPassword(tx, organizationId));

const toMember = (row: store.MemberRow): Member => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  status: row.expires_at === null ? 'active' : 'invited',
  created_at: instant(row.created_at),
  expires_at: instantOrNull(row.expires_at),
  invited_by:
    row.inviter_id === null || row.inviter_email === null
      ? null
      : { id: row.inviter_id, name: row.inviter_name, email: row.inviter_email },
});
