/**
 * Reads the files of drives, which OneDrive and the libraries of SharePoint are
 * (https://learn.microsoft.com/graph/api/driveitem-delta).
 *
 * Graph names an item in a feed of changes also when only its permissions have changed, so every file in a feed is read
 * again. It does not promise to name what is below a renamed, moved or newly shared folder, so everything below a
 * folder in a feed is read again, too.
 */
import { z } from 'zod';
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import type { Breadcrumb, Entity } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import {
  type LeftOut,
  remove,
  type SourceItem,
  type Stub,
  skip,
  stub,
  type Upsert,
  upsert,
} from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import { at, collection } from './collection.ts';
import type { DeltaMemory } from './delta-cursor.ts';
import type { DeltaPart, DeltaReader, DeltaReason } from './delta-pages.ts';
import { DriveItem } from './drive-item.ts';
import { type ItemFolders, openItemFolders } from './folders.ts';
import { accessOf, People } from './permissions.ts';

export interface DrivePart extends DeltaPart {
  readonly driveId: string;
  /** These are the site and the library, or whatever is above the root of the drive. */
  readonly above: readonly Breadcrumb[];
}

/** These are the names of the types of a source. */
export interface DriveTypes {
  readonly file: string;
  readonly folder: string;
}

export const FileFields = z.object({
  mime_type: z.string().nullable().meta({ title: 'Type', description: 'Media type of the file.' }),
  size: z.number().nullable().meta({ title: 'Size', description: 'Size in bytes.' }),
  created_by: z
    .string()
    .nullable()
    .meta({ title: 'Created by', description: 'Name of the author.' }),
  modified_by: z
    .string()
    .nullable()
    .meta({ title: 'Modified by', description: 'Name of the person who changed the file last.' }),
});

/** A change of the version makes the next full sync read all files again. */
const RECORD_VERSION = 'drive-1';
/**
 * The first header keeps the folders above a changed item out of a feed. The preferences make the feed name items whose
 * permissions have changed.
 */
const HEADERS = {
  deltaExcludeParent: 'true',
  prefer: 'deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges',
};

export const drivePart = (
  driveId: string,
  part: Pick<DrivePart, 'partition' | 'name' | 'above'>,
): DrivePart => ({
  ...part,
  driveId,
  path: at`drives/${driveId}/root/delta`,
  latestPath: at`drives/${driveId}/root/delta?token=latest`,
});

/** Ids of items are unique only within their drive. */
const recordId = (driveId: string, itemId: string) => `${driveId}/${itemId}`;

/** The listing contains this already, and `contentOf` needs it. */
interface CarriedItem {
  readonly driveId: string;
  readonly itemId: string;
  readonly entity: Entity;
  readonly size: number | undefined;
  readonly people: People;
}

interface FolderWalk {
  readonly reason: DeltaReason;
  /** The children of these folders have been read. */
  readonly walked: Set<string>;
}

