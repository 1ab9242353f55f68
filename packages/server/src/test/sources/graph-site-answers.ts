/** Answers the operations of Microsoft Graph for sites and their drives. */
import { must } from '../../util.ts';
import type { PeerRequest } from './cloud-peer.ts';
import {
  type DriveParts,
  makeDriveAccess,
  OF_DRIVE_LISTS,
  OF_FILES,
} from './graph-drive-access.ts';
import type { GraphDrive, GraphSite } from './graph-drive-records.ts';
import { makeGraphDriveShapes } from './graph-drive-shapes.ts';
import { entry, type GraphHandlers, ok, oneOf } from './graph-handlers.ts';
import type { GraphQuery } from './graph-query.ts';
import { deny, noItem } from './graph-refusal.ts';

const OF_SITES = ['Sites.Read.All'];

export function makeSiteAnswers(parts: DriveParts): GraphHandlers {
  const { world, directory, pager, downloadUrl } = parts;
  const { seesSite, drivesOf, siteAt, driveAt, driveOfPerson } = makeDriveAccess(parts);
  const show = makeGraphDriveShapes(world, directory, downloadUrl);

  const listSites = (
    request: PeerRequest,
    isListed: (site: GraphSite, query: GraphQuery) => boolean,
  ) =>
    ok(
      pager.list(request, {
        allowed: { query: ['search', ...OF_DRIVE_LISTS] },
        rows: (query) =>
          [...world.sites.values()]
            .filter((site) => isListed(site, query))
            .map((site) => entry(site.id, () => show.siteRow(site))),
      }),
    );
  const listDrives = (request: PeerRequest, found: readonly GraphDrive[]) =>
    ok(
      pager.list(request, {
        allowed: { query: OF_DRIVE_LISTS },
        rows: () => found.map((drive) => entry(drive.id, () => show.driveRow(drive))),
      }),
    );

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
  };
}
