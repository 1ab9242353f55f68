/** Makes the columns of a data source that has one of each kind, and the properties of its pages. */
import type {
  DataSourceObjectResponse,
  PageObjectResponse,
  UserObjectResponse,
} from '@notionhq/client';
import { type NotionFileRef, text } from './notion-content.ts';

export type NotionValues = PageObjectResponse['properties'];
export type NotionColumns = DataSourceObjectResponse['properties'];

/** The ids of properties are encoded as a part of an address. */
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

export function valuesOf({ user, title, notes, depends, ...row }: RowFacts): NotionValues {
  const id = COLUMN_IDS;
  const option = (name: string) => ({ id: `option-${name}`, name, color: 'blue' as const });
  return {
    Name: { id: 'title', type: 'title', title: [text(title)] },
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

/** The pages are related to those of the data source with the id `related`. */
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