/** `memory` holds a digest of who may see each drive. It changes while the drives are read. */
export function openDrives(
  http: Http,
  types: DriveTypes,
  memory: DeltaMemory,
): DeltaReader<DrivePart, DriveItem> {
  const people = new People();
  const folders = new Map<string, ItemFolders>();

  function foldersOf({ driveId }: DrivePart): ItemFolders {
    const known = folders.get(driveId);
    const opened = known ?? openItemFolders(http, driveId, types.folder);
    if (!known) folders.set(driveId, opened);
    return opened;
  }

  async function recordOf(
    part: DrivePart,
    item: DriveItem,
    reason: DeltaReason,
  ): Promise<SourceItem[]> {
    // A shortcut leads to an item of another drive, which is read there.
    if (item.remoteItem) return [];
    const id = recordId(part.driveId, item.id);
    const omission = omissionOf(item);
    if (omission) return [skip(id, types.file, { ...omission, removes: 'record' })];
    if (!item.file) return [];
    const entity = toEntity(id, item, {
      type: types.file,
      breadcrumbs: [...part.above, ...(await foldersOf(part).above(item))],
    });
    const version = versionOf(item, entity);
    const carry: CarriedItem = {
      driveId: part.driveId,
      itemId: item.id,
      entity,
      size: item.size,
      people,
    };
    const { partition } = part;
    // No version shows who may see the file.
    return [stub(id, types.file, { version, partition, carry, isAgain: reason !== 'listing' })];
  }

  /**
   * A root may come with every change below it, so what is below it is read again only when its permissions have
   * changed. They are remembered only after that, because a walk that fails is to be repeated.
   */
  async function* rootAgain(
    part: DrivePart,
    root: DriveItem,
    { walked, reason }: FolderWalk,
  ): AsyncGenerator<SourceItem, void, void> {
    const { driveId } = part;
    const { viewers } = await accessOrNobody(http, { driveId, id: root.id }, people);
    const digest = digestOf(viewers);
    if (reason === 'feed' && digest !== memory[driveId]) yield* below(part, root, walked);
    memory[driveId] = digest;
  }

  /** Reads everything below a folder again. */
  async function* below(
    part: DrivePart,
    folder: DriveItem,
    walked: Set<string>,
  ): AsyncGenerator<SourceItem, void, void> {
    const left = [folder.id];
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const isNew = !walked.has(id);
      walked.add(id);
      if (isNew) yield* children(part, id, (child) => left.push(child));
    }
  }

  async function* children(
    part: DrivePart,
    id: string,
    findFolder: (id: string) => void,
  ): AsyncGenerator<SourceItem, void, void> {
    const path = at`drives/${part.driveId}/items/${id}/children`;
    try {
      for await (const child of collection(http, { path }, DriveItem)) {
        foldersOf(part).note([child]);
        if (child.folder) findFolder(child.id);
        else yield* await recordOf(part, child, 'feed');
      }
    } catch (error) {
      // The feed tells what has become of a folder that is gone meanwhile.
      if (!(error instanceof NotFound)) throw error;
    }
  }

  return {
    http,
    headers: [HEADERS],
    item: DriveItem,
    async *read(part, items, reason) {
      foldersOf(part).note(items.filter(({ deleted }) => !deleted));
      // A folder that a later page names has changed again, so it is walked again.
      const walk: FolderWalk = { reason, walked: new Set() };
      for (const item of items) {
        if (item.deleted) yield remove(recordId(part.driveId, item.id));
        else if (!item.folder && !item.root) yield* await recordOf(part, item, reason);
        // A listing does not tell what has changed, so it does not count as met.
        else if (item.root && reason !== 'listing') yield* rootAgain(part, item, walk);
        else if (reason === 'feed') yield* below(part, item, walk.walked);
      }
    },
    // Graph does not promise to name the files in a deleted folder, nor to say that the deleted item was a folder.
    isVague: ({ deleted, file }) => deleted !== undefined && !file,
  };
}

function omissionOf({ name = '', size = 0, ...item }: DriveItem): Omission | null {
  if (item.malware) return { reason: 'marked as malware by Microsoft' };
  if (item.package)
    return { reason: 'of a kind that is not read yet', detail: 'notebooks of OneNote' };
  return item.file ? reasonToLeaveOut(name, size) : null;
}

function toEntity(
  id: string,
  item: DriveItem,
  { type, breadcrumbs }: Required<Pick<Entity, 'type' | 'breadcrumbs'>>,
): Entity {
  return {
    id,
    type,
    name: item.name || '(no name)',
    text: '',
    url: item.webUrl,
    breadcrumbs,
    createdAt: item.createdDateTime,
    updatedAt: item.lastModifiedDateTime,
    fields: {
      mime_type: item.file?.mimeType ?? null,
      size: item.size ?? null,
      created_by: item.createdBy?.user?.displayName ?? null,
      modified_by: item.lastModifiedBy?.user?.displayName ?? null,
    },
  };
}

/** The cTag changes with the content, and the entity has everything else that a search shows, except the access. */
const versionOf = ({ cTag, eTag }: DriveItem, entity: Entity): string =>
  digestOf([RECORD_VERSION, cTag ?? eTag ?? '', entity]);

export function contentOf(http: Http, found: Stub): Promise<Upsert | LeftOut> {
  const { driveId, itemId, entity, size, people } = found.carry as CarriedItem;
  const { version, partition } = found;
  return fileOrSkip(found, { service: 'Microsoft' }, async () => {
    const file = await http.file(
      { path: at`drives/${driveId}/items/${itemId}/content` },
      { name: entity.name, size },
    );
    const access = await accessOrNobody(http, { driveId, id: itemId }, people);
    return upsert({ ...entity, access, file }, { version, partition });
  });
}

async function accessOrNobody(
  http: Http,
  item: { readonly driveId: string; readonly id: string },
  people: People,
) {
  try {
    return await accessOf(http, item, people);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip' || error instanceof NotFound)
      throw error;
    return { viewers: [], isPublic: false };
  }
}
