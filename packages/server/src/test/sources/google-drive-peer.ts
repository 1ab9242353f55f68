/**
 * Serves a Google Drive with its shared drives, the directory of its company and Google's token endpoint on this
 * machine, as Google documents them. Every request and every answer is checked by Google's documents. The fake shows no
 * more than Google promises: a renamed, moved, trashed or deleted folder is one change, without changes for the files in it;
 * pages may be short; each shared drive has a log of its own; listings have no permissions of files in shared drives.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { must } from '../../util.ts';
import { openContract } from '../contracts/open-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { CLIENT, openGoogleAccounts } from './google-accounts.ts';
import { answerOfDirectory, makeGoogleListings, type PeerGroup } from './google-directory.ts';
import { checkMask, masked, parseMask } from './google-fields.ts';

const DRIVE = openContract('google-drive');
const ADMIN = openContract('google-directory');

const GOOGLE = 'application/vnd.google-apps.';
export const FOLDER = `${GOOGLE}folder`;
const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly';
const DIRECTORY_SCOPE = 'https://www.googleapis.com/auth/admin.directory.';

export interface SharedWith {
  readonly type: 'user' | 'group' | 'domain' | 'anyone';
  readonly emailAddress?: string;
  readonly domain?: string;
  readonly allowFileDiscovery?: boolean;
  readonly deleted?: boolean;
  readonly expirationTime?: string;
  /** It is reader if it is missing. */
  readonly role?: string;
  readonly view?: string;
}

export interface PeerFile {
  id: string;
  name: string;
  mimeType: string;
  /** The root of My Drive has the id 'root-my'. The root of a shared drive has the id of the drive. */
  parent: string;
  owner: string;
  /** The file itself was trashed, and not only a folder above it. */
  isTrashed: boolean;
  content: string | Buffer | (() => Readable);
  /** The metadata show this size instead of the real size. */
  claimedSize?: number;
  canDownload: boolean;
  /** The folder does not inherit who may read it, so what is in it is hidden from the members of its drive. */
  isLimited: boolean;
  shared: SharedWith[];
  modifiedAt: number;
}

interface PeerDrive {
  id: string;
  name: string;
  members: SharedWith[];
}

interface LogEntry {
  readonly fileId?: string;
  readonly driveId?: string;
}

type GivenFile = Pick<PeerFile, 'id' | 'name' | 'parent'> & Partial<PeerFile>;

const MY = 'my';
const ROOT = 'root-my';

export type DrivePeer = Awaited<ReturnType<typeof openDrive>>;

