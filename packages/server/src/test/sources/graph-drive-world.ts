/**
 * Holds the sites of an organization in SharePoint Online, with drives of folders and files. An
 * item keeps its id when it is renamed or moved within its drive.
 */
import assert from 'node:assert/strict';
import { timeInSeconds } from './company-clock.ts';
import { type GraphDirectory, type GraphUser, newGraphId } from './graph-directory.ts';
import type { GraphDrive, GraphGrant, GraphItem, GraphSite } from './graph-drive-records.ts';
import { makeGraphGrants } from './graph-grants.ts';

interface DriveWorldParts {
  readonly now: () => number;
  readonly nextChange: () => number;
  /** Returns true while no delta tells what was in a folder that is deleted. */
  readonly isSilent: () => boolean;
}

export type GraphDriveWorld = ReturnType<typeof makeGraphDriveWorld>;

export function makeGraphDriveWorld(
  directory: GraphDirectory,
  { now, nextChange, isSilent }: DriveWorldParts,
) {
  const sites = new Map<string, GraphSite>();
  const drives = new Map<string, GraphDrive>();
  const items = new Map<string, GraphItem>();
  /** The key is the name of a group of a site, the value are the ids of people. */
  const siteGroups = new Map<string, readonly string[]>();
  const time = () => timeInSeconds(now());
  const letters = () => newGraphId().replaceAll('-', '').toUpperCase();

  function addItem(
    driveId: string,
    parent: string | null,
    more: Partial<GraphItem> & Pick<GraphItem, 'name' | 'kind'>,
  ): GraphItem {
    const item: GraphItem = {
      id: `01${letters()}`,
      driveId,
      parent,
      oldName: more.name,
      content: '',
      claimedSize: null,
      mimeType: 'text/markdown',
      createdAt: time(),
      modifiedAt: time(),
      version: 1,
      contentVersion: 1,
      seq: nextChange(),
      isDeleted: false,
      isSilent: false,
      isUnique: false,
      grants: [],
      target: null,
      isMalware: false,
      ...more,
    };
    items.set(item.id, item);
    return item;
  }
  const above = (item: GraphItem): GraphItem[] => {
    const found: GraphItem[] = [];
    for (let at = item.parent; at !== null; ) {
      const parent = items.get(at);
      if (!parent || found.includes(parent)) break;
      found.push(parent);
      at = parent.parent;
    }
    return found;
  };
  const changed = (item: GraphItem, isContent = false): void => {
    item.seq = nextChange();
    item.version++;
    item.modifiedAt = time();
    if (isContent) item.contentVersion++;
  };

  const world = {
    sites,
    drives,
    items,
    siteGroups,
    above,
    ...makeGraphGrants({ directory, siteGroups, above }),
    addSite(displayName: string, more: Partial<GraphSite> = {}): GraphSite {
      const site: GraphSite = {
        id: `acme.sharepoint.example,${newGraphId()},${newGraphId()}`,
        displayName,
        path: `/sites/${displayName.toLowerCase()}`,
        isPersonal: false,
        parent: null,
        ...more,
      };
      sites.set(site.id, site);
      return site;
    },
    addDrive(
      site: GraphSite,
      name: string,
      { owner = null as GraphUser | null, grants = [] as GraphGrant[] } = {},
    ): GraphDrive {
      const id = `b!${letters()}`;
      const root = addItem(id, null, { name: 'root', kind: 'root', grants });
      const drive: GraphDrive = { id, name, siteId: site.id, rootId: root.id, owner };
      drives.set(id, drive);
      return drive;
    },
    /** `parent` is a folder, or a drive for its root. */
    addFolder: (
      parent: GraphItem | GraphDrive,
      name: string,
      more: Partial<GraphItem> = {},
    ): GraphItem => {
      const [driveId, at] = placeOf(parent);
      return addItem(driveId, at, { ...more, name, kind: more.kind ?? 'folder' });
    },
    addFile: (
      parent: GraphItem | GraphDrive,
      name: string,
      content: string | Buffer,
      more: Partial<GraphItem> = {},
    ): GraphItem => {
      const [driveId, at] = placeOf(parent);
      return addItem(driveId, at, { ...more, name, content, kind: 'file' });
    },
    /** A shortcut stands in one drive and leads to an item of another. */
    addShortcut: (parent: GraphItem | GraphDrive, name: string, target: GraphItem): GraphItem => {
      const [driveId, at] = placeOf(parent);
      const to = { driveId: target.driveId, itemId: target.id };
      return addItem(driveId, at, { name, kind: 'shortcut', target: to });
    },
    write(item: GraphItem, content: string | Buffer): void {
      item.content = content;
      changed(item, true);
    },
    /** Only the item itself changes. What is in a folder does not. */
    rename(item: GraphItem, name: string): void {
      item.oldName = item.name;
      item.name = name;
      changed(item);
    },
    move(item: GraphItem, parent: GraphItem | GraphDrive): void {
      const [driveId, at] = placeOf(parent);
      assert.equal(driveId, item.driveId, 'an item that moves to another drive gets another id');
      item.parent = at;
      changed(item);
    },
    /** Deletes the item, and everything in it. */
    remove(item: GraphItem): void {
      const below = [...items.values()].filter((one) => above(one).includes(item));
      for (const one of [item, ...below]) {
        if (one.isDeleted) continue;
        one.isDeleted = true;
        one.isSilent = isSilent() && one !== item;
        changed(one);
      }
    },
    /** Permissions change no version, but the item comes up in deltas. What is in a folder does not. */
    share(item: GraphItem, grants: GraphGrant[], isUnique = item.isUnique): void {
      item.grants = grants;
      item.isUnique = isUnique;
      item.seq = nextChange();
    },
    removeDrive(drive: GraphDrive): void {
      for (const item of items.values()) if (item.driveId === drive.id) items.delete(item.id);
      drives.delete(drive.id);
    },
    removeSite(site: GraphSite): void {
      for (const drive of drives.values()) if (drive.siteId === site.id) world.removeDrive(drive);
      sites.delete(site.id);
    },
    itemsOf: (driveId: string): GraphItem[] =>
      [...items.values()].filter((item) => item.driveId === driveId),
  };

  function placeOf(parent: GraphItem | GraphDrive): [driveId: string, parent: string] {
    return 'rootId' in parent ? [parent.id, parent.rootId] : [parent.driveId, parent.id];
  }

  return world;
}
