/** Shows files and their permissions as Google Drive does. Listings have no permissions of files in shared drives. */
import { createHash } from 'node:crypto';
import { must } from '../../util.ts';
import {
  bytesOf,
  type DriveWorld,
  FOLDER,
  GOOGLE,
  type PeerFile,
  ROOT,
} from './google-drive-world.ts';

export function makeDriveShapes({ files, drives, driveOf, isTrashed, mayRead }: DriveWorld) {
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

  return { permissionsOf, resourceOf, rootOf };
}
