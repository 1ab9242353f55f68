/** Knows the people and groups of a site, for mentions and for access. */
import type { z } from 'zod';
import { chunked } from '../../util.ts';
import { groupOf } from '../atlassian/principals.ts';
import { ifReadable, withScope } from '../atlassian/refusal.ts';
import type { Membership, MembershipItem } from '../define.ts';
import { unlessRefused } from '../kit/members.ts';
import { numbered } from '../kit/numbered.ts';
import { GroupAnswer, MemberAnswer, PersonAnswer, pageOf } from './answer.ts';
import { ask, type ConfluenceSite, v1PathOf } from './api.ts';

/** Confluence takes at most this many accounts in a request. */
const MAX_PEOPLE = 250;
const MEMBERS_PAGE_SIZE = 200;
/** These accounts cannot sign in. */
const ENDED = new Set(['inactive', 'closed']);

export const readersOf = (spaceId: string): string => `group:space/${spaceId}`;

export interface ConfluencePeople {
  /** Asks for these accounts, so that the functions below know them. */
  load(ids: Iterable<string>): Promise<void>;
  /** Returns '' for a person who is not known. */
  nameOf(id: string): string;
  /** Returns undefined for a person who cannot sign in, and for one whose address may not be read. */
  principalOf(id: string): string | undefined;
  /** Returns the account ids of the members. A group that may not be read has none. */
  membersOf(group: string): Promise<ReadonlySet<string>>;
}

export function openPeople(site: ConfluenceSite): ConfluencePeople {
  const known = new Map<string, PersonAnswer | null>();
  const groups = new Map<string, Promise<ReadonlySet<string>>>();
  return {
    async load(ids) {
      const unknown = [...new Set(ids)].filter((id) => id !== '' && !known.has(id));
      for (const some of chunked(unknown, MAX_PEOPLE)) {
        const found = await find(site, some);
        for (const id of some) known.set(id, found.get(id) ?? null);
      }
    },
    nameOf(id) {
      const person = known.get(id);
      return person?.publicName || person?.displayName || '';
    },
    principalOf(id) {
      const person = known.get(id);
      if (!person || person.email === '' || ENDED.has(person.accountStatus)) return undefined;
      return `user:${person.email.toLowerCase()}`;
    },
    membersOf(group) {
      const asked =
        groups.get(group) ?? ifReadable(() => membersIn(site, group), new Set<string>());
      groups.set(group, asked);
      return asked;
    },
  };
}

async function find(site: ConfluenceSite, accountIds: readonly string[]) {
  const request = { path: 'wiki/api/v2/users-bulk', body: { accountIds } };
  const people = await ifReadable(
    async () => (await ask(site, request, pageOf(PersonAnswer))).value.results,
    [],
  );
  return new Map(people.map((person) => [person.accountId, person]));
}

/** Lists of the first version have pages by the number of their first item. */
const listOf = <T>(
  site: ConfluenceSite,
  path: string,
  { item, idOf }: { readonly item: z.ZodType<T>; readonly idOf: (item: T) => string },
): Promise<T[]> =>
  numbered(async (start) => {
    const query = { start, limit: MEMBERS_PAGE_SIZE };
    const { value } = await ask(site, { path, query }, pageOf(item));
    return { values: value.results, startAt: value.start };
  }, idOf);

async function membersIn(site: ConfluenceSite, group: string): Promise<ReadonlySet<string>> {
  const path = v1PathOf('group', group, '/membersByGroupId');
  const idOf = ({ accountId }: { readonly accountId: string }) => accountId;
  return new Set((await listOf(site, path, { item: MemberAnswer, idOf })).map(idOf));
}

/** Yields the members of all groups of the site. */
export async function* groupMembers(
  site: ConfluenceSite,
  people: ConfluencePeople,
): AsyncGenerator<MembershipItem, void, void> {
  const groups = { item: GroupAnswer, idOf: ({ id }: { readonly id: string }) => id };
  const read = () => listOf(site, 'wiki/rest/api/group', groups);
  for (const { id, name } of await ifReadable(read, []))
    yield* unlessRefused(
      { id: `group/${id}`, people: `the members of ${name || id}` },
      membersOfGroup(site, people, id),
    );
}

async function* membersOfGroup(
  site: ConfluenceSite,
  people: ConfluencePeople,
  id: string,
): AsyncGenerator<Membership, void, void> {
  const members = await withScope(() => membersIn(site, id));
  await people.load(members);
  for (const account of members) {
    const member = people.principalOf(account);
    if (member !== undefined) yield { group: groupOf(id), member };
  }
}
