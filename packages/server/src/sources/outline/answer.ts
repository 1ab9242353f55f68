/** These are the parts of Outline's answers that the connector uses. */
import { z } from 'zod';
import { AdfNode } from '../atlassian/adf.ts';
import { flag, maybe, some, text } from '../kit/lenient.ts';

export const OutlineUser = z.object({
  id: z.string(),
  name: text,
  /** Outline tells the address of others only to those who may see it. */
  email: maybe(z.string()),
  role: text,
  isSuspended: flag,
});
export type OutlineUser = z.output<typeof OutlineUser>;

export const OutlineAuth = z.object({
  data: z.object({
    user: OutlineUser,
    team: z.object({ id: z.string(), name: text, url: z.url() }),
  }),
});

export const OutlineCollection = z.object({
  id: z.string(),
  name: text,
  description: maybe(z.string()),
  url: z.string(),
  /** With a permission, everybody in the workspace but guests may read the collection. */
  permission: z.string().nullish(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type OutlineCollection = z.output<typeof OutlineCollection>;

export const OutlineDocument = z.object({
  id: z.string(),
  collectionId: z.string().nullish(),
  parentDocumentId: z.string().nullish(),
  title: text,
  /** Markdown. */
  text: z.string(),
  /** A path. */
  url: z.string(),
  createdAt: z.iso.datetime(),
  createdBy: maybe(OutlineUser),
  updatedAt: z.iso.datetime(),
  updatedBy: maybe(OutlineUser),
  /** A draft has none. */
  publishedAt: z.string().nullish(),
  archivedAt: z.string().nullish(),
  deletedAt: z.string().nullish(),
});
export type OutlineDocument = z.output<typeof OutlineDocument>;

export const OutlineComment = z.object({
  id: z.string(),
  documentId: z.string(),
  data: AdfNode,
  createdAt: z.iso.datetime(),
  createdBy: maybe(OutlineUser),
  updatedAt: z.iso.datetime(),
  resolvedAt: maybe(z.string()),
});
export type OutlineComment = z.output<typeof OutlineComment>;

/** A method that answers with a list. */
export interface OutlineList<Item> {
  readonly path: string;
  readonly data: z.ZodType<Item[]>;
}
const list = <Item>(path: string, item: z.ZodType<Item>): OutlineList<Item> => ({
  path,
  data: z.array(item),
});
/** A record of which only the time of its last change matters. */
const Changed = z.object({ id: z.string(), updatedAt: z.iso.datetime() });

export const COLLECTIONS = list('collections.list', OutlineCollection);
export const DOCUMENTS = list('documents.list', OutlineDocument);
export const ARCHIVED = list('documents.archived', Changed);
export const DELETED = list('documents.deleted', Changed);
export const COMMENTS = list('comments.list', OutlineComment);
export const USERS = list('users.list', OutlineUser);

/** Memberships of people in a collection or a document. */
const People = z
  .object({
    memberships: z.array(z.object({ id: z.string(), userId: z.string() })),
    users: some(OutlineUser),
  })
  .transform(({ memberships, users }) => {
    const byId = new Map(users.map((user) => [user.id, user]));
    return memberships.map(({ id, userId }) => ({ id, user: byId.get(userId) }));
  });
const GroupMembership = z.object({ id: z.string(), groupId: z.string() });

export const MEMBERS = {
  collections: {
    people: { path: 'collections.memberships', data: People },
    groups: {
      path: 'collections.group_memberships',
      data: z
        .object({ collectionGroupMemberships: z.array(GroupMembership) })
        .transform((data) => data.collectionGroupMemberships),
    },
  },
  documents: {
    people: { path: 'documents.memberships', data: People },
    groups: {
      path: 'documents.group_memberships',
      data: z
        .object({ groupMemberships: z.array(GroupMembership) })
        .transform((data) => data.groupMemberships),
    },
  },
};

export const GROUPS = {
  path: 'groups.list',
  data: z
    .object({ groups: z.array(z.object({ id: z.string(), name: text })) })
    .transform((data) => data.groups),
};
export const USERS_OF_GROUP = {
  path: 'groups.memberships',
  data: z.object({ users: z.array(OutlineUser) }).transform((data) => data.users),
};
