/**
 * These are the parts of Notion's answers that are read (https://developers.notion.com/reference). A list without its
 * results is an error. Within a record, a missing or odd value reads as empty, so that one record never ends a sync.
 */
import { z } from 'zod';
import { flag, maybe, some, text } from '../kit/lenient.ts';

/** People and groups. Without the capability to read user information, only the id is there. */
export const Person = z.object({ id: text, name: text, person: maybe(z.object({ email: text })) });
export type Person = z.output<typeof Person>;

export const DateValue = z.object({ start: text, end: text });

const RichItem = z.object({
  type: text,
  plain_text: text,
  href: text,
  annotations: z.object({ code: flag }).catch({ code: false }),
  equation: maybe(z.object({ expression: text })),
  mention: maybe(z.object({ user: maybe(Person), date: maybe(DateValue) })),
});
export const Rich = some(RichItem);
export type Rich = z.output<typeof Rich>;

/** Notion names parents of some kinds by an id. The workspace and agents are parents without one. */
const KINDS = ['page', 'data_source', 'database', 'block'] as const;
type ParentKind = (typeof KINDS)[number];
export interface Parent {
  readonly kind: ParentKind;
  readonly id: string;
}
const Parent = z
  .record(z.string(), z.unknown())
  .nullish()
  .catch(null)
  .transform((parent): Parent | null => {
    const kind = KINDS.find((one) => parent?.type === `${one}_id`);
    const id = parent?.[`${kind}_id`];
    return kind && typeof id === 'string' && id !== '' ? { kind, id } : null;
  });

const HostedFile = maybe(z.object({ url: text }));
export const FileValue = z.object({
  type: text,
  name: text,
  file: HostedFile,
  external: HostedFile,
});

/** These are the contents of blocks of all types. A block has those that its type has. */
const Content = FileValue.extend({
  rich_text: Rich,
  caption: Rich,
  title: z.union([Rich.refine((title) => title.length > 0), text]).catch(''),
  url: text,
  language: text,
  expression: text,
  checked: flag,
  /** Each cell has its place, also an odd one. */
  cells: z.array(Rich).catch([]),
  icon: maybe(z.object({ emoji: text })),
  synced_from: maybe(z.object({ block_id: text })),
  page_id: text,
  database_id: text,
  list_start_index: z.number().int().min(0).max(999_999).catch(1),
});
export const NotionBlock = z
  .looseObject({
    id: z.string(),
    type: text,
    has_children: flag,
    created_time: text,
    last_edited_time: text,
    parent: Parent,
  })
  .transform(({ id, type, has_children, created_time, last_edited_time, parent, ...more }) => ({
    ...{ id, type, has_children, created_time, last_edited_time, parent },
    content: Content.parse(typeof more[type] === 'object' && more[type] !== null ? more[type] : {}),
  }));
export type NotionBlock = z.output<typeof NotionBlock>;

const Dated = {
  id: z.string().min(1),
  created_time: text,
  /** It is missing when the integration may know the id of the record and nothing else. */
  last_edited_time: text,
  in_trash: flag,
  /** Before version 2026-03-11, this says the same as `in_trash`. */
  archived: flag,
  url: text,
  parent: Parent,
  created_by: maybe(Person),
  last_edited_by: maybe(Person),
  properties: z.record(z.string(), z.unknown()).catch({}),
};
export const NotionPage = z.object({ object: z.literal('page'), ...Dated });
export type NotionPage = z.output<typeof NotionPage>;
export const DataSource = z.object({
  object: z.literal('data_source'),
  ...Dated,
  title: Rich,
  description: Rich,
  database_parent: Parent,
});
export type DataSource = z.output<typeof DataSource>;
export type FoundRecord = NotionPage | DataSource;

const Other = z
  .looseObject({ object: z.string().refine((kind) => !['page', 'data_source'].includes(kind)) })
  .transform(() => null);
/** Records of other kinds, which Notion may add to its search, are passed over. */
export const SearchResult = z.union([NotionPage, DataSource, Other]);

export const Database = z.object({
  title: Rich,
  description: Rich,
  parent: Parent,
  data_sources: z.array(z.object({ id: z.string().min(1) })).catch([]),
});

export const CommentAnswer = z.object({
  id: z.string().min(1),
  discussion_id: text,
  created_time: text,
  last_edited_time: text,
  created_by: maybe(Person),
  display_name: maybe(z.object({ resolved_name: text })),
  rich_text: Rich,
});
export type CommentAnswer = z.output<typeof CommentAnswer>;

export const Self = z.object({
  name: text,
  bot: maybe(z.object({ workspace_name: text })),
});

/** A page that is not the last one must name the next one; otherwise the rest of the listing would count as deleted. */
export const listOf = <T>(item: z.ZodType<T>) =>
  z
    .object({
      results: z.array(item),
      has_more: z.boolean(),
      next_cursor: z.string().nullish(),
      request_status: maybe(z.object({ type: text })),
    })
    .refine(
      ({ has_more, next_cursor }) => !has_more || typeof next_cursor === 'string',
      'no cursor',
    );

export const isTrashed = ({ in_trash, archived }: FoundRecord): boolean => in_trash || archived;

/** Returns undefined for a text that is not a time. */
export function dateOf(time: string): Date | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
