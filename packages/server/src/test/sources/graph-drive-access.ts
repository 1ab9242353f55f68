/** Finds the site, the drive and the item that a request asks for, and refuses what it may not have. */
import type { GraphUser } from './graph-directory.ts';
import type { GraphDrive, GraphItem, GraphSite } from './graph-drive-records.ts';
import type { GraphDriveWorld } from './graph-drive-world.ts';
import type { GraphAsked, GraphParts } from './graph-handlers.ts';
import { deny, noItem, refuse } from './graph-refusal.ts';

export const OF_FILES = ['Files.Read.All', 'Sites.Read.All'];
export const OF_DRIVE_LISTS = ['$select', '$top'];

export interface DriveParts extends GraphParts {
  readonly world: GraphDriveWorld;
  readonly downloadUrl: (item: GraphItem) => string;
}

/** Without a person, an app asks, which sees everything. */
export function makeDriveAccess({ world, directory, settings }: DriveParts) {
  const { sites, drives, items } = world;
  const isSeen = (me: GraphUser | null, item: GraphItem) =>
    me === null || item.kind === 'root' || world.mayRead(me, item);
  const seesDrive = (me: GraphUser | null, { id }: GraphDrive) =>
    me === null || world.itemsOf(id).some((item) => !item.isDeleted && world.mayRead(me, item));
  const drivesOf = (me: GraphUser | null, { id }: GraphSite) =>
    [...drives.values()].filter((one) => one.siteId === id && seesDrive(me, one));
  const seesSite = (me: GraphUser | null, site: GraphSite) =>
    me === null || drivesOf(me, site).length > 0;
  const refuseIf = (...ids: (string | null)[]) => {
    if (ids.some((id) => id !== null && settings.forbidden.has(id))) deny('files');
  };

  function siteAt(me: GraphUser | null, key: string): GraphSite {
    const path = key === 'root' ? '/' : /^acme\.sharepoint\.example:(\/.+)$/.exec(key)?.[1];
    const site = sites.get(key) ?? [...sites.values()].find((one) => one.path === path);
    if (!site || !seesSite(me, site)) return noItem();
    refuseIf(site.id);
    return site;
  }
  function driveAt(me: GraphUser | null, id: string): GraphDrive {
    const drive = drives.get(id);
    if (!drive || !seesDrive(me, drive)) return noItem();
    refuseIf(drive.id, drive.siteId);
    return drive;
  }
  function itemAt({ me, names: [driveId = '', itemId = ''] }: GraphAsked): GraphItem {
    const drive = driveAt(me, driveId);
    const item = items.get(itemId === 'root' ? drive.rootId : itemId);
    if (!item || item.driveId !== drive.id || item.isDeleted || !isSeen(me, item)) return noItem();
    refuseIf(item.id);
    return item;
  }
  function driveOfPerson(me: GraphUser | null, key: string): GraphDrive[] {
    const user = directory.userOf(key);
    if (me !== null && me !== user) deny('files');
    const own = [...drives.values()].filter(({ owner }) => owner !== null && owner === user);
    return own.length > 0 ? own : refuse('404 ResourceNotFound', "User's mysite not found.");
  }

  return { isSeen, seesSite, drivesOf, siteAt, driveAt, itemAt, driveOfPerson };
}
