/** The acts of a person on the own account are in the audit log of every organization of the account. */
import { type RecordedAct, record } from '../audit/act.ts';
import type { Tx } from '../db/schema.ts';
import { accountById, membershipsOf } from './session-store.ts';

export async function recordOwnAct(
  tx: Tx,
  userId: string,
  what: Omit<RecordedAct, 'actor'>,
): Promise<void> {
  const { email } = await accountById(tx, userId);
  const joined = await membershipsOf(tx, userId);
  await record(
    tx,
    joined.map(({ id }) => id),
    { ...what, actor: { type: 'user', id: userId, name: null, email } },
  );
}
