/** Knows the people of a site and the members of its groups, which only some accounts may read. */
import { z } from 'zod';
import { AtlassianUser, userOf } from '../atlassian/principals.ts';
import { ifReadable } from '../atlassian/refusal.ts';
import { numbered } from '../kit/numbered.ts';
import type { JiraSite } from './reader.ts';

const LARGEST_PAGE = 1000;
/** Jira takes no larger number for the members of a group. */
const MOST_MEMBERS = 50;
const Users = z.array(AtlassianUser);

export interface JiraPeople {
  /** Returns the people by their account ids. There are none when they may not be read. */
  all(): Promise<ReadonlyMap<string, AtlassianUser>>;
  /** Returns the people behind these principals, each as a principal. */
  within(names: readonly string[]): Promise<ReadonlySet<string>>;
}

export function openPeople(site: JiraSite): JiraPeople {
  let users: Promise<ReadonlyMap<string, AtlassianUser>> | undefined;
  const groups = new Map<string, Promise<readonly string[]>>();
  const membersOf = (group: string) => {
    const members = groups.get(group) ?? membersIn(site, group.slice('group:'.length));
    groups.set(group, members);
    return members;
  };
  return {
    all() {
      users ??= usersOf(site).then((list) => new Map(list.map((user) => [user.accountId, user])));
      return users;
    },
    async within(names) {
      const people = new Set<string>();
      for (const name of names)
        if (!name.startsWith('group:')) people.add(name);
        else for (const member of await membersOf(name)) people.add(member);
      return people;
    },
  };
}

const usersOf = (site: JiraSite): Promise<AtlassianUser[]> =>
  ifReadable(
    () =>
      numbered(
        async (startAt) => ({
          values: await site.ask(
            { path: 'users/search', query: { startAt, maxResults: LARGEST_PAGE } },
            Users,
          ),
        }),
        ({ accountId }) => accountId,
      ),
    [],
  );

async function membersIn(site: JiraSite, groupId: string): Promise<string[]> {
  const users = await ifReadable(
    () =>
      site.list(
        {
          path: 'group/member',
          // Jira may leave out those who have left after it has counted a page, and then pages would not overlap.
          query: { groupId, includeInactiveUsers: true, maxResults: MOST_MEMBERS },
        },
        AtlassianUser,
        ({ accountId }) => accountId,
      ),
    [],
  );
  return users.flatMap((user) => userOf(user) ?? []);
}
