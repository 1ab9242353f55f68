/**
 * Knows what a connection reads of a Drive, and turns files into items of a pull.
 *
 * Google keeps one log of changes for the account and one for each shared drive of which it is a member
 * (https://developers.google.com/workspace/drive/api/guides/about-changes). Each is a *corpus*, which is listed and
 * followed by itself. It is a partition, too, whose name is the id of the shared drive, or `my`.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Breadcrumb } from '../../model/entity.ts';
import { fail, remove, type SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import { NotFound } from '../kit/refusal.ts';
import { About, DRIVES_FIELDS, type DriveFile, Drives, FOLDER, SHORTCUT } from './answer.ts';
import { type DriveFolders, fileOf, openDriveFolders } from './folders.ts';
import { recordOf } from './record.ts';

export const MY = 'my';

export const DriveConfig = z.strictObject({
  folders: z
    .array(z.string().regex(/^[\w-]+$/, 'is not the id of a folder'))
    .max(100)
    .default([])
    .meta({
      title: 'Folders',
      description:
        'Ids of the folders and shared drives that are read, with everything below them. The id is the end of the address of the folder. Without any, everything is read that the account may see.',
      options: true,
    }),
  shared_drives: z.boolean().default(true).meta({
    title: 'Shared drives',
    description: 'Without folders: reads the shared drives of which the account is a member.',
  }),
  shared_with_me: z.boolean().default(true).meta({
    title: 'Shared with me',
    description: 'Without folders: reads files of others that are shared with the account.',
  }),
  groups: z.boolean().default(false).meta({
    title: 'Groups',
    description:
      'Reads the members of groups and domains, so that a search on behalf of a person finds what is shared with these. Only a service account that acts for an administrator can do it.',
  }),
});
export type DriveConfig = z.infer<typeof DriveConfig>;

export interface Reader {
  readonly http: Http;
  /** These corpora hold everything that the connection reads. */
  readonly corpora: ReadonlySet<string>;
  readonly folders: DriveFolders;
  /** These are folders of the configuration that the account cannot see. */
  readonly missing: readonly SourceItem[];
  corpusOf(file: DriveFile): string;
  /** Returns a stub, or a skip, or nothing for a file that the connection does not read. */
  read(file: DriveFile): Promise<SourceItem[]>;
  /** Does the same as `read`, but returns a removal for a file that the connection does not read. */
  readAgain(file: DriveFile): Promise<SourceItem[]>;
}

export async function accountOf(http: Http): Promise<string> {
  const query = { fields: 'user(emailAddress)' };
  return (await http.json({ path: 'drive/v3/about', query }, About)).value.user.emailAddress;
}

export async function openReader(http: Http, config: DriveConfig): Promise<Reader> {
  const me = await accountOf(http);
  const chosen = new Set(config.folders);
  const isAsked = config.shared_drives || chosen.size > 0;
  const drives = new Map(isAsked ? (await drivesOf(http)).map((one) => [one.id, one]) : []);
  const corpusOf = ({ driveId }: DriveFile) =>
    driveId !== undefined && drives.has(driveId) ? driveId : MY;

  const found = await findFolders(http, config.folders);
  const folders = openDriveFolders(http, [...drives.values()]);

  function reads(file: DriveFile, above: readonly Breadcrumb[]): boolean {
    const { driveId, ownedByMe, mimeType, trashed } = file;
    if (trashed || mimeType === FOLDER || mimeType === SHORTCUT) return false;
    if (chosen.size > 0) return above.some(({ id }) => chosen.has(id));
    if (driveId !== undefined && !config.shared_drives) return false;
    return corpusOf(file) !== MY || ownedByMe || config.shared_with_me;
  }

  async function read(file: DriveFile): Promise<SourceItem[]> {
    const above = await folders.above(file);
    return reads(file, above)
      ? [recordOf(file, { partition: corpusOf(file), folders: above, me })]
      : [];
  }

  return {
    http,
    corpora: chosen.size > 0 ? new Set(found.files.map(corpusOf)) : new Set([MY, ...drives.keys()]),
    folders,
    missing: found.missing,
    corpusOf,
    read,
    async readAgain(file) {
      const items = await read(file);
      return items.length > 0 ? items : [remove(file.id)];
    },
  };
}

async function findFolders(http: Http, ids: readonly string[]) {
  const files: DriveFile[] = [];
  const missing: SourceItem[] = [];
  for (const id of ids)
    try {
      files.push(await fileOf(http, id));
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      missing.push(fail(id, 'GoogleDriveFolder', unseen(id, error)));
    }
  return { files, missing };
}

export async function checkFolders(http: Http, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    try {
      await fileOf(http, id);
    } catch (error) {
      throw error instanceof NotFound ? unseen(id, error) : error;
    }
}

const unseen = (id: string, cause: NotFound) =>
  new SourceError(
    'config',
    `the account does not see the folder '${id}': share it with the account, or remove it from the folders`,
    { cause },
  );

/** Returns the shared drives of which the account is a member. */
export async function drivesOf(http: Http) {
  const all: z.infer<typeof Drives>['drives'] = [];
  for await (const { page } of pages(null, (pageToken: string | null) => drivesAt(http, pageToken)))
    all.push(...page);
  return all;
}

async function drivesAt(http: Http, pageToken: string | null) {
  const query = { pageSize: 100, pageToken: pageToken ?? undefined, fields: DRIVES_FIELDS };
  const { value } = await http.json({ path: 'drive/v3/drives', query }, Drives);
  return { page: value.drives, next: value.nextPageToken };
}
