/** Says which grants an item of SharePoint Online has, from itself and from above, and who may read it by them. */
import type { GraphDirectory, GraphUser } from './graph-directory.ts';
import type { GraphGrant, GraphItem } from './graph-drive-records.ts';

interface GrantParts {
  readonly directory: GraphDirectory;
  /** The key is the name of a group of a site, the value are the ids of people. */
  readonly siteGroups: ReadonlyMap<string, readonly string[]>;
  /** Returns the folders in which an item is, from the nearest to the root. */
  readonly above: (item: GraphItem) => readonly GraphItem[];
}

export function makeGraphGrants({ directory, siteGroups, above }: GrantParts) {
  /** Returns the grants of the item with the item at which each was made. */
  function grantsOf(item: GraphItem): { grant: GraphGrant; from: GraphItem }[] {
    const chain = [item, ...above(item)];
    const end = chain.findIndex(({ isUnique }) => isUnique);
    const counting = end === -1 ? chain : chain.slice(0, end + 1);
    return counting.flatMap((from) => from.grants.map((grant) => ({ grant, from })));
  }
  function mayRead(user: GraphUser, item: GraphItem): boolean {
    const isIn = (id: string) => {
      const group = directory.groups.get(id);
      return group !== undefined && directory.allMembersOf(group).has(user.id);
    };
    return grantsOf(item).some(({ grant: { to, ids = [] } }) => {
      if (to === 'user' || to === 'users') return ids.includes(user.id);
      if (to === 'group') return ids.some(isIn);
      if (to === 'siteGroup') return ids.some((name) => siteGroups.get(name)?.includes(user.id));
      return to !== 'everyone' || user.userType === 'Member';
    });
  }

  return { grantsOf, mayRead };
}
