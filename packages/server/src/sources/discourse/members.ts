/**
 * Lists who is in the groups that see restricted categories. Discourse lists the members of a group by user names, and
 * tells the e-mail addresses of all users only to admins.
 */
import type { Membership, MembershipItem } from '../define.ts';
import { counted } from '../kit/counted.ts';
import type { Http } from '../kit/http.ts';
import { unlessRefused } from '../kit/members.ts';
import { numbered } from '../kit/numbered.ts';
import { type ForumMember, GroupMembers, Users } from './answers.ts';
import { type ForumGroup, readCategories, USERS } from './categories.ts';
import type { DiscourseConfig } from './config.ts';

/** Discourse allows no more. */
const PER_PAGE = 1000;

export async function* members({
  http,
  config,
}: {
  readonly http: Http;
  readonly config: DiscourseConfig;
}): AsyncGenerator<MembershipItem, void, void> {
  const { groups, loginRequired } = await readCategories(http, config);
  const named = new Map<number, ForumGroup>();
  for (const some of groups.values()) for (const group of some ?? []) named.set(group.id, group);
  if (named.size === 0 && !loginRequired) return;
  const principals = new Map<string, string>();
  yield* unlessRefused(
    {
      id: 'users',
      people: 'certain users',
      remedy: 'Discourse tells their addresses only to admins.',
    },
    usersIn(http, { loginRequired, principals }),
  );
  if (principals.size === 0) return;
  for (const group of named.values())
    yield* unlessRefused(
      {
        id: `group/${group.id}`,
        people: `the members of ${group.name}`,
        remedy: 'Discourse tells them to admins.',
      },
      usersInGroup(http, group, principals),
    );
}

/** Adds the principals of all users, by their names. */
async function* usersIn(
  http: Http,
  {
    loginRequired,
    principals,
  }: { readonly loginRequired: boolean; readonly principals: Map<string, string> },
): AsyncGenerator<Membership, void, void> {
  for (const { username, email } of await peopleOf(http)) principals.set(username, `user:${email}`);
  if (loginRequired) for (const member of principals.values()) yield { group: USERS, member };
}

async function* usersInGroup(
  http: Http,
  group: ForumGroup,
  principals: ReadonlyMap<string, string>,
): AsyncGenerator<Membership, void, void> {
  for (const { username } of await membersOf(http, group)) {
    const member = principals.get(username);
    if (member !== undefined) yield { group: `group:${group.id}`, member };
  }
}

const membersOf = (http: Http, { name }: ForumGroup) =>
  numbered(
    async (offset) => {
      const path = `groups/${encodeURIComponent(name)}/members.json`;
      const { value } = await http.json({ path, query: { limit: PER_PAGE, offset } }, GroupMembers);
      const { members, meta } = value;
      return {
        values: members,
        isLast: offset + members.length >= meta.total,
        startAt: meta.offset,
      };
    },
    ({ username }) => username,
  );

/** Leaves out whoever may not sign in: an address that nobody has confirmed may belong to another person. */
async function peopleOf(http: Http): Promise<ForumMember[]> {
  const suspended = new Set((await usersOf(http, 'suspended')).map(({ username }) => username));
  const users = await usersOf(http, 'active');
  return users
    .filter((user) => user.active && !user.staged && !suspended.has(user.username))
    .flatMap((user) => (user.email ? [{ ...user, email: user.email.toLowerCase() }] : []));
}

/** Discourse counts pages of users from 1 on. */
const usersOf = (http: Http, list: 'active' | 'suspended') =>
  counted<ForumMember>(
    async (page) => {
      const query = { order: 'created', asc: true, show_emails: true, page: page + 1 };
      const request = { path: `admin/users/list/${list}.json`, query };
      return { items: (await http.json(request, Users)).value };
    },
    ({ username }) => username,
  );
