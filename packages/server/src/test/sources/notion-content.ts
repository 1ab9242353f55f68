/**
 * Makes rich text, and the contents of blocks. The types are those of Notion's own client, because Notion's document says
 * of most answers only that they are objects.
 */
import type {
  BlockObjectResponse,
  RichTextItemResponse,
  UserObjectResponse,
} from '@notionhq/client';

type Omitted =
  | 'object'
  | 'id'
  | 'parent'
  | 'created_time'
  | 'created_by'
  | 'last_edited_time'
  | 'last_edited_by'
  | 'has_children'
  | 'in_trash'
  | 'archived';
type OfEach<Block> = Block extends BlockObjectResponse ? Omit<Block, Omitted> : never;
/** The fields of a block that its type has of its own. */
export type NotionContent = OfEach<BlockObjectResponse>;
/** A file that Notion keeps. Its address ends after an hour, so each answer has another one. */
export type NotionFileRef = { readonly url: string; readonly expiry_time: string };

const PLAIN = {
  bold: false,
  italic: false,
  strikethrough: false,
  underline: false,
  code: false,
  color: 'default',
} as const;

export const text = (
  content: string,
  more: Partial<typeof PLAIN | { [Key in 'bold' | 'italic' | 'code']: boolean }> = {},
  link: string | null = null,
): RichTextItemResponse => ({
  type: 'text',
  text: { content, link: link === null ? null : { url: link } },
  annotations: { ...PLAIN, ...more },
  plain_text: content,
  href: link,
});

export const mention = {
  user: (user: UserObjectResponse): RichTextItemResponse => ({
    type: 'mention',
    mention: { type: 'user', user },
    annotations: PLAIN,
    plain_text: `@${user.name}`,
    href: null,
  }),
  page: (id: string, title: string): RichTextItemResponse => ({
    type: 'mention',
    mention: { type: 'page', page: { id } },
    annotations: PLAIN,
    plain_text: title,
    href: `https://www.notion.so/${id.replaceAll('-', '')}`,
  }),
  date: (start: string): RichTextItemResponse => ({
    type: 'mention',
    mention: { type: 'date', date: { start, end: null, time_zone: null } },
    annotations: PLAIN,
    plain_text: start,
    href: null,
  }),
};

export const formula = (expression: string): RichTextItemResponse => ({
  type: 'equation',
  equation: { expression },
  annotations: PLAIN,
  plain_text: expression,
  href: null,
});

const rich = (one: string | RichTextItemResponse[]) =>
  typeof one === 'string' ? [text(one)] : one;
type Rich = string | RichTextItemResponse[];
const words = (one: Rich) => ({ rich_text: rich(one), color: 'default' as const });

/** Each function makes the contents of a block. */
export const block = {
  paragraph: (one: Rich) =>
    ({ type: 'paragraph', paragraph: { ...words(one), icon: null } }) satisfies NotionContent,
  heading: (one: Rich) =>
    ({
      type: 'heading_2',
      heading_2: { ...words(one), is_toggleable: false },
    }) satisfies NotionContent,
  bullet: (one: Rich) =>
    ({ type: 'bulleted_list_item', bulleted_list_item: words(one) }) satisfies NotionContent,
  number: (one: Rich) =>
    ({ type: 'numbered_list_item', numbered_list_item: words(one) }) satisfies NotionContent,
  toDo: (one: Rich, checked: boolean) =>
    ({ type: 'to_do', to_do: { ...words(one), checked } }) satisfies NotionContent,
  toggle: (one: Rich) => ({ type: 'toggle', toggle: words(one) }) satisfies NotionContent,
  quote: (one: Rich) => ({ type: 'quote', quote: words(one) }) satisfies NotionContent,
  callout: (one: Rich) =>
    ({
      type: 'callout',
      callout: { ...words(one), icon: { type: 'emoji', emoji: '💡' } },
    }) satisfies NotionContent,
  code: (one: string) =>
    ({
      type: 'code',
      code: { rich_text: [text(one)], caption: [], language: 'typescript' },
    }) satisfies NotionContent,
  equation: (expression: string) =>
    ({ type: 'equation', equation: { expression } }) satisfies NotionContent,
  divider: () => ({ type: 'divider', divider: {} }) satisfies NotionContent,
  bookmark: (url: string) =>
    ({
      type: 'bookmark',
      bookmark: { url, caption: [text('A page of others')] },
    }) satisfies NotionContent,
  columns: () => ({ type: 'column_list', column_list: {} }) satisfies NotionContent,
  column: () => ({ type: 'column', column: { width_ratio: 0.5 } }) satisfies NotionContent,
  table: (width: number) =>
    ({
      type: 'table',
      table: { table_width: width, has_column_header: true, has_row_header: false },
    }) satisfies NotionContent,
  row: (...cells: Rich[]) =>
    ({ type: 'table_row', table_row: { cells: cells.map(rich) } }) satisfies NotionContent,
  /** A copy shows the blocks of the original. */
  synced: (original: string | null) =>
    ({
      type: 'synced_block',
      synced_block: { synced_from: original ? { type: 'block_id', block_id: original } : null },
    }) satisfies NotionContent,
  linkToPage: (id: string) =>
    ({
      type: 'link_to_page',
      link_to_page: { type: 'page_id', page_id: id },
    }) satisfies NotionContent,
  unsupported: () =>
    ({ type: 'unsupported', unsupported: { block_type: 'button' } }) satisfies NotionContent,
  externalImage: (url: string) =>
    ({
      type: 'image',
      image: { type: 'external', external: { url }, caption: [text('A heron')] },
    }) satisfies NotionContent,
  /** The addresses are written when Notion answers. */
  file: (name: string, file: NotionFileRef) =>
    ({ type: 'file', file: { type: 'file', file, name, caption: [] } }) satisfies NotionContent,
  image: (file: NotionFileRef) =>
    ({ type: 'image', image: { type: 'file', file, caption: [] } }) satisfies NotionContent,
  pdf: (file: NotionFileRef) =>
    ({ type: 'pdf', pdf: { type: 'file', file, caption: [] } }) satisfies NotionContent,
};
