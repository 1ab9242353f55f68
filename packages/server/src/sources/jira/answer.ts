/**
 * These are the parts of Jira's answers that are read (https://developer.atlassian.com/cloud/jira/platform/rest/v3/). A
 * list without its items is an error. Within a record, a missing or odd value reads as empty.
 */
import { z } from 'zod';
import { AdfNode } from '../atlassian/adf.ts';
import { AtlassianUser } from '../atlassian/principals.ts';
import { flag, maybe, some, strictText, text } from '../kit/lenient.ts';

const Named = maybe(z.object({ name: text }));
const Names = some(z.object({ name: text })).transform((list) => list.map(({ name }) => name));
const Document = z.union([AdfNode, z.string()]).nullable().catch(null);
export type JiraDocument = z.output<typeof Document>;

export const Self = AtlassianUser.extend({ timeZone: text });
export const ServerInfo = z.object({ baseUrl: z.url() });

export const JiraProject = z.object({
  id: strictText,
  key: text,
  name: text,
  description: text,
  lead: maybe(AtlassianUser),
});
export type JiraProject = z.output<typeof JiraProject>;

export const JiraComment = z.object({
  id: strictText,
  author: maybe(AtlassianUser),
  body: Document,
  created: text,
  updated: text,
  jsdPublic: z.boolean().catch(true),
  visibility: z
    .object({ type: text, value: text, identifier: text })
    .nullish()
    .transform((value) => value ?? null),
});
export type JiraComment = z.output<typeof JiraComment>;

export const JiraAttachment = z.object({
  id: strictText,
  filename: text,
  author: maybe(AtlassianUser),
  created: text,
  size: z.coerce.number().catch(0),
  mimeType: text,
});
export type JiraAttachment = z.output<typeof JiraAttachment>;

const Linked = z.object({
  id: strictText,
  key: text,
  fields: z.object({ summary: text }).catch({ summary: '' }),
});
export type Linked = z.output<typeof Linked>;

const Fields = z.object({
  summary: text,
  description: Document,
  environment: Document,
  issuetype: Named,
  project: z.object({ id: strictText }),
  status: maybe(z.object({ name: text, statusCategory: Named })),
  priority: Named,
  labels: some(z.string()),
  reporter: maybe(AtlassianUser),
  assignee: maybe(AtlassianUser),
  created: text,
  updated: text,
  duedate: text,
  resolution: Named,
  resolutiondate: text,
  components: Names,
  fixVersions: Names,
  parent: maybe(Linked),
  issuelinks: some(
    z.object({
      type: z.object({ inward: text, outward: text }),
      inwardIssue: maybe(Linked),
      outwardIssue: maybe(Linked),
    }),
  ),
  // A list that cannot be read would delete the records in it.
  attachment: z.array(JiraAttachment).nullish(),
  // Comments that an answer does not show have a list of their own.
  comment: z
    .object({ comments: z.array(JiraComment), total: z.coerce.number().catch(0) })
    .nullish()
    .transform((value) => value ?? { comments: [], total: Number.POSITIVE_INFINITY }),
  // A level that cannot be read must not open the issue.
  security: z
    .object({ id: strictText, name: text })
    .nullish()
    .transform((value) => value ?? null),
});
export const FIELDS = Object.keys(Fields.shape);

export const JiraIssue = z.object({ id: strictText, key: text, fields: Fields });
export type JiraIssue = z.output<typeof JiraIssue>;

/** A page that is not the last one must name the next one; otherwise the rest of the listing would count as deleted. */
export const IssuePage = z
  .object({
    issues: z.array(JiraIssue),
    nextPageToken: z.string().nullish(),
    isLast: z.boolean().nullish(),
  })
  .refine(({ isLast, nextPageToken }) => isLast !== false || nextPageToken, 'has no token');

/** Whom a permission or a security level names. A group may have its name as parameter, and no value. */
export const Holder = z.object({
  type: text,
  value: text,
  parameter: text,
  user: maybe(z.object({ accountId: text })),
  group: maybe(z.object({ groupId: text })),
});
export type Holder = z.output<typeof Holder>;

export const PermissionScheme = z.object({
  permissions: z.array(z.object({ permission: text, holder: Holder })),
});
export const SecurityScheme = z.object({ id: strictText });
export const LevelMember = z.object({
  id: strictText,
  issueSecurityLevelId: strictText,
  holder: Holder,
});

/** The key is the name of a role, and the value is its address. */
export const RoleAddresses = z.record(z.string(), z.string());
export const ApplicationRole = z.object({ groupDetails: some(z.object({ groupId: text })) });

export const Role = z.object({
  actors: some(
    z.object({
      actorUser: maybe(z.object({ accountId: text })),
      actorGroup: maybe(z.object({ groupId: text })),
    }),
  ),
});

/** A page of a list whose items are numbered. */
export const pageOf = <Item>(item: z.ZodType<Item>) =>
  z.object({ values: z.array(item), isLast: flag.optional(), startAt: maybe(z.number()) });
export const CommentPage = z.object({
  comments: z.array(JiraComment),
  startAt: maybe(z.number()),
  // A page without these numbers is not the last one.
  maxResults: z.number().catch(0),
  total: z.number().catch(Number.POSITIVE_INFINITY),
});
