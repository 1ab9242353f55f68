/** Checks the members of groups, by connection, as readers find them. */
import type { Membership } from '../../../sources/define.ts';
import { same } from '../../random/violation.ts';
import type { Observer } from './observe.ts';

const READ = `select m.connection_id, m.group_name as "group", m.member from group_members m
  join connections c on c.id = m.connection_id and c.members_list = m.list`;

type MemberRow = Membership & { readonly connection_id: string };

/** Returns the members that a reader finds, by connection. */
export const membersOf = (observer: Observer): Map<string, MemberRow[]> =>
  Map.groupBy(observer.all<MemberRow>(READ), (row) => row.connection_id);

export function createGroups(observer: Observer) {
  /** Maps each connection to the groups that a completed pull listed last. */
  const said = new Map<string, string>();
  return {
    completed(connectionId: string, members: readonly Membership[]): void {
      said.set(connectionId, namesOf(members));
    },

    /** A reader must find all groups of the last completed pull that listed them, at every moment. */
    check(living: readonly string[]): void {
      const read = membersOf(observer);
      for (const id of living)
        same(
          namesOf(read.get(id) ?? []),
          said.get(id) ?? '',
          'groups are what the source said, all at once',
          id,
        );
    },
  };
}

const namesOf = (members: readonly Membership[]): string =>
  members
    .map(({ group, member }) => `${group} ${member}`)
    .toSorted()
    .join();