/** `me` is the person for whom the service account acts, and who signs in with the browser. */
export async function openDrive(me = 'ann@acme.example') {
  const files = new Map<string, PeerFile>();
  const drives = new Map<string, PeerDrive>();
  const logs = new Map<string, LogEntry[]>([[MY, []]]);
  let clock = Date.parse('2026-01-01T00:00:00Z');
  let epoch = 1;
  const tick = () => {
    clock += 60_000;
    return clock;
  };

  const driveOf = (file: PeerFile): string | undefined => {
    for (let at: string | undefined = file.parent; at !== undefined; at = files.get(at)?.parent)
      if (at !== ROOT && drives.has(at)) return at;
    return undefined;
  };
  const isTrashed = (file: PeerFile): boolean => {
    for (let at: PeerFile | undefined = file; at; at = files.get(at.parent))
      if (at.isTrashed) return true;
    return false;
  };
  const isInLimited = (file: PeerFile): boolean => {
    for (let at = files.get(file.parent); at; at = files.get(at.parent))
      if (at.isLimited) return true;
    return false;
  };
  const names = (account: string, shared: readonly SharedWith[]) =>
    shared.some(
      ({ type, emailAddress, deleted }) => type === 'user' && emailAddress === account && !deleted,
    );
  const isMember = (account: string, id: string) =>
    names(account, must(drives.get(id), `there is no drive ${id}`).members);
  const mayRead = (account: string, file: PeerFile): boolean => {
    const drive = driveOf(file);
    return (
      file.owner === account ||
      names(account, file.shared) ||
      (drive !== undefined && isMember(account, drive) && !isInLimited(file))
    );
  };
  const corpusOf = (file: PeerFile): string => {
    const drive = driveOf(file);
    return drive !== undefined && isMember(me, drive) ? drive : MY;
  };
  const log = (corpus: string, entry: LogEntry) => {
    if (!logs.has(corpus)) logs.set(corpus, []);
    must(logs.get(corpus)).push(entry);
  };
  const fileAt = (id: string) => must(files.get(id), `the peer has no file ${id}`);
  const bytesOf = ({ content }: PeerFile): Buffer =>
    typeof content === 'function' ? Buffer.alloc(0) : Buffer.from(content);

  function drop(id: string): void {
    for (const { id: inner, parent } of files.values()) if (parent === id) drop(inner);
    files.delete(id);
  }

  /** Each of these functions changes the Drive, and adds the log entries that Google adds. */
  const world = {
    files,
    drives,
    put(given: GivenFile): PeerFile {
      const file: PeerFile = {
        mimeType: 'text/markdown',
        owner: me,
        isTrashed: false,
        content: '',
        canDownload: true,
        isLimited: false,
        shared: [],
        modifiedAt: tick(),
        ...given,
      };
      files.set(file.id, file);
      log(corpusOf(file), { fileId: file.id });
      return file;
    },
    change(id: string, changes: Partial<PeerFile>): void {
      const file = fileAt(id);
      const before = corpusOf(file);
      const isContent = changes.content !== undefined;
      Object.assign(file, isContent && { modifiedAt: tick() }, changes);
      for (const corpus of new Set([before, corpusOf(file)])) log(corpus, { fileId: id });
    },
    /** Deletes the file, or the folder with everything in it, without the trash. */
    remove(id: string): void {
      log(corpusOf(fileAt(id)), { fileId: id });
      drop(id);
    },
    putDrive(id: string, name: string, members: SharedWith[]): void {
      drives.set(id, { id, name, members });
      log(MY, { driveId: id });
      log(id, { driveId: id });
    },
    changeDrive(id: string, changes: Partial<PeerDrive>): void {
      const drive = must(drives.get(id));
      const wasMember = isMember(me, id);
      Object.assign(drive, changes);
      log(id, { driveId: id });
      if (wasMember !== isMember(me, id)) log(MY, { driveId: id });
    },
    removeDrive(id: string): void {
      for (const { id: inner, parent } of files.values()) if (parent === id) drop(inner);
      drives.delete(id);
      log(MY, { driveId: id });
    },
    people: [] as string[],
    groups: [] as PeerGroup[],
  };

  const usual = () => ({
    /** A page has at most this many entries, even when a request asks for more. */
    largestPage: 1000,
    /** The service account may use these scopes on behalf of `me`. */
    delegated: [DRIVE_SCOPE],
    isAdmin: false,
    refreshTokens: new Set(['refresh-1']),
    /** Google refuses to export a document as a file that is larger than this. */
    exportBytes: 10 * 2 ** 20,
    /** Google refuses to list these corpora and their changes. */
    forbidden: new Set<string>(),
    /** Listings in another order show whether the connector depends on the order. */
    isReversed: false,
    /** Listings say that Google has not searched all files. */
    isIncomplete: false,
  });
  const settings = usual();
  const { page, forget } = makeGoogleListings(() => settings.largestPage);

  const refused = (
    status: number,
    message: string,
    { reason, location }: { reason: string; location?: string },
    headers: Record<string, string> = {},
  ): PeerAnswer =>
    json(
      status,
      {
        error: {
          code: status,
          message,
          errors: [
            {
              message,
              domain: 'global',
              reason,
              ...(location && { location, locationType: 'parameter' }),
            },
          ],
        },
      },
      headers,
    );
  const notFound = (id: string) =>
    refused(404, `File not found: ${id}.`, { reason: 'notFound', location: 'fileId' });
  const badToken = () =>
    refused(400, 'Invalid Value', { reason: 'invalid', location: 'pageToken' });

  function resourceOf(account: string, file: PeerFile) {
    const driveId = driveOf(file);
    const permissions = permissionsOf(file);
    const isGoogles = file.mimeType.startsWith(GOOGLE);
    const time = new Date(file.modifiedAt).toISOString();
    const parent = files.get(file.parent);
    const showsParent =
      file.parent === driveId || (parent ? mayRead(account, parent) : file.owner === account);
    return {
      id: file.id,
      name: file.name,
      mimeType: file.mimeType,
      ...(showsParent && { parents: [file.parent] }),
      trashed: isTrashed(file),
      createdTime: '2025-12-31T00:00:00.000Z',
      modifiedTime: time,
      webViewLink: `https://drive.google.com/file/d/${file.id}/view`,
      capabilities: {
        canDownload: file.canDownload,
        canListChildren: file.mimeType === FOLDER && !file.isLimited,
      },
      permissionIds: permissions.map(({ id }) => id),
      ...(!isGoogles && {
        size: String(file.claimedSize ?? bytesOf(file).length),
        md5Checksum: createHash('md5').update(bytesOf(file)).digest('hex'),
      }),
      ...(driveId === undefined
        ? { ownedByMe: file.owner === account, owners: [{ emailAddress: file.owner }] }
        : { driveId }),
      // Only a person who may share a file sees its permissions.
      ...(driveId === undefined && file.owner === account && { permissions }),
    };
  }

  function permissionsOf(file: PeerFile) {
    const drive = driveOf(file);
    const members = drive === undefined ? [] : must(drives.get(drive)).members;
    const owner = drive === undefined ? [{ type: 'user', emailAddress: file.owner }] : [];
    return [...owner, ...members, ...file.shared].map((one) => ({
      role: 'reader',
      ...one,
      id: createHash('md5').update(JSON.stringify(one)).digest('hex').slice(0, 20),
    }));
  }

  const rootOf = (id: string) =>
    id === ROOT || drives.has(id)
      ? {
          id,
          name: id === ROOT ? 'My Drive' : 'Drive',
          mimeType: FOLDER,
          trashed: false,
          ...(id !== ROOT && { driveId: id }),
        }
      : undefined;

  function listFiles(account: string, url: URL): PeerAnswer | object {
    const { searchParams } = url;
    const corpora = searchParams.get('corpora') ?? 'user';
    const driveId = searchParams.get('driveId');
    if (settings.forbidden.has(driveId ?? MY)) return forbidden;
    if ((corpora === 'drive') !== (driveId !== null))
      return refused(
        400,
        'The driveId parameter must be specified if and only if corpora is set to drive.',
        { reason: 'invalid' },
      );
    if (driveId !== null && !(drives.has(driveId) && isMember(account, driveId)))
      return refused(404, `Shared drive not found: ${driveId}`, {
        reason: 'notFound',
        location: 'driveId',
      });
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
      files: alive
        .filter((file) => inCorpus(file) && matches(file))
        .map((file) => resourceOf(account, file)),
      incompleteSearch: settings.isIncomplete,
      nextPageToken: found.next,
    };
  }

  const forbidden = refused(
    403,
    'The user does not have sufficient permissions for this shared drive.',
    { reason: 'forbidden' },
  );

  function listChanges(account: string, url: URL): PeerAnswer | object {
    const corpus = url.searchParams.get('driveId') ?? MY;
    if (settings.forbidden.has(corpus)) return forbidden;
    if (corpus !== MY && !(drives.has(corpus) && isMember(account, corpus)))
      return refused(404, `Shared drive not found: ${corpus}`, {
        reason: 'notFound',
        location: 'driveId',
      });
    const entries = logs.get(corpus) ?? [];
    const [, at = '', from = ''] =
      /^(\d+)\.(\d+)$/.exec(url.searchParams.get('pageToken') ?? '') ?? [];
    if (Number(at) !== epoch || from === '' || Number(from) > entries.length) return badToken();
    const keep = url.searchParams.get('includeCorpusRemovals') === 'true';
    const to = Math.min(
      entries.length,
      Number(from) +
        Math.min(settings.largestPage, Number(url.searchParams.get('pageSize') ?? 100)),
    );
    // A later entry replaces an earlier entry of the same item.
    const latest = new Map(
      entries.slice(Number(from), to).map((entry) => [entry.fileId ?? entry.driveId, entry]),
    );
    const isLast = to === entries.length;
    return {
      changes: [...latest.values()].map((entry) => changeOf(account, corpus, entry, keep)),
      ...(isLast ? { newStartPageToken: `${epoch}.${to}` } : { nextPageToken: `${epoch}.${to}` }),
    };
  }

  function changeOf(account: string, corpus: string, { fileId, driveId }: LogEntry, keep: boolean) {
    if (fileId === undefined) {
      const isGone = !drives.has(driveId ?? '') || !isMember(account, driveId ?? '');
      return { changeType: 'drive', driveId, removed: isGone };
    }
    const file = files.get(fileId);
    const isHere = file !== undefined && mayRead(account, file) && corpusOf(file) === corpus;
    const isSeen = file !== undefined && mayRead(account, file) && (isHere || keep);
    return {
      changeType: 'file',
      fileId,
      removed: !isHere,
      ...(isSeen && { file: resourceOf(account, file) }),
    };
  }

  function content(file: PeerFile, url: URL): PeerAnswer {
    const isExport = url.pathname.endsWith('/export');
    const isGoogles = file.mimeType.startsWith(GOOGLE);
    if (!file.canDownload)
      return refused(403, 'This file cannot be downloaded by the user.', {
        reason: 'cannotDownloadFile',
      });
    if (!isExport && isGoogles)
      return refused(
        403,
        'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
        { reason: 'fileNotDownloadable', location: 'alt' },
      );
    if (isExport && bytesOf(file).length > settings.exportBytes)
      return refused(403, 'This file is too large to be exported.', {
        reason: 'exportSizeLimitExceeded',
      });
    const exportType = EXPORTED[file.mimeType.slice(GOOGLE.length)];
    if (isExport && !exportType?.includes(url.searchParams.get('mimeType') ?? ''))
      return refused(400, 'The requested conversion is not supported.', {
        reason: 'badRequest',
        location: 'convertTo',
      });
    const body = typeof file.content === 'function' ? file.content() : bytesOf(file);
    return {
      status: 200,
      headers: {
        'content-type': isExport ? (url.searchParams.get('mimeType') ?? '') : file.mimeType,
      },
      body,
    };
  }

  function drive(account: string, url: URL): PeerAnswer | object {
    const [, rest = ''] = /^\/drive\/v3\/(.+)$/.exec(url.pathname) ?? [];
    if (rest === 'about') return { user: { emailAddress: account } };
    if (rest === 'files') return listFiles(account, url);
    if (rest === 'changes') return listChanges(account, url);
    if (rest === 'changes/startPageToken') {
      const corpus = url.searchParams.get('driveId') ?? MY;
      return { startPageToken: `${epoch}.${logs.get(corpus)?.length ?? 0}` };
    }
    if (rest === 'drives') {
      const found = page(url, () => [...drives.keys()].filter((id) => isMember(account, id)), 10);
      if (!found) return badToken();
      return {
        drives: found.ids
          .flatMap((id) => drives.get(id) ?? [])
          .map(({ id, name }) => ({ id, name })),
        nextPageToken: found.next,
      };
    }
    const [, escaped = '', what] = /^files\/([^/]+)(?:\/(\w+))?$/.exec(rest) ?? [];
    const id = decodeURIComponent(escaped);
    const file = files.get(id);
    const root = rootOf(id);
    if (root && (id === ROOT || isMember(account, id))) return root;
    if (!file || !mayRead(account, file)) return notFound(id);
    if (
      driveOf(file) !== undefined &&
      url.searchParams.get('supportsAllDrives') !== 'true' &&
      what !== 'export'
    )
      return notFound(id);
    if (what === 'permissions') {
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
    if (what === 'export' || url.searchParams.get('alt') === 'media') return content(file, url);
    return resourceOf(account, file);
  }

  function directory(url: URL): PeerAnswer | object {
    if (!settings.isAdmin)
      return refused(403, 'Not Authorized to access this resource/api', { reason: 'forbidden' });
    return answerOfDirectory(url, world, page) ?? badToken();
  }

  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const { url, headers } = request;
    const isDirectory = url.pathname.startsWith('/admin/');
    const contract = isDirectory ? ADMIN : DRIVE;
    must(headers['user-agent'], 'the request does not say who asks');
    const operation = contract.checkRequest(request);
    const mask = url.searchParams.get('fields');
    if (mask !== null) checkMask(parseMask(mask), contract, operation);
    const session = accounts.sessionOf(headers);
    if (!session) return unauthorized;
    const needed = isDirectory ? DIRECTORY_SCOPE : DRIVE_SCOPE;
    if (!session.scopes.some((scope) => scope.startsWith(needed)))
      return refused(403, 'Request had insufficient authentication scopes.', {
        reason: 'insufficientPermissions',
      });
    const made = isDirectory ? directory(url) : drive(session.account, url);
    const given = 'status' in made ? (made as PeerAnswer) : json(200, chosen(made, url));
    contract.checkAnswer(request, given);
    return given;
  }

  /** Without `fields`, the answer would have the fields that Google chooses. */
  function chosen(made: object, url: URL): unknown {
    const fields = must(url.searchParams.get('fields'), `${url.pathname} is asked without fields`);
    return JSON.parse(JSON.stringify(masked(made, parseMask(fields))));
  }

  const unauthorized = refused(
    401,
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    { reason: 'authError', location: 'Authorization' },
  );
  // Google's token endpoint is another service, which works even when the Drive does not.
  const accounts = await openGoogleAccounts({
    inBrowser: () => ({ account: me, scopes: [DRIVE_SCOPE] }),
    isRefreshToken: (token) => settings.refreshTokens.has(token),
    mayActFor: (subject, scopes) =>
      subject === me && scopes.every((one) => settings.delegated.includes(one)),
  });
  const peer = await openCloudPeer(answer, { place: ['pageToken'] });
  const closeDrive = peer.close;
  Object.assign(peer, { close: () => Promise.all([closeDrive(), accounts.close()]) });

  return {
    settings,
    world,
    peer,
    serviceAccount: accounts.serviceAccount,
    me,
    /** The operator sets these addresses in place of Google's. */
    operator: { client: CLIENT, baseUrl: peer.baseUrl, tokenUrl: accounts.tokenUrl },
    tokenRequests: accounts.requests,
    refused,
    unauthorized,
    /** Begins with an empty Drive. */
    clear(): void {
      files.clear();
      drives.clear();
      logs.clear();
      logs.set(MY, []);
      Object.assign(settings, usual());
      Object.assign(world, { people: [], groups: [] });
      peer.requests.length = 0;
      accounts.requests.length = 0;
      peer.fault = () => undefined;
    },
    revoke: accounts.revoke,
    acceptToken: accounts.acceptToken,
    /** The page tokens and the places in logs that were given out so far become invalid. */
    forgetPlaces(): void {
      forget();
      epoch++;
    },
  };
}

