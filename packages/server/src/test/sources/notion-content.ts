/**
 * Makes the contents of Notion's objects: rich text, blocks and properties. The types are those of Notion's own client,
 * because Notion's document says of most answers only that they are objects.
 */
import type {
  BlockObjectResponse,
  DataSourceObjectResponse,
  PageObjectResponse,
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
export type NotionValues = PageObjectResponse['properties'];
export type NotionColumns = DataSourceObjectResponse['properties'];
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

export const titleOf = (title: string): NotionValues => ({
  Name: { id: 'title', type: 'title', title: [text(title)] },
});

/** The columns of a data source, one of each kind. The ids of properties are encoded as a part of an address. */
export const COLUMN_IDS = {
  Notes: 'n%3Ao',
  Priority: 'pr%7B',
  Tags: 'tags',
  State: 'st%3Dt',
  Owners: 'own',
  Due: 'du%3Fe',
  Depends: 'dep%40',
  Effort: 'effo',
  Total: 'roll',
  Label: 'form',
  Done: 'done',
  Link: 'link',
  Mail: 'mail',
  Phone: 'phon',
  Papers: 'file',
  Created: 'crea',
  'Created by': 'crby',
  Edited: 'edit',
  'Edited by': 'edby',
  Number: 'uniq',
} as const;

interface RowFacts {
  readonly user: UserObjectResponse;
  readonly title: string;
  readonly notes: string;
  readonly depends: readonly string[];
  readonly createdTime: string;
  readonly editedTime: string;
  readonly number: number;
  readonly file: NotionFileRef;
}

/** Returns the properties of a page in a data source that has a property of every kind. */
export function valuesOf({ user, title, notes, depends, ...row }: RowFacts): NotionValues {
  const id = COLUMN_IDS;
  const option = (name: string) => ({ id: `option-${name}`, name, color: 'blue' as const });
  return {
    ...titleOf(title),
    Notes: { id: id.Notes, type: 'rich_text', rich_text: [text(notes)] },
    Priority: { id: id.Priority, type: 'select', select: option('High') },
    Tags: { id: id.Tags, type: 'multi_select', multi_select: ['weir', 'heron'].map(option) },
    State: { id: id.State, type: 'status', status: option('In progress') },
    Owners: { id: id.Owners, type: 'people', people: [user] },
    Due: {
      id: id.Due,
      type: 'date',
      date: { start: '2026-05-01', end: '2026-05-03', time_zone: null },
    },
    Depends: {
      id: id.Depends,
      type: 'relation',
      relation: depends.map((one) => ({ id: one })),
    },
    Effort: { id: id.Effort, type: 'number', number: 2.5 },
    Total: { id: id.Total, type: 'rollup', rollup: { type: 'number', number: 5, function: 'sum' } },
    Label: { id: id.Label, type: 'formula', formula: { type: 'string', string: `${title}!` } },
    Done: { id: id.Done, type: 'checkbox', checkbox: false },
    Link: { id: id.Link, type: 'url', url: 'https://acme.example/weir' },
    Mail: { id: id.Mail, type: 'email', email: 'weir@acme.example' },
    Phone: { id: id.Phone, type: 'phone_number', phone_number: null },
    Papers: {
      id: id.Papers,
      type: 'files',
      files: [{ name: 'plan.md', type: 'file', file: row.file }],
    },
    Created: { id: id.Created, type: 'created_time', created_time: row.createdTime },
    'Created by': { id: id['Created by'], type: 'created_by', created_by: user },
    Edited: { id: id.Edited, type: 'last_edited_time', last_edited_time: row.editedTime },
    'Edited by': { id: id['Edited by'], type: 'last_edited_by', last_edited_by: user },
    Number: { id: id.Number, type: 'unique_id', unique_id: { prefix: 'ACME', number: row.number } },
  };
}

/** Returns the columns of that data source. */
export function columnsOf(related: string): NotionColumns {
  const option = (name: string) => ({
    id: `option-${name}`,
    name,
    color: 'blue' as const,
    description: null,
  });
  const settings = {
    Notes: { type: 'rich_text', rich_text: {} },
    Priority: { type: 'select', select: { options: ['High', 'Low'].map(option) } },
    Tags: { type: 'multi_select', multi_select: { options: ['weir', 'heron'].map(option) } },
    State: { type: 'status', status: { options: [option('In progress')], groups: [] } },
    Owners: { type: 'people', people: {} },
    Due: { type: 'date', date: {} },
    Depends: {
      type: 'relation',
      relation: {
        database_id: related,
        data_source_id: related,
        type: 'single_property',
        single_property: {},
      },
    },
    Effort: { type: 'number', number: { format: 'number' } },
    Total: {
      type: 'rollup',
      rollup: {
        function: 'sum',
        rollup_property_name: 'Effort',
        rollup_property_id: COLUMN_IDS.Effort,
        relation_property_name: 'Depends',
        relation_property_id: COLUMN_IDS.Depends,
      },
    },
    Label: { type: 'formula', formula: { expression: 'prop("Name") + "!"' } },
    Done: { type: 'checkbox', checkbox: {} },
    Link: { type: 'url', url: {} },
    Mail: { type: 'email', email: {} },
    Phone: { type: 'phone_number', phone_number: {} },
    Papers: { type: 'files', files: {} },
    Created: { type: 'created_time', created_time: {} },
    'Created by': { type: 'created_by', created_by: {} },
    Edited: { type: 'last_edited_time', last_edited_time: {} },
    'Edited by': { type: 'last_edited_by', last_edited_by: {} },
    Number: { type: 'unique_id', unique_id: { prefix: 'ACME' } },
  } as const;
  const named = Object.entries(settings).map(([name, one]) => [
    name,
    { id: COLUMN_IDS[name as keyof typeof settings], name, description: null, ...one },
  ]);
  return {
    Name: { id: 'title', name: 'Name', description: null, type: 'title', title: {} },
    ...Object.fromEntries(named),
  };
}
