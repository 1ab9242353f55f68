/** Shows sites, drives, items and permissions as Microsoft Graph does. */
import { createHash } from 'node:crypto';
import { must } from '../../util.ts';
import type { GraphDirectory } from './graph-directory.ts';
import type { GraphDrive, GraphGrant, GraphItem, GraphSite } from './graph-drive-records.ts';
import type { GraphDriveWorld } from './graph-drive-world.ts';
import type { GraphRow } from './graph-refusal.ts';

const HOST = 'https://acme.sharepoint.example';
/** A name may have halves of characters, which no address has. */
const inUrl = (name: string): string => encodeURIComponent(name.toWellFormed());
const LINKS = ['anonymous', 'organization', 'users'];

const sizeOf = ({ claimedSize, content }: GraphItem): number =>
  claimedSize ?? Buffer.byteLength(content);

export function makeGraphDriveShapes(
  world: GraphDriveWorld,
  directory: GraphDirectory,
  downloadUrl: (item: GraphItem) => string,
) {
  const { drives, sites, items } = world;
  const identity = (id: string) => ({
    id,
    displayName: directory.users.get(id)?.displayName ?? null,
  });
  const by = { user: identity(directory.ann.id) };
  const typeOf = (drive: GraphDrive) => (drive.owner ? 'business' : 'documentLibrary');
  const siteOf = (drive: GraphDrive) => must(sites.get(drive.siteId));
  const isFolder = ({ kind }: GraphItem) => kind === 'folder' || kind === 'root';

  function parentOf(item: GraphItem): GraphRow {
    const drive = must(drives.get(item.driveId));
    return {
      driveType: typeOf(drive),
      driveId: drive.id,
      ...(item.parent !== null && { id: item.parent, name: items.get(item.parent)?.name ?? null }),
      siteId: drive.siteId,
    };
  }

  function facetsOf(item: GraphItem): GraphRow {
    const live = () => [...items.values()].filter((one) => !one.isDeleted);
    switch (item.kind) {
      case 'root':
      case 'folder':
        return {
          ...(item.kind === 'root' && { root: {} }),
          folder: { childCount: live().filter(({ parent }) => parent === item.id).length },
        };
      case 'package':
        return { package: { type: 'oneNote' } };
      case 'shortcut':
        return { remoteItem: remoteOf(item) };
      case 'file':
        return {
          file: {
            mimeType: item.mimeType,
            hashes: {
              quickXorHash: createHash('sha1').update(item.content).digest('base64'),
            },
          },
          ...(item.isMalware && { malware: { description: 'Test' } }),
        };
    }
  }

  function remoteOf({ target, name }: GraphItem): GraphRow {
    const { driveId, itemId } = must(target);
    const found = items.get(itemId);
    return {
      id: itemId,
      name: found?.name ?? name,
      parentReference: { driveId, id: found?.parent ?? null },
      ...(found && !found.isDeleted && { size: sizeOf(found), ...facetsOf(found) }),
    };
  }

  /** Returns the item. In a delta, it says where its parent is, but not with a path. */
  function itemRow(item: GraphItem, { isDelta = false } = {}): GraphRow {
    const drive = must(drives.get(item.driveId));
    if (item.isDeleted)
      return { id: item.id, parentReference: parentOf(item), deleted: { state: 'deleted' } };
    const path = world.above(item).map(({ name, kind }) => (kind === 'root' ? '' : name));
    const place = `/drives/${drive.id}/root:${path.toReversed().map(inUrl).join('/')}`;
    const isShared = item.grants.length > 0 && item.kind !== 'root';
    return {
      ...(item.kind === 'file' && { '@microsoft.graph.downloadUrl': downloadUrl(item) }),
      id: item.id,
      name: item.name,
      createdDateTime: item.createdAt,
      lastModifiedDateTime: item.modifiedAt,
      createdBy: by,
      lastModifiedBy: by,
      eTag: `"{${item.id}},${item.version}"`,
      ...(item.kind !== 'root' && { cTag: `"c:{${item.id}},${item.contentVersion}"` }),
      size: sizeOf(item),
      webUrl: `${HOST}${siteOf(drive).path}/${inUrl(drive.name)}/${item.id}`,
      parentReference: {
        ...parentOf(item),
        ...(!isDelta && item.parent !== null && { path: place }),
      },
      fileSystemInfo: {
        createdDateTime: item.createdAt,
        lastModifiedDateTime: item.modifiedAt,
      },
      ...facetsOf(item),
      ...(isShared && {
        shared: { scope: item.grants.some(({ to }) => to === 'anonymous') ? 'anonymous' : 'users' },
      }),
    };
  }

  function identityOf({ to, ids = [] }: GraphGrant, id = ids[0] ?? ''): GraphRow {
    if (to === 'siteGroup') return { siteGroup: { id: '5', displayName: id, loginName: id } };
    if (to === 'everyone') {
      const displayName = 'Everyone except external users';
      const loginName = `c:0-.f|rolemanager|spo-grid-all-users/${directory.tenant}`;
      return { siteUser: { id: '7', displayName, loginName } };
    }
    const group = directory.groups.get(id);
    if (group) {
      const { displayName, isUnified } = group;
      const loginName = isUnified
        ? `c:0o.c|federateddirectoryclaimprovider|${id}`
        : `c:0t.c|tenant|${id}`;
      return { group: { id, displayName }, siteUser: { id: '8', displayName, loginName } };
    }
    const upn = directory.users.get(id)?.userPrincipalName.toLowerCase();
    const siteUser = { ...identity(id), id: '9', loginName: `i:0#.f|membership|${upn}` };
    return { user: identity(id), siteUser };
  }

  function permissionRow(item: GraphItem, grant: GraphGrant, from: GraphItem): GraphRow {
    const id = createHash('sha1')
      .update(JSON.stringify([from.id, grant]))
      .digest('base64url');
    const { to, ids = [], roles = ['read'] } = grant;
    const inherited = from !== item && {
      inheritedFrom: { driveId: from.driveId, id: from.id, path: `/drives/${from.driveId}/root:` },
    };
    if (!LINKS.includes(to)) {
      const granted = identityOf(grant);
      return {
        id,
        roles,
        grantedToV2: granted,
        ...(granted.user && { grantedTo: { user: granted.user } }),
        ...inherited,
      };
    }
    return {
      id,
      roles,
      shareId: `u!${id}`,
      hasPassword: grant.isPasswordNeeded ?? false,
      link: { scope: to, type: 'view', webUrl: `${HOST}/:t:/s/${id}`, preventsDownload: false },
      grantedToIdentitiesV2: ids.map((one) => identityOf({ to: 'user' }, one)),
      grantedToIdentities: ids.map((one) => ({ user: identity(one) })),
      ...inherited,
    };
  }

  return {
    isFolder,
    itemRow,
    permissionRow,
    siteRow: (site: GraphSite): GraphRow => ({
      id: site.id,
      name: site.path.split('/').at(-1),
      displayName: site.displayName,
      createdDateTime: '2026-01-02T08:00:00Z',
      lastModifiedDateTime: '2026-01-02T08:00:00Z',
      webUrl: `${HOST}${site.path}`,
      isPersonalSite: site.isPersonal,
      ...(site.path === '/' && { root: {} }),
      siteCollection: { hostname: new URL(HOST).hostname },
    }),
    driveRow: (drive: GraphDrive): GraphRow => ({
      id: drive.id,
      name: drive.name,
      driveType: typeOf(drive),
      description: '',
      createdDateTime: '2026-01-02T08:00:00Z',
      lastModifiedDateTime: '2026-01-02T08:00:00Z',
      webUrl: `${HOST}${siteOf(drive).path}/${inUrl(drive.name)}`,
      createdBy: by,
      owner: { user: identity((drive.owner ?? directory.ann).id) },
      quota: { state: 'normal', used: 1, deleted: 0, remaining: 1, total: 2 },
    }),
  };
}
