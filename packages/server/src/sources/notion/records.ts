/** Makes entities of pages, data sources, comments and files of Notion. */
import { z } from 'zod';
import { tooMuchText } from '../../documents/kinds.ts';
import type { Breadcrumb, Entity, FileRef } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { inOneLine } from '../../util.ts';
import { LeftOutFile } from '../kit/file.ts';
import type { Http } from '../kit/http.ts';
import { ifReadable } from '../kit/listing.ts';
import {
  type CommentAnswer,
  Database,
  type DataSource,
  dateOf,
  type FoundRecord,
  type NotionBlock,
  type NotionPage,
  type Person,
} from './answer.ts';
import { find, pathOf } from './api.ts';
import { linkedFrom, markdownOf } from './blocks.ts';
import type { Directory } from './directory.ts';
import { fileInBlock, filesInProperties, type HostedFile } from './hosted.ts';
import type { NamedKind } from './memory.ts';
import { readProperties, titleOf } from './properties.ts';
import { plain, richMarkdown } from './rich-text.ts';
import { allBlocks, readTree } from './tree.ts';

const text = z.string();
const about = (description: string) => text.nullable().meta({ description });
const author = about('E-mail address or name of the person who made it.');
const editor = about('E-mail address or name of the person who changed it last.');

export const entities = {
  NotionPage: z.object({
    database: about('Title of the database of which the page is a row.'),
    properties: z.record(text, z.unknown()).meta({
      description:
        'The properties of a row by name: texts, numbers, truth values, times, or lists of names. The end of a span of time has (end) after its name.',
    }),
    created_by: author,
    last_edited_by: editor,
  }),
  NotionDatabase: z.object({
    properties: z.array(text).meta({ description: 'Names of its properties.' }),
    created_by: author,
    last_edited_by: editor,
  }),
  NotionFile: z.object({ page: text.meta({ description: 'Title of its page.' }) }),
  NotionComment: z.object({
    page: text.meta({ description: 'Title of the page.' }),
    author: about('E-mail address or name.'),
  }),
};

/** Reads what a pull needs of Notion. It belongs to one pull, so that each name is asked for once. */
export interface NotionReader {
  readonly http: Http;
  readonly directory: Directory;
}

/** A record, and its ancestors from the root to the parent. */
interface Placed<Record extends FoundRecord> {
  readonly found: Record;
  readonly above: readonly Breadcrumb[];
}
export type PlacedPage = Placed<NotionPage>;
export type PlacedSource = Placed<DataSource>;

export const TYPES = { page: 'NotionPage', data_source: 'NotionDatabase' } as const;

/** The version changes with the page, and with everything that a search shows of its place. */
export const versionOf = (placed: Placed<FoundRecord>): string =>
  `${placed.found.last_edited_time} ${placeDigest(placed)}`;

/** A file changes with the title and the place of its page, and not with each change of the page. */
export const placeDigest = ({ found, above }: Placed<FoundRecord>): string =>
  digestOf([above, found.url, titleOf(found)]).slice(0, 11);

/** The files of a page are a partition, and its comments are one below it. Pages and databases are in the root. */
export const filesOf = (page: string): string => encodeURIComponent(page);
export const commentsOf = (page: string): string => `${filesOf(page)}/comments`;

const crumbOf = (page: NotionPage): Breadcrumb => ({
  id: page.id,
  name: titleOf(page),
  type: 'NotionPage',
});

export interface ReadPage {
  readonly entity: Entity;
  readonly files: readonly HostedFile[];
  /** Blocks name these pages and databases, which lie in the page. */
  readonly named: readonly (readonly [id: string, kind: NamedKind])[];
}

const CHILDREN = new Map<string, NamedKind>([
  ['child_page', 'page'],
  ['child_database', 'database'],
]);

