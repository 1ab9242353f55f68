/** Lists the members of groups that the account may perhaps not read. */
import { SourceError } from '../../errors.ts';
import type { Membership, MembershipItem } from '../define.ts';
import { skip } from '../items.ts';

interface ListedGroup {
  readonly id: string;
  /** Names the people for a person, such as 'the members of #general'. */
  readonly people: string;
  /** Says what a person can do so that the account may read who they are. */
  readonly remedy?: string;
}

/**
 * Yields the memberships. When the account may not read them, or the group is gone, nobody finds records as its member,
 * and the job lists the group among what it skipped.
 */
export async function* unlessRefused(
  { id, people, remedy }: ListedGroup,
  memberships: AsyncIterable<Membership>,
): AsyncGenerator<MembershipItem, void, void> {
  try {
    yield* memberships;
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    const effect = `Searches with X-Principals do not find what only ${people} may see, until the account may read who they are.`;
    yield skip(id, 'group', {
      reason: 'whose members are unknown',
      detail: error.message,
      hint: remedy === undefined ? effect : `${effect} ${remedy}`,
    });
  }
}
