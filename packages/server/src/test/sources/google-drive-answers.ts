/** Answers the operations of the API of Google Drive: what it shows to an account, and in which order. */
import type { PeerAnswer } from './cloud-peer.ts';
import type { makeGoogleListings } from './google-directory.ts';
import type { makeDriveChanges } from './google-drive-changes.ts';
import { contentOf } from './google-drive-content.ts';
import { filterOf } from './google-drive-query.ts';
import { badToken, forbidden, noDrive, noFile, refused } from './google-drive-refusal.ts';
import type { DriveSettings } from './google-drive-settings.ts';
import type { makeDriveShapes } from './google-drive-shapes.ts';
import { type DriveWorld, FOLDER, MY, names, type PeerFile, ROOT } from './google-drive-world.ts';

interface AnsweringParts {
  readonly world: DriveWorld;
  readonly settings: DriveSettings;
  readonly page: ReturnType<typeof makeGoogleListings>['page'];
  readonly shapes: ReturnType<typeof makeDriveShapes>;
  readonly changes: ReturnType<typeof makeDriveChanges>;
}

/** Returns a function that takes the account and the address of a request, and returns a refusal or the whole resource. */
export function makeDriveAnswers({ world, settings, page, shapes, changes }: AnsweringParts) {
  const { files, drives, driveOf, isMember, isTrashed, mayRead } = world;
  const { permissionsOf, resourceOf, rootOf } = shapes;

  function listFiles(account: string, url: URL): PeerAnswer | object {
    const { searchParams } = url;
    const corpora = searchParams.get('corpora') ?? 'user';
    const driveId = searchParams.get('driveId');
    if (settings.forbidden.has(driveId ?? MY)) return forbidden();
    if ((corpora === 'drive') !== (driveId !== null))
      return refused(
        400,
        'The driveId parameter must be specified if and only if corpora is set to drive.',
        { reason: 'invalid' },
      );
    if (driveId !== null && !(drives.has(driveId) && isMember(account, driveId)))
      return noDrive(driveId);
    const withDrives = searchParams.get('includeItemsFromAllDrives') === 'true';
    const matches = filterOf(searchParams.get('q') ?? '', isTrashed);
    if (!matches) return refused(400, 'Invalid Value', { reason: 'invalid', location: 'q' });
    const inCorpus = (file: PeerFile) => {
      if (!mayRead(account, file)) return false;
      const drive = driveOf(file);
      if (drive !== undefined && !withDrives) return false;
      return driveId === null
        ? corpora === 'allDrives' || drive === undefined || names(account, file.shared)
        : drive === driveId;
    };
    const found = page(
      url,
      () => {
        const all = [...files.values()].filter((file) => inCorpus(file) && matches(file));
        if (settings.isReversed) all.reverse();
        const isLast = ({ mimeType }: PeerFile) => Number(mimeType !== FOLDER);
        const sorted =
          searchParams.get('orderBy') === 'folder'
            ? all.toSorted((a, b) => isLast(a) - isLast(b))
            : all;
        return sorted.map(({ id }) => id);
      },
      100,
    );
    if (!found) return badToken();
    // A file that was removed since the first page is missing on the later ones.
    const alive = found.ids.flatMap((id) => files.get(id) ?? []);
    return {
      kind: 'drive#fileList',
      files: alive
        .filter((file) => inCorpus(file) && matches(file))
        .map((file) => resourceOf(account, file)),
      incompleteSearch: settings.isIncomplete,
      nextPageToken: found.next,
    };
  }

  function listDrives(account: string, url: URL): PeerAnswer | object {
    const found = page(url, () => [...drives.keys()].filter((id) => isMember(account, id)), 10);
    if (!found) return badToken();
    return {
      kind: 'drive#driveList',
      drives: found.ids.flatMap((id) => drives.get(id) ?? []).map(({ id, name }) => ({ id, name })),
      nextPageToken: found.next,
    };
  }

  function listPermissions(account: string, file: PeerFile, url: URL): PeerAnswer | object {
    const all = permissionsOf(file);
    if (driveOf(file) === undefined && file.owner !== account)
      return refused(403, 'The user does not have sufficient permissions for this file.', {
        reason: 'insufficientFilePermissions',
      });
    const found = page(url, () => all.map(({ id }) => id), 100);
    if (!found) return badToken();
    return {
      permissions: all.filter((one) => found.ids.includes(one.id)),
      nextPageToken: found.next,
    };
  }

  function ofFile(account: string, url: URL, rest: string): PeerAnswer | object {
    const [, escaped = '', what] = /^files\/([^/]+)(?:\/(\w+))?$/.exec(rest) ?? [];
    const id = decodeURIComponent(escaped);
    const file = files.get(id);
    const root = rootOf(id);
    if (root && (id === ROOT || isMember(account, id))) return root;
    if (!file || !mayRead(account, file)) return noFile(id);
    if (
      driveOf(file) !== undefined &&
      url.searchParams.get('supportsAllDrives') !== 'true' &&
      what !== 'export'
    )
      return noFile(id);
    if (what === 'permissions') return listPermissions(account, file, url);
    if (what === 'export' || url.searchParams.get('alt') === 'media')
      return contentOf(file, url, settings.exportBytes);
    return resourceOf(account, file);
  }

  return (account: string, url: URL): PeerAnswer | object => {
    const [, rest = ''] = /^\/drive\/v3\/(.+)$/.exec(url.pathname) ?? [];
    if (rest === 'about') return { user: { emailAddress: account } };
    if (rest === 'files') return listFiles(account, url);
    if (rest === 'changes') return changes.list(account, url);
    if (rest === 'changes/startPageToken') return changes.startPageToken(url);
    if (rest === 'drives') return listDrives(account, url);
    return ofFile(account, url, rest);
  };
}