/** Reads the content of a page. Throws LeftOutFile for too much text. */
export async function readPage(reader: NotionReader, placed: PlacedPage): Promise<ReadPage> {
  const { http, directory } = reader;
  const { found: page, above } = placed;
  const trees = await readTree(http, page.id);
  const files: HostedFile[] = [];
  const named: [string, NamedKind][] = [];
  const titles = new Map<string, string>();
  for (const { block, above: outer, isCopy } of allBlocks(trees)) {
    const file = isCopy ? undefined : fileInBlock(block);
    if (file) files.push(file);
    if (outer && !isCopy && block.type.startsWith('child_')) directory.noteBlock(outer.id, page.id);
    const kind = CHILDREN.get(block.type);
    if (kind) named.push([block.id, kind]);
    await noteLinked(directory, block, titles);
  }
  const properties = await readProperties(http, directory, page);
  const whole = [properties.text, markdownOf(trees, titles)].filter(Boolean).join('\n\n');
  const excess = tooMuchText(whole);
  if (excess) throw new LeftOutFile(excess);
  return {
    entity: {
      ...datedOf(page),
      type: 'NotionPage',
      name: titleOf(page),
      text: whole,
      url: page.url,
      breadcrumbs: above,
      fields: {
        database: page.parent?.kind === 'data_source' ? (above.at(-1)?.name ?? null) : null,
        properties: properties.fields,
        ...(await peopleOf(directory, page)),
      },
    },
    files: [...files, ...filesInProperties(page)],
    named,
  };
}

async function noteLinked(directory: Directory, block: NotionBlock, titles: Map<string, string>) {
  const id = linkedFrom(block);
  if (id === '') return;
  const kind = block.content.page_id === '' ? 'database' : 'page';
  titles.set(id, (await directory.title({ kind, id })) ?? '');
}

const datedOf = (dated: {
  readonly id: string;
  readonly created_time: string;
  readonly last_edited_time: string;
}) => ({
  id: dated.id,
  createdAt: dateOf(dated.created_time),
  updatedAt: dateOf(dated.last_edited_time),
});

const labelOf = async (directory: Directory, person: Person | null): Promise<string | null> =>
  (person && (await directory.label(person))) || null;

const peopleOf = async (
  directory: Directory,
  found: Pick<NotionPage, 'created_by' | 'last_edited_by'>,
) => ({
  created_by: await labelOf(directory, found.created_by),
  last_edited_by: await labelOf(directory, found.last_edited_by),
});

const Column = z.object({ type: text });
/** Names of the choices that a property has. */
const Choices = z
  .object({ options: z.array(z.object({ name: text })) })
  .transform(({ options }) => options.map(({ name }) => name));

const Described = z.object({ description: z.string() });

export async function ofDataSource(
  { http, directory }: NotionReader,
  { found: source, above }: PlacedSource,
): Promise<Entity> {
  const lines = Object.entries(source.properties).map(([name, property]) => {
    const type = Column.safeParse(property).data?.type ?? '';
    const given = (property as Readonly<Record<string, unknown>> | null)?.[type];
    const choices = Choices.safeParse(given).data ?? [];
    const { description = '' } = Described.safeParse(property).data ?? {};
    const line = `- ${name}${choices.length > 0 ? `: ${choices.join(', ')}` : ''}`;
    return description === '' ? line : `${line} (${inOneLine(description)})`;
  });
  const database = await databaseOf(http, source);
  const ofDatabase = database ? [plain(database.title), plain(database.description)] : [];
  const title = titleOf(source);
  const description = plain(source.description);
  const intro = [...new Set([...ofDatabase, description])].filter((one) => one !== title);
  return {
    ...datedOf(source),
    type: 'NotionDatabase',
    name: title,
    text: [...intro, lines.join('\n')].filter(Boolean).join('\n\n'),
    url: source.url,
    breadcrumbs: above,
    fields: {
      properties: Object.keys(source.properties),
      ...(await peopleOf(directory, source)),
    },
  };
}

/** A database of several data sources has a title and a description of its own, and no record. */
const databaseOf = async (http: Http, { parent }: DataSource) =>
  parent?.kind === 'database'
    ? ifReadable(() => find(http, pathOf('databases', parent.id), Database), null)
    : null;

export async function ofComment(
  { directory }: NotionReader,
  comment: CommentAnswer,
  { found: page, above }: PlacedPage,
): Promise<Entity> {
  const title = titleOf(page);
  const shown = comment.display_name?.resolved_name || null;
  return {
    ...datedOf(comment),
    type: 'NotionComment',
    name: `Comment on ${title}`,
    text: richMarkdown(comment.rich_text),
    url: page.url,
    breadcrumbs: [...above, crumbOf(page)],
    fields: { page: title, author: (await labelOf(directory, comment.created_by)) ?? shown },
  };
}

export const ofFile = (
  { id, name }: HostedFile,
  { found: page, above }: PlacedPage,
  file: FileRef,
): Entity => ({
  id,
  type: 'NotionFile',
  name,
  text: '',
  url: page.url,
  breadcrumbs: [...above, crumbOf(page)],
  updatedAt: dateOf(page.last_edited_time),
  fields: { page: titleOf(page) },
  file,
});
