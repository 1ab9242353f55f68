/** Answers the operations of Microsoft Graph for sites, drives and items. */
import assert from 'node:assert/strict';
import { must } from '../../util.ts';
import type { PeerRequest } from './cloud-peer.ts';
import type { GraphUser } from './graph-directory.ts';
import { makeGraphDriveShapes } from './graph-drive-shapes.ts';
import type { GraphDrive, GraphDriveWorld, GraphItem, GraphSite } from './graph-drive-world.ts';
import {
  type GraphAsked,
  type GraphHandlers,
  type GraphParts,
  ok,
  oneOf,
} from './graph-handlers.ts';
import { type GraphQuery, readPrefer, readQuery, selected } from './graph-query.ts';
import { deny, GraphRefusal, noItem, refuse } from './graph-refusal.ts';

const OF_SITES = ['Sites.Read.All'];
const OF_FILES = ['Files.Read.All', 'Sites.Read.All'];
const LISTS = { query: ['$select', '$top'] };
const DELTA = 'GET /v1.0/drives/{drive-id}/items/{driveItem-id}/microsoft.graph.delta()';
/** See https://learn.microsoft.com/graph/api/driveitem-delta. */
const DELTA_PREFERENCES = [
  'deltashowremovedasdeleted',
  'deltatraversepermissiongaps',
  'deltashowsharingchanges',
  'hierarchicalsharing',
];

interface DriveParts extends GraphParts {
  readonly world: GraphDriveWorld;
  readonly downloadUrl: (item: GraphItem) => string;
}

