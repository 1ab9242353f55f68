/** Tests which keys of an older version reach several organizations after the upgrade. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kysely } from 'kysely';
import { migrate } from '../../db/migrate.ts';
import type { Schema } from '../../db/schema.ts';
import { insertOrganization } from '../api/rows.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { openBefore } from '../older-database.ts';

const LATER = 8_000_000_000_000;

/** Each row is a membership: account, organization, role and time. The memberships of an account come oldest first. */
const MEMBERS = [
  ['owner', 'home', 'admin', 1],
  ['owner', 'tenant', 'admin', 2],
  ['guest', 'tenant', 'read', 1],
  ['guest', 'own', 'admin', 2],
  ['ended', 'home', 'admin', 1],
  ['ended', 'tenant', 'admin', 2],
  ['lowly', 'home', 'member', 1],
] as const;

/**
 * Each row is a key: id, account, organization, role, expires_at. The keys stand in the order in which they were made.
 */
const KEYS = [
  ['owner-tenant', 'owner', 'tenant', 'admin', null],
  ['owner-read', 'owner', 'home', 'read', null],
  ['owner-brief', 'owner', 'home', 'admin', LATER],
  ['owner-first', 'owner', 'home', 'admin', null],
  ['owner-second', 'owner', 'home', 'admin', null],
  ['guest-tenant', 'guest', 'tenant', 'admin', null],
  ['guest-own', 'guest', 'own', 'admin', null],
  ['ended-home', 'ended', 'home', 'admin', 1000],
  ['ended-tenant', 'ended', 'tenant', 'admin', LATER],
  ['lowly-home', 'lowly', 'home', 'admin', null],
] as const;

for (const database of DATABASES)
  describe(`keys of an older version on ${database.name}`, () => {
    let opened: TestDatabase;
    let db: Kysely<Schema>;
    before(async () => {
      opened = await openBefore(database, '0014');
      db = opened.db;
      for (const id of ['home', 'tenant', 'own']) await insertOrganization(db, id);
      for (const id of new Set(MEMBERS.map(([user]) => user)))
        await db
          .insertInto('users')
          .values({ id, email: `${id}@example.com`, name: null, created_at: 0 })
          .execute();
      for (const [user_id, organization_id, role, created_at] of MEMBERS)
        await db
          .insertInto('memberships')
          .values({ user_id, organization_id, role, created_at })
          .execute();
      for (const [i, [id, user_id, organization_id, role, expires_at]] of KEYS.entries())
        await db
          .insertInto('api_keys')
          .values({
            id,
            user_id,
            organization_id,
            role,
            expires_at,
            name: id,
            hash: id,
            created_at: i,
          })
          .execute();
      await migrate(db, opened.kind);
    });
    after(() => opened.close());

    it('[KEY-32] one admin key of each account that is an admin still reaches all organizations of the account', async () => {
      const rows = await db.selectFrom('api_keys').selectAll().orderBy('created_at').execute();
      assert.deepEqual(
        rows.filter((row) => row.all_organizations).map(({ id }) => id),
        ['owner-first', 'guest-own', 'ended-tenant'],
      );
    });

    it('[KEY-33] [KEY-34] no key of an older version is limited to collections, and none may search on behalf of others', async () => {
      const rows = await db.selectFrom('api_keys').selectAll().execute();
      assert.deepEqual(
        [...new Set(rows.map((row) => [row.search_as, row.collection_ids].join()))],
        ['false,'],
      );
    });
  });
