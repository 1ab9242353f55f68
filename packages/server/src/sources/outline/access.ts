/**
 * Finds who may see a collection and its documents. A collection with a permission is for everybody in the workspace but
 * guests; beside them, and alone in a private collection, the people and groups may see it that are its members. Others
 * are members of a single document, and of the documents below it. Nobody is ever barred from a document of a collection
 * that they may see, so it is safe to leave out members that cannot be read.
 */
import type { Access } from '../../model/entity.ts';
import type { Membership, MembershipItem } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { ifReadable } from '../kit/listing.ts';
import { unlessRefused } from '../kit/members.ts';
import {
  GROUPS,
  MEMBERS,
  type OutlineCollection,
  type OutlineUser,
  USERS,
  USERS_OF_GROUP,
} from './answer.ts';
import { allOf, membersOf } from './api.ts';

/** Everybody in the workspace but guests. Groups of Outline have UUIDs. */
const EVERYONE = 'group:everyone';
const groupOf = (id: string): string => `group:${id}`;

/** Returns nobody for a person who is suspended, and for one whose address the account may not see. */
const namesOf = (user: OutlineUser | undefined): readonly string[] =>
  user && !user.isSuspended && user.email ? [`user:${user.email.toLowerCase()}`] : [];

export interface OutlineAccess {
  /** The collection is undefined when the account does not see it, and only the document. */
  ofDocument(id: string, collection: OutlineCollection | undefined): Promise<Access>;
  ofCollection(collection: OutlineCollection): Promise<Access>;
}

export function openAccess(http: Http): OutlineAccess {
  const known = new Map<string, Promise<readonly string[]>>();

  async function namesIn(kind: keyof typeof MEMBERS, id: string): Promise<readonly string[]> {
    const { people, groups } = MEMBERS[kind];
    const ofPeople = await ifReadable(() => membersOf(http, people, id), []);
    const ofGroups = await ifReadable(() => membersOf(http, groups, id), []);
    return [
      ...ofPeople.flatMap(({ user }) => namesOf(user)),
      ...ofGroups.map(({ groupId }) => groupOf(groupId)),
    ];
  }

  async function readCollection({ id, permission }: OutlineCollection) {
    const members = await namesIn('collections', id);
    return permission ? [EVERYONE, ...members] : members;
  }
  function viewersOf(collection: OutlineCollection): Promise<readonly string[]> {
    const viewers = known.get(collection.id) ?? readCollection(collection);
    known.set(collection.id, viewers);
    return viewers;
  }

  return {
    ofCollection: async (collection) => accessFor(await viewersOf(collection)),
    async ofDocument(id, collection) {
      const inherited = collection ? await viewersOf(collection) : [];
      return accessFor([...inherited, ...(await namesIn('documents', id))]);
    },
  };
}

const accessFor = (viewers: readonly string[]): Access => ({
  viewers: [...new Set(viewers)].toSorted(),
  isPublic: false,
});

export async function* members(http: Http): AsyncGenerator<MembershipItem, void, void> {
  for (const user of await allOf(http, USERS))
    if (user.role !== 'guest')
      for (const member of namesOf(user)) yield { group: EVERYONE, member };
  for (const { id, name } of await allOf(http, GROUPS)) {
    yield* unlessRefused({ id, people: `the members of ${name || id}` }, membersOfGroup(http, id));
  }
}

async function* membersOfGroup(http: Http, id: string): AsyncGenerator<Membership, void, void> {
  const users = await membersOf(http, USERS_OF_GROUP, id);
  for (const member of users.flatMap(namesOf)) yield { group: groupOf(id), member };
}