/** Google can export its documents in these formats, and in others. */
const EXPORTED: Readonly<Record<string, readonly string[]>> = {
  document: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'text/markdown',
    'application/pdf',
  ],
  spreadsheet: ['application/pdf', 'text/csv'],
  presentation: ['text/plain', 'application/pdf'],
  drawing: ['application/pdf'],
};

/** Parses a query of files.list. Returns null for a query with a term that the fake does not know. */
function filterOf(
  q: string,
  isTrashed: (file: PeerFile) => boolean,
): ((file: PeerFile) => boolean) | null {
  const terms = q === '' ? [] : q.split(' and ').map((term) => termOf(term, isTrashed));
  const known = terms.filter((term) => term !== null);
  return known.length === terms.length ? (file) => known.every((term) => term(file)) : null;
}

function termOf(
  term: string,
  isTrashed: (file: PeerFile) => boolean,
): ((file: PeerFile) => boolean) | null {
  const text = "'((?:[^'\\\\]|\\\\.)*)'";
  const match = (pattern: string) =>
    new RegExp(`^${pattern}$`).exec(term)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const trashed = match('trashed = (true|false)');
  if (trashed !== undefined) return (file) => String(isTrashed(file)) === trashed;
  const parent = match(`${text} in parents`);
  if (parent !== undefined) return (file) => file.parent === parent;
  const type = match(`mimeType = ${text}`);
  if (type !== undefined) return ({ mimeType }) => mimeType === type;
  const name = match(`name contains ${text}`);
  if (name !== undefined) return (file) => file.name.toLowerCase().includes(name.toLowerCase());
  return null;
}
