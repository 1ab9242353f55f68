/**
 * These queries read, claim and write the tokens of a connection. All times in `connection_tokens` come from the clock
 * of the database, but `refused_at` of the connection comes from the clock of this process.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { nowMs } from '../db/clock.ts';
import type { DatabaseKind } from '../db/connect.ts';
import type { Db, Schema, Tx } from '../db/schema.ts';
import type { SourceErrorKind } from '../errors.ts';
import type { Sealed } from '../model/sealed.ts';

/** A claim outlives the request for the tokens (token-endpoint.ts) and the attempts to store them. */
export const CLAIM_MS = 60_000;
/** A claim that ends later than this from now was written before the clock was set back, and counts as run out. */
export const LONGEST_CLAIM_MS = 2 * CLAIM_MS;

/** The functions of this file take the database, with its kind, by which the time of the database is read. */
export interface TokenDatabase {
  readonly db: Kysely<Schema>;
  readonly kind: DatabaseKind;
}

export interface TokenRow {
  /**
   * The version is 0 while the connection has no row in `connection_tokens`, and in a row that `ensure` has just added.
   */
  readonly version: number;
  readonly tokens: Sealed | null;
  readonly tokens_key: string | null;
  readonly expires_at: number | null;
  readonly renew_at: number | null;
  readonly claim: string | null;
  readonly claimed_until: number | null;
  readonly sent_at: number | null;
  readonly failures: number;
  readonly fault: string | null;
  readonly fault_kind: SourceErrorKind | null;
  readonly rest_until: number | null;
  /** This is the time of the database at which the row was read. */
  readonly now: number;
}

const NO_TOKENS = { tokens: null, tokens_key: null, expires_at: null, renew_at: null };
/** No renewal is under way, and none has failed. */
const IDLE = {
  claim: null,
  claimed_until: null,
  sent_at: null,
  failures: 0,
  fault: null,
  fault_kind: null,
  rest_until: null,
};

/** Returns undefined when the connection has been deleted. */
export async function read(
  { db, kind }: TokenDatabase,
  connectionId: string,
): Promise<TokenRow | undefined> {
  const row = await db
    .selectFrom('connections')
    .leftJoin('connection_tokens', 'connection_tokens.connection_id', 'connections.id')
    .selectAll('connection_tokens')
    .select(nowMs(kind).as('now'))
    .where('connections.id', '=', connectionId)
    .where('connections.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.version === null) return { ...NO_TOKENS, ...IDLE, version: 0, now: row.now };
  return row as TokenRow;
}

/** Adds the row of a connection that is to get its first tokens, unless the row exists or the connection is deleted. */
export const ensure = (db: Db, connectionId: string) =>
  db
    .insertInto('connection_tokens')
    .columns(['connection_id', 'version'])
    .expression((eb) =>
      eb
        .selectFrom('connections')
        .select(['id', sql<number>`0`.as('version')])
        .where('id', '=', connectionId)
        .where('deleted_at', 'is', null),
    )
    .onConflict((conflict) => conflict.column('connection_id').doNothing())
    .execute();

export interface Claim {
  readonly connectionId: string;
  /** The tokens with this version are to be renewed. */
  readonly version: number;
  readonly claim: string;
}

/**
 * Gives the renewal to the claimant. Returns false when somebody else has the claim, and when `version` or `failures`
 * has changed since the claimant read the row, because then somebody has replaced the tokens or has failed to renew
 * them. A claim that has run out is taken over only if `takesOver` is true.
 */
export async function claim(
  { db, kind }: TokenDatabase,
  { connectionId, version, claim: id }: Claim,
  options: { readonly failures: number; readonly forMs: number; readonly takesOver: boolean },
): Promise<boolean> {
  const { failures, forMs, takesOver } = options;
  const now = nowMs(kind);
  const result = await db
    .updateTable('connection_tokens')
    .set({
      claim: id,
      claimed_until: sql<number>`${now} + ${forMs}`,
      sent_at: sql<number>`coalesce(sent_at, ${now})`,
    })
    .where('connection_id', '=', connectionId)
    .where('version', '=', version)
    .where('failures', '=', failures)
    .where((eb) =>
      takesOver
        ? eb.or([
            eb('claimed_until', 'is', null),
            eb('claimed_until', '<=', now),
            eb('claimed_until', '>', sql<number>`${now} + ${sql.lit(LONGEST_CLAIM_MS)}`),
          ])
        : eb('claim', 'is', null),
    )
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export interface SealedTokens {
  readonly tokens: Sealed;
  readonly tokens_key: string;
  /** The access token is valid for this time from now; null means that the time is not known. */
  readonly leftMs: number | null;
  /** The access token is to be renewed after this time; null means that the time is not known. */
  readonly renewInMs: number | null;
}

function freshColumns(kind: DatabaseKind, sealed: SealedTokens) {
  const { tokens, tokens_key, leftMs, renewInMs } = sealed;
  const after = (ms: number | null) => (ms === null ? null : sql<number>`${nowMs(kind)} + ${ms}`);
  return { ...IDLE, tokens, tokens_key, expires_at: after(leftMs), renew_at: after(renewInMs) };
}

/**
 * Stores the tokens of a renewal. Returns false when somebody else has taken the claim over, when the tokens were
 * replaced or forgotten, and when their row was removed. A claim may have run out before its claimant comes with the
 * tokens. Meanwhile another caller may have ended the sign-in (`abandon`); with the new tokens it is valid again.
 */
export const store = (
  { db, kind }: TokenDatabase,
  claim: Claim,
  sealed: SealedTokens,
): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const late = await tx
      .selectFrom('connection_tokens')
      .select('version')
      .where(isHeld(claim))
      .where('claimed_until', '<=', nowMs(kind))
      .executeTakeFirst();
    if (late) await setRefused(tx, claim, null);
    const stored = await tx
      .updateTable('connection_tokens')
      .set({ ...freshColumns(kind, sealed), version: claim.version + 1 })
      .where(isHeld(claim))
      .executeTakeFirst();
    return stored.numUpdatedRows > 0n;
  });

