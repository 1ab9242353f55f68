/**
 * These are the parts of Confluence's answers that are read (https://developer.atlassian.com/cloud/confluence/rest/v2 and
 * v1). A list without its results, and a record without its id, is an error. Within a record, a missing or odd value reads
 * as empty, so that one record never ends a sync. A missing restriction is not read as none.
 */
import { z } from 'zod';
import { storableText } from '../../model/storable.ts';
import { beginningOf } from '../../util.ts';
import { flag, maybe, some, strictText } from '../kit/lenient.ts';

const written = strictText.transform(storableText);
const text = written.catch('');
/** Names are shown with every record below, so their length is limited. Confluence's own limit is 255 characters. */
const name = text.transform((one) => beginningOf(one, 1000));
/** Some ids are numbers of 64 bits, which come as texts. */
const id = written.pipe(z.string().min(1));
const time = z
  .string()
  .catch('')
  .transform((one) => new Date(one))
  .transform((one) => (Number.isNaN(one.getTime()) ? null : one));
const number = z.coerce.number().catch(0);

const Links = z
  .object({ next: text, webui: text, base: text })
  .catch({ next: '', webui: '', base: '' });
export const pageOf = <T>(item: z.ZodType<T>) =>
  z.object({ results: z.array(item), _links: Links, start: maybe(z.number()) });

/** The text is in the storage format. A listing without bodies has none. */
const Body = z
  .object({ storage: z.object({ value: text }) })
  .catch({ storage: { value: '' } })
  .transform(({ storage }) => storage.value);
const Version = z
  .object({ number, createdAt: time, authorId: text })
  .catch({ number: 0, createdAt: null, authorId: '' });

export const SpaceAnswer = z.object({
  id,
  key: name,
  name,
  type: text,
  status: text,
  authorId: text,
  homepageId: text,
  createdAt: time,
  description: z
    .object({ plain: z.object({ value: text }) })
    .catch({ plain: { value: '' } })
    .transform(({ plain }) => plain.value),
  _links: Links,
});
export type SpaceAnswer = z.output<typeof SpaceAnswer>;

/** Pages, blog posts, and the folders, databases and whiteboards between pages. Blog posts have no parent. */
export const ContentAnswer = z.object({
  id,
  status: text,
  title: name,
  spaceId: text,
  parentId: text,
  parentType: text,
  authorId: text,
  createdAt: time,
  version: Version,
  body: Body,
  _links: Links,
});
export type ContentAnswer = z.output<typeof ContentAnswer>;

/** A comment has the id of its page or blog post. An answer to a comment may only have the id of that comment. */
export const ThreadComment = z.object({
  id,
  status: text,
  pageId: text,
  blogPostId: text,
  parentCommentId: text,
  version: Version,
  body: Body,
  resolutionStatus: text,
  properties: z.object({ inlineOriginalSelection: text }).catch({ inlineOriginalSelection: '' }),
  _links: Links,
});
export type ThreadComment = z.output<typeof ThreadComment>;

export const AttachmentAnswer = z.object({
  id,
  status: text,
  title: name,
  pageId: text,
  blogPostId: text,
  mediaType: text,
  fileSize: number,
  createdAt: time,
  version: Version,
  webuiLink: text,
});
export type AttachmentAnswer = z.output<typeof AttachmentAnswer>;

export const PermissionAnswer = z.object({
  principal: maybe(z.object({ type: text, id: text })),
  operation: maybe(z.object({ key: text, targetType: text })),
});

/** The first version has an empty address for a hidden one. */
export const CurrentUser = z.object({
  type: text,
  accountId: text,
  email: text,
  displayName: text,
});

/** The second version leaves out a hidden address. */
export const PersonAnswer = z.object({
  accountId: id,
  accountType: text,
  accountStatus: text,
  displayName: name,
  publicName: name,
  email: text,
});
export type PersonAnswer = z.output<typeof PersonAnswer>;

export const GroupAnswer = z.object({ id, name });
export const MemberAnswer = z.object({ accountId: text });

/** A list that is as long as it may be, or has a next page, may not have everybody. */
const readers = <T>(item: z.ZodType<T>) =>
  z
    .object({ results: z.array(item), limit: number, _links: Links })
    .transform(({ results, limit, _links: { next } }) => ({
      results,
      isWhole: next === '' && (limit <= 0 || results.length < limit),
    }));
const NamedReaders = z.object({
  user: readers(z.object({ accountId: id })),
  group: readers(z.object({ id })),
});
export const RestrictionAnswer = z
  .object({ restrictions: NamedReaders })
  .transform(({ restrictions: { user, group } }) => ({
    people: user.results.map(({ accountId }) => accountId),
    groups: group.results.map((one) => one.id),
    isWhole: user.isWhole && group.isWhole,
  }));
const Labels = z
  .object({ labels: z.object({ results: some(z.object({ name: text })) }) })
  .catch({ labels: { results: [] } })
  .transform(({ labels }) => labels.results.map(({ name }) => name));
/** A restriction that is missing, or has another form, is null. */
export const FoundContent = z.object({
  id,
  metadata: Labels,
  restrictions: maybe(z.object({ read: maybe(RestrictionAnswer) })),
});
export const Newest = z.object({ lastModified: time });
export const PermissionCheck = z.object({ hasPermission: flag });
