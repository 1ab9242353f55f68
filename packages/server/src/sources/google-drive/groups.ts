/** Lists the members of groups and domains, which only administrators may do. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Membership, MembershipItem } from '../define.ts';
import {
  type DirectoryList,
  listOf,
  pageOf,
  peopleOf,
  USERS,
  USERS_SCOPE,
} from '../google/directory.ts';
import type { Http } from '../kit/http.ts';
import { unlessRefused } from '../kit/members.ts';
import { everyoneIn, group, user } from './access.ts';

export const DIRECTORY_SCOPES = [
  'https://www.googleapis.com/auth/admin.directory.group.readonly',
  USERS_SCOPE,
];

const Groups = z.object({
  groups: z.array(z.object({ email: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});
const Members = z.object({
  members: z.array(z.object({ type: z.string(), email: z.string().optional() })).default([]),
  nextPageToken: z.string().optional(),
});

export async function* membersOf(http: Http): AsyncGenerator<MembershipItem, void, void> {
  const domains = new Set<string>();
  for (const email of await peopleOf(http)) {
    const domain = email.slice(email.lastIndexOf('@') + 1);
    domains.add(domain);
    yield { group: everyoneIn(domain), member: user(email) };
  }
  for await (const { groups } of listOf(http, GROUPS))
    for (const { email } of groups)
      yield* unlessRefused(
        { id: email, people: `the members of ${email}` },
        membersOfGroup(http, email, domains),
      );
}

async function* membersOfGroup(
  http: Http,
  email: string,
  domains: ReadonlySet<string>,
): AsyncGenerator<Membership, void, void> {
  const list = {
    path: `groups/${encodeURIComponent(email)}/members`,
    schema: Members,
    query: { maxResults: 200, fields: 'nextPageToken,members(type,email)' },
  };
  // The type CUSTOMER stands for all people of the organization.
  for await (const { members } of listOf(http, list))
    for (const member of members)
      if (member.type === 'CUSTOMER')
        for (const domain of domains) yield { group: group(email), member: everyoneIn(domain) };
      else if (member.email !== undefined)
        yield {
          group: group(email),
          member: member.type === 'GROUP' ? group(member.email) : user(member.email),
        };
}

/** Throws a SourceError 'config' when the account may not read the directory. */
export async function checkDirectory(http: Http): Promise<void> {
  try {
    await pageOf(http, USERS, null);
    await pageOf(http, GROUPS, null);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    const what = 'the members of groups cannot be read, which only an administrator may do';
    throw new SourceError('config', `${what}: ${error.message}`, { cause: error });
  }
}

const GROUPS: DirectoryList<z.infer<typeof Groups>> = {
  path: 'groups',
  schema: Groups,
  query: { customer: 'my_customer', maxResults: 200, fields: 'nextPageToken,groups(email)' },
};
