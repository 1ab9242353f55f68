/** Writes records of the company in SharePoint Online: a file has its word in its content, and everything else in its name. */
import { must } from '../../util.ts';
import { newWord } from './cloud-company.ts';
import type { GraphDrive, GraphGrant, GraphItem, GraphSite } from './graph-drive-records.ts';
import type { GraphDriveWorld } from './graph-drive-world.ts';

const GIB = 2 ** 30;

/** A record of the company that a search must find by its word. */
export interface SharepointRecord {
  /** A large file has 5 GiB, and an empty one has no bytes. */
  readonly kind: 'site' | 'drive' | 'folder' | 'file' | 'large' | 'empty' | 'package' | 'shortcut';
  readonly siteId: string;
  /** A site has no drive and no item, and a drive has no item. */
  readonly driveId: string | null;
  readonly itemId: string | null;
  /** It belongs to a person, and is in OneDrive. */
  readonly isPersonal: boolean;
}

interface KeptItem {
  readonly record: SharepointRecord;
  readonly word: string;
  readonly item: GraphItem | null;
}

/** The grants `everybody` are those of a drive that is added without others. */
export function makeSharepointWords(world: GraphDriveWorld, everybody: GraphGrant[]) {
  const kept = new Map<string, KeptItem>();

  const said = (word: string) => `# Notes\n\nThe ${word} flies.\n`;
  const siteOf = (driveId: string) => must(world.sites.get(must(world.drives.get(driveId)).siteId));
  function keep(
    kind: SharepointRecord['kind'],
    of: GraphSite | GraphDrive | GraphItem,
    word: string,
  ) {
    const item = 'driveId' in of ? of : null;
    const driveId = item?.driveId ?? ('rootId' in of ? of.id : null);
    const site = driveId === null ? (of as GraphSite) : siteOf(driveId);
    const ids = { siteId: site.id, driveId, itemId: item?.id ?? null };
    kept.set(of.id, { record: { kind, ...ids, isPersonal: site.isPersonal }, word, item });
  }

  function addSite(path: string, more: Partial<GraphSite> = {}): GraphSite {
    const word = newWord();
    const site = world.addSite(`${path} ${word}`, { path: `/sites/${path}`, ...more });
    keep('site', site, word);
    return site;
  }
  function addDrive(site: GraphSite, more: Parameters<typeof world.addDrive>[2] = {}): GraphDrive {
    const word = newWord();
    const drive = world.addDrive(site, `Documents ${word}`, { grants: everybody, ...more });
    keep('drive', drive, word);
    return drive;
  }
  function addFolder(parent: GraphItem | GraphDrive, kind: 'folder' | 'package' = 'folder') {
    const word = newWord();
    const folder = world.addFolder(parent, `Folder ${word}`, { kind });
    keep(kind, folder, word);
    return folder;
  }
  function addFile(parent: GraphItem | GraphDrive, name: string): GraphItem {
    const word = newWord();
    const file = world.addFile(parent, name, said(word));
    keep('file', file, word);
    return file;
  }
  function addNamed(parent: GraphDrive, kind: 'large' | 'empty'): GraphItem {
    const word = newWord();
    const claimedSize = kind === 'large' ? 5 * GIB : null;
    const file = world.addFile(parent, `File ${word}.md`, '', { claimedSize });
    keep(kind, file, word);
    return file;
  }
  function addShortcut(parent: GraphDrive, target: GraphItem): GraphItem {
    const word = newWord();
    const shortcut = world.addShortcut(parent, `Shortcut ${word}`, target);
    keep('shortcut', shortcut, word);
    return shortcut;
  }

  function forgetGone(): void {
    for (const [id, { record, item }] of kept) {
      const isGone = item
        ? item.isDeleted || !world.items.has(item.id)
        : !world.drives.has(id) && !world.sites.has(id);
      if (isGone || !world.sites.has(record.siteId)) kept.delete(id);
    }
  }
  function remove(item: GraphItem): void {
    world.remove(item);
    forgetGone();
  }
  function write(file: GraphItem): void {
    const word = newWord();
    world.write(file, said(word));
    keep('file', file, word);
  }
  function rename(item: GraphItem): void {
    const word = newWord();
    world.rename(item, `Renamed ${word}`);
    keep(must(kept.get(item.id)).record.kind, item, word);
  }
  function removeSite(site: GraphSite): void {
    world.removeSite(site);
    forgetGone();
  }
  function removeDrive(drive: GraphDrive): void {
    world.removeDrive(drive);
    forgetGone();
  }

  return {
    kept,
    addSite,
    addDrive,
    addFolder,
    addFile,
    addNamed,
    addShortcut,
    write,
    rename,
    remove,
    removeSite,
    removeDrive,
  };
}