/** Stores the tokens of a new sign-in, whatever was stored before. The caller has locked the row of the connection. */
export async function replace(
  tx: Tx,
  kind: DatabaseKind,
  { connectionId, ...sealed }: SealedTokens & { readonly connectionId: string },
): Promise<void> {
  const values = freshColumns(kind, sealed);
  await tx
    .insertInto('connection_tokens')
    .values({ connection_id: connectionId, version: 1, ...values })
    .onConflict((conflict) =>
      conflict
        .column('connection_id')
        .doUpdateSet({ ...values, version: sql`connection_tokens.version + 1` }),
    )
    .execute();
}

/**
 * Removes the tokens, because they were issued for credentials that are being replaced. The caller has locked the row
 * of the connection.
 */
export const forget = (tx: Tx, connectionId: string) =>
  tx
    .updateTable('connection_tokens')
    .set({ ...IDLE, ...NO_TOKENS, version: sql`version + 1` })
    .where('connection_id', '=', connectionId)
    .execute();

/** Removes the credentials that a provider has given to its connections, and the failures of requests to it. */
export const forgetProviderCredentials = (tx: Tx, providerId: string) =>
  tx
    .updateTable('connection_tokens')
    .set({ ...IDLE, ...NO_TOKENS, version: sql`version + 1` })
    .where('connection_id', 'in', (eb) =>
      eb.selectFrom('connections').select('id').where('auth_provider_id', '=', providerId),
    )
    .execute();

export interface RenewalFault {
  readonly kind: SourceErrorKind;
  readonly message: string;
  readonly restMs: number;
}

/**
 * Ends the claim without tokens. Until `restMs` have passed, nobody asks the token endpoint again, unless somebody
 * signs in again before. A fault of the kind 'auth' also ends the sign-in, in the same transaction, unless somebody has
 * renewed the tokens or signed in again meanwhile.
 */
export const fail = (
  { db, kind }: TokenDatabase,
  claim: Claim,
  fault: RenewalFault,
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    // Rows are locked in the order connection, tokens.
    if (fault.kind === 'auth')
      await setRefused(tx, claim, sql`coalesce(refused_at, ${Date.now()})`);
    await tx
      .updateTable('connection_tokens')
      .set({
        claim: null,
        claimed_until: null,
        failures: sql`failures + 1`,
        fault: fault.message,
        fault_kind: fault.kind,
        rest_until: sql<number>`${nowMs(kind)} + ${fault.restMs}`,
      })
      .where(isHeld(claim))
      .execute();
  });

/** Ends the sign-in, and leaves the claim to the claimant, which may still come with new tokens. */
export const abandon = ({ db }: TokenDatabase, claim: Claim): Promise<void> =>
  db.transaction().execute((tx) => setRefused(tx, claim, sql`coalesce(refused_at, ${Date.now()})`));

async function setRefused(tx: Tx, claim: Claim, at: RawBuilder<number> | null): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ refused_at: at })
    .where('id', '=', claim.connectionId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('connection_tokens').select('connection_id').where(isHeld(claim))),
    )
    .execute();
}

/** Is true while the claim is in force, or has run out and nobody has taken it over. */
const isHeld = ({ connectionId, version, claim }: Claim) =>
  sql<boolean>`connection_id = ${connectionId} and version = ${version} and claim = ${claim}`;

/**
 * Lets claims be taken over at once. It is called only when a process with an embedded database starts, because no
 * other process uses that database.
 */
export const endClaims = (db: Db) =>
  db
    .updateTable('connection_tokens')
    .set({ claimed_until: 0 })
    .where('claim', 'is not', null)
    .execute();
