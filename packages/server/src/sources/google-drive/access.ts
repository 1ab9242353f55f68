/**
 * Says who may find a file. Where Google does not say it, the access names only people who certainly may find the file.
 * It is better to hide a file from somebody who may see it than to show it to somebody who may not.
 */
import { SourceError } from '../../errors.ts';
import type { Access } from '../../model/entity.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import {
  type DriveFile,
  PERMISSION_FIELDS,
  type Permission,
  Permissions,
  pathOf,
} from './answer.ts';

export const user = (email: string) => `user:${email.toLowerCase()}`;
export const group = (email: string) => `group:${email.toLowerCase()}`;
/** All people of a domain are a group, too. No e-mail address has this form. */
export const everyoneIn = (domain: string) => `group:domain:${domain.toLowerCase()}`;

/**
 * Returns null when a request must ask for the permissions, because listings have no permissions of files in shared
 * drives. `me` is the account that has signed in.
 */
export function accessOf(file: DriveFile, me: string): Access | null {
  if (file.permissions) return ofPermissions(file.permissions);
  return file.driveId === undefined ? onlyKnown(file, me) : null;
}

export async function askAccess(http: Http, file: DriveFile, me: string): Promise<Access> {
  const permissions: Permission[] = [];
  try {
    for await (const { page } of pages(null, (pageToken: string | null) =>
      permissionsAt(http, file.id, pageToken),
    ))
      permissions.push(...page);
  } catch (error) {
    // An account that may read a file is not always allowed to see with whom the file is shared.
    if (error instanceof SourceError && error.kind === 'skip') return onlyKnown(file, me);
    throw error;
  }
  return ofPermissions(permissions);
}

async function permissionsAt(http: Http, id: string, pageToken: string | null) {
  const query = {
    pageSize: 100,
    pageToken: pageToken ?? undefined,
    supportsAllDrives: true,
    fields: `nextPageToken,${PERMISSION_FIELDS}`,
  };
  const path = `${pathOf(id)}/permissions`;
  const { value } = await http.json({ path, query }, Permissions);
  return { page: value.permissions, next: value.nextPageToken };
}

const onlyKnown = ({ owners }: DriveFile, me: string): Access => ({
  isPublic: false,
  viewers: unique([
    ...owners.flatMap(({ emailAddress }) => (emailAddress ? [user(emailAddress)] : [])),
    user(me),
  ]),
});

/** A permission for everyone who has the link lets nobody find the file by a search, as in Google Drive itself. */
function ofPermissions(permissions: readonly Permission[]): Access {
  const valid = permissions.filter(isValid);
  return {
    isPublic: valid.some(({ type, allowFileDiscovery }) => type === 'anyone' && allowFileDiscovery),
    viewers: unique(valid.flatMap(viewerOf)),
  };
}

/** Each of these roles may read a file (https://developers.google.com/workspace/drive/api/guides/ref-roles). */
const READS = new Set(['owner', 'organizer', 'fileOrganizer', 'writer', 'commenter', 'reader']);

/** A time that cannot be read has passed, and nobody knows what another role or a view allows. */
const isValid = ({ role = '', view, deleted, expirationTime: end }: Permission): boolean =>
  READS.has(role) &&
  view === undefined &&
  !deleted &&
  (end === undefined || Date.parse(end) > Date.now());

function viewerOf({ type, emailAddress, domain, allowFileDiscovery }: Permission): string[] {
  if (type === 'user' && emailAddress) return [user(emailAddress)];
  if (type === 'group' && emailAddress) return [group(emailAddress)];
  return type === 'domain' && domain && allowFileDiscovery ? [everyoneIn(domain)] : [];
}

const unique = (names: readonly string[]): string[] => [...new Set(names)].toSorted();
