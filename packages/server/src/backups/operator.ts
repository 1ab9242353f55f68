/**
 * Says who may make and read backups, which hold all organizations (docs/decisions/0052-backups-by-api.md).
 *
 * Where the settings name a key of the operator, only that key may, and it opens nothing else. Otherwise a backup needs a
 * single-user install, and the admin of every organization of it. An account may be an admin of some organizations and
 * make keys that reach all of these, so such a key alone proves nothing about the installation.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Ctx, NO_RIGHTS } from '../context.ts';
import type { Db } from '../db/schema.ts';
import { forbidden, unavailable } from '../errors.ts';
import { apiKeyOf, type Identity } from '../http/auth.ts';
import { sha256 } from '../model/hash.ts';
import * as store from './store.ts';

export interface OperatorDeps {
  readonly db: Db;
  readonly operatorKey: string | undefined;
  readonly isSingleUser: boolean;
}

/** The operator has no account, and is called this where a name is needed. */
const NAME = 'operator';
const RETRY_AFTER = 5;

export function createOperator({ db, operatorKey, isSingleUser }: OperatorDeps) {
  const hash = operatorKey === undefined ? undefined : Buffer.from(sha256(operatorKey));
  return {
    /** Returns undefined for a request that has not the key of the operator. */
    async identify({ headers }: Pick<FastifyRequest, 'headers'>): Promise<Identity | undefined> {
      const key = apiKeyOf(headers);
      if (hash === undefined || key === undefined) return undefined;
      if (!timingSafeEqual(Buffer.from(sha256(key)), hash)) return undefined;
      const organization = await store.oldestOrganization(db);
      if (!organization) throw unavailable('the service has just begun; ask again', RETRY_AFTER);
      return {
        ...NO_RIGHTS,
        isOperator: true,
        organization: { id: organization.id, features: new Set(), quotas: {} },
        account: { id: NAME, email: NAME },
        role: 'admin',
      };
    },

    /** Throws a 403 for everybody who may not read all organizations. */
    async require(ctx: Ctx): Promise<void> {
      if (ctx.isOperator) return;
      if (hash !== undefined)
        throw forbidden(
          'a backup holds all organizations: only the key of the operator may ask for it (QUARRY_OPERATOR_KEY)',
        );
      if (!isSingleUser)
        throw forbidden(
          'a backup holds all organizations, and this is not a single-user install: its operator sets QUARRY_OPERATOR_KEY, and sends that key here',
        );
      const { id: organizationId } = ctx.organization;
      const reach = ctx.allOrganizations
        ? { accountId: ctx.account.id, organizationId }
        : { organizationId };
      if (await store.hasOthers(db, reach))
        throw forbidden(
          'a backup holds all organizations, and this key does not reach all of them: use the first key, or one with all_organizations whose account is an admin in each, or set QUARRY_OPERATOR_KEY',
        );
    },
  };
}
