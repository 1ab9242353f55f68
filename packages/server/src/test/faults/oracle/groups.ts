/** Who is in which group, by connection, as readers find it. */
import type { Membership } from '../../../sources/define.ts';
import type { Observer } from './observe.ts';
import { same } from './violation.ts';

const READ = `select m.connection_id, m.group_name as "group", m.member from group_members m
  join connections c on c.id = m.connection_id and c.members_list = m.list`;

export function createGroups(observer: Observer) {
  /** What the last full pull that was completed has said. */
  const said = new Map<string, string>();
  return {
    completed(connectionId: string, members: readonly Membership[]): void {
      said.set(connectionId, namesOf(members));
    },

    /** At every moment a reader finds the groups that the last full pull has named, all of them. */
    check(living: readonly string[]): void {
      const read = Map.groupBy(
        observer.all<Membership & { connection_id: string }>(READ),
        (row) => row.connection_id,
      );
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