export function makeDriveAnswers({
  world,
  directory,
  settings,
  pager,
  downloadUrl,
}: DriveParts): GraphHandlers {
  const { sites, drives, items } = world;
  const show = makeGraphDriveShapes(world, directory, downloadUrl);
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

  const listSites = (
    request: PeerRequest,
    isListed: (site: GraphSite, query: GraphQuery) => boolean,
  ) =>
    ok(
      pager.list(request, {
        allowed: { query: ['search', ...LISTS.query] },
        rows: (query) =>
          [...sites.values()]
            .filter((site) => isListed(site, query))
            .map((site) => ({
              key: site.id,
              row: ({ select }) => selected(show.siteRow(site), select),
            })),
      }),
    );
  const listDrives = (request: PeerRequest, found: readonly GraphDrive[]) =>
    ok(
      pager.list(request, {
        allowed: LISTS,
        rows: () =>
          found.map((drive) => ({
            key: drive.id,
            row: ({ select }) => selected(show.driveRow(drive), select),
          })),
      }),
    );

  const OF_ITEM = 'GET /v1.0/drives/{drive-id}/items/{driveItem-id}';
  return {
    'GET /v1.0/sites': {
      part: 'files',
      needs: OF_SITES,
      answer({ request, me }) {
        const isAll = request.url.pathname.endsWith('/getAllSites');
        if (isAll && me !== null) deny('files');
        return listSites(request, (site, { all }) => {
          if (isAll) return true;
          const text = must(all.search, 'sites are listed without search').toLowerCase();
          const isFound = text === '*' || site.displayName.toLowerCase().includes(text);
          return isFound && !site.isPersonal && seesSite(me, site);
        });
      },
    },
    'GET /v1.0/sites/{site-id}': {
      part: 'files',
      needs: OF_SITES,
      answer: ({ request, me, names: [id = ''] }) => oneOf(request, show.siteRow(siteAt(me, id))),
    },
    'GET /v1.0/sites/{site-id}/sites': {
      part: 'files',
      needs: OF_SITES,
      answer({ request, me, names: [id = ''] }) {
        const site = siteAt(me, id);
        return listSites(request, (one) => one.parent === site.id && seesSite(me, one));
      },
    },
    'GET /v1.0/sites/{site-id}/drives': {
      part: 'files',
      needs: OF_FILES,
      answer: ({ request, me, names: [id = ''] }) =>
        listDrives(request, drivesOf(me, siteAt(me, id))),
    },
    'GET /v1.0/sites/{site-id}/drive': {
      part: 'files',
      needs: OF_FILES,
      answer: ({ request, me, names: [id = ''] }) =>
        oneOf(request, show.driveRow(drivesOf(me, siteAt(me, id))[0] ?? noItem())),
    },
    'GET /v1.0/users/{user-id}/drives': {
      part: 'files',
      needs: OF_FILES,
      answer: ({ request, me, names: [id = ''] }) => listDrives(request, driveOfPerson(me, id)),
    },
    'GET /v1.0/users/{user-id}/drive': {
      part: 'files',
      needs: OF_FILES,
      answer: ({ request, me, names: [id = ''] }) =>
        oneOf(request, show.driveRow(driveOfPerson(me, id)[0] ?? noItem())),
    },
    'GET /v1.0/drives/{drive-id}': {
      part: 'files',
      needs: OF_FILES,
      answer: ({ request, me, names: [id = ''] }) => oneOf(request, show.driveRow(driveAt(me, id))),
    },
    'GET /v1.0/drives/{drive-id}/root': {
      part: 'files',
      needs: OF_FILES,
      answer: (asked) =>
        oneOf(asked.request, show.itemRow(itemAt({ ...asked, names: [...asked.names, 'root'] }))),
    },
    [OF_ITEM]: {
      part: 'files',
      needs: OF_FILES,
      answer: (asked) => oneOf(asked.request, show.itemRow(itemAt(asked))),
    },
    [`${OF_ITEM}/children`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const folder = itemAt(asked);
        return ok(
          pager.list(asked.request, {
            allowed: LISTS,
            usual: 200,
            rows: () =>
              [...items.values()]
                .filter(
                  (one) => one.parent === folder.id && !one.isDeleted && isSeen(asked.me, one),
                )
                .map((one) => ({
                  key: one.id,
                  row: ({ select }) => selected(show.itemRow(one), select),
                })),
          }),
        );
      },
    },
    [`${OF_ITEM}/content`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const item = itemAt(asked);
        readQuery(asked.request, {});
        if (item.isMalware) refuse('403 malwareDetected', 'Malware was detected in this file.');
        if (item.kind !== 'file')
          refuse('400 invalidRequest', 'You cannot get content for a folder or a package.');
        throw new GraphRefusal({
          status: 302,
          headers: { location: downloadUrl(item) },
          body: '',
        });
      },
    },
    [`${OF_ITEM}/permissions`]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const item = itemAt(asked);
        return ok(
          pager.list(asked.request, {
            allowed: { query: ['$select'] },
            rows: () =>
              world
                .grantsOf(item)
                .map(({ grant, from }) => show.permissionRow(item, grant, from))
                .map((row) => ({ key: row.id, row: ({ select }) => selected(row, select) })),
          }),
        );
      },
    },
    [DELTA]: {
      part: 'files',
      needs: OF_FILES,
      answer(asked) {
        const { request, me } = asked;
        const root = itemAt(asked);
        assert.equal(root.kind, 'root', 'the fake of Graph has deltas of whole drives only');
        const prefer = readPrefer(request, { prefer: DELTA_PREFERENCES });
        const showsLost = prefer.has('deltashowremovedasdeleted');
        const changes = () =>
          world
            .itemsOf(root.driveId)
            .filter((item) => !item.isSilent && (showsLost || isSeen(me, item)))
            .toSorted((a, b) => a.seq - b.seq)
            .map((item) => {
              const isGone = item.isDeleted || !isSeen(me, item);
              const rowOf = (one: GraphItem, select: readonly string[] | null) =>
                selected(show.itemRow(one, { isDelta: true }), select);
              return {
                seq: item.seq,
                isGone,
                row: ({ select }: { select: readonly string[] | null }) =>
                  rowOf({ ...item, isDeleted: isGone }, select),
                older: ({ select }: { select: readonly string[] | null }) =>
                  rowOf(
                    {
                      ...item,
                      isDeleted: false,
                      name: item.oldName,
                      version: 0,
                      contentVersion: 0,
                    },
                    select,
                  ),
              };
            });
        return ok(pager.delta(request, { allowed: LISTS, changes, isDrive: true }));
      },
    },
  };
}
