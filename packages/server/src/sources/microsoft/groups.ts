/**
 * Lists the members of all groups of an organization, those of groups in groups too
 * (https://learn.microsoft.com/graph/api/group-list-transitivemembers).
 */
import { z } from 'zod';
import type { Membership, MembershipItem } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { unlessRefused } from '../kit/members.ts';
import { at, collection, text } from './collection.ts';
import { emailOf, GraphPerson, needs } from './entra.ts';

export const user = (email: string) => `user:${email.toLowerCase()}`;
export const group = (id: string) => `group:${id.toLowerCase()}`;
/** All members of the organization are a group, too. The id of a group never has this form. */
export const EVERYONE = 'group:everyone';

/** Graph filters members by their type only with these (https://learn.microsoft.com/graph/aad-advanced-queries). */
const ADVANCED = { headers: { ConsistencyLevel: 'eventual' }, query: { $count: true, $top: 999 } };
const ALL = { $select: 'id,displayName', $top: 999 };
const Group = z.object({ id: z.string() });
const Named = Group.extend({ displayName: text });
const User = GraphPerson.extend({ userType: text });

export async function* membersOf(http: Http): AsyncGenerator<MembershipItem, void, void> {
  const query = { $select: 'id,mail,userPrincipalName,userType', $top: 999 };
  for await (const one of collection(http, { path: at`users`, query }, User))
    if (one.userType !== 'Guest') yield* memberOf(EVERYONE, one);
  for await (const { id, displayName } of collection(http, { path: at`groups`, query: ALL }, Named))
    yield* unlessRefused(
      { id, people: `the members of ${displayName || id}` },
      membersOfGroup(http, id),
    );
}

async function* membersOfGroup(http: Http, id: string): AsyncGenerator<Membership, void, void> {
  const path = at`groups/${id}/transitiveMembers/microsoft.graph.user`;
  for await (const person of collection(http, { path, ...ADVANCED }, GraphPerson))
    yield* memberOf(group(id), person);
}

function* memberOf(name: string, person: GraphPerson): Generator<Membership, void, void> {
  const email = emailOf(person);
  if (email !== undefined) yield { group: name, member: user(email) };
}

/** Throws a SourceError 'config' when the account may not read groups and people. */
export async function checkGroups(http: Http): Promise<void> {
  const one = (path: string) =>
    http.json({ path, query: { $select: 'id', $top: 1 } }, z.object({ value: z.array(Group) }));
  await needs('GroupMember.Read.All', one(at`groups`));
  await needs('User.ReadBasic.All', one(at`users`));
}
