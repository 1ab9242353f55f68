/**
 * The issuer vouches for the e-mail of an account. Until then nobody has proved to own it: whoever invites somebody has
 * the link, too, and can accept it with a password of their own. So the first sign-in through the issuer ends what was
 * proved before, and the account is the person's alone when it reaches further organizations.
 *
 * The keys of the account stay, because they belong to the organizations in which they were made. They reach no other
 * organization any more, as otherwise they would reach those that the person joins.
 */
import type { AccountRow } from '../db/account.ts';
import type { Tx } from '../db/schema.ts';
import { limitToOwnOrganization } from '../organizations/key-store.ts';
import { forgetProofs } from './forget-proofs.ts';
import { recordOwnAct } from './own-acts.ts';
import { setVouched } from './session-store.ts';

/** Returns what the audit log shall show of it, or null when nothing of the account changes. The account is locked. */
export async function vouchFor(
  tx: Tx,
  { id, password_hash, vouched_at }: AccountRow,
  now: number,
): Promise<ForgottenProofs | null> {
  if (vouched_at !== null) return null;
  await setVouched(tx, id, now);
  await forgetProofs(tx, id);
  const limited_keys = await limitToOwnOrganization(tx, id);
  return password_hash === null && limited_keys === 0 ? null : { limited_keys };
}

interface ForgottenProofs {
  readonly limited_keys: number;
}

/** Every organization of the account learns of it, also those that the person has joined just now. */
export const recordVouching = (
  tx: Tx,
  { id, email }: Pick<AccountRow, 'id' | 'email'>,
  { forgotten, address }: { readonly forgotten: ForgottenProofs; readonly address: string },
) =>
  recordOwnAct(tx, id, {
    action: 'password.changed',
    address,
    target: { id, name: email, details: { forgotten: true, way: 'issuer', ...forgotten } },
  });
