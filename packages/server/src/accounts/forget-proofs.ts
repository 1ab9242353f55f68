/** An account forgets what has proved so far that somebody is its person. */
import { lockAccount } from '../db/account.ts';
import type { Tx } from '../db/schema.ts';
import { removeAllOf, setPassword } from './session-store.ts';
import { removeLinksOf } from './start-link-store.ts';

/** The password, the start links and the sessions of the account end. */
export async function forgetProofs(tx: Tx, userId: string): Promise<void> {
  await lockAccount(tx, userId);
  await setPassword(tx, userId, null);
  // The links end first, so that the session of one that is being used now ends too.
  await removeLinksOf(tx, userId);
  await removeAllOf(tx, userId);
}
