/**
 * These are the parts of Google's answers that are read
 * (https://developers.google.com/workspace/drive/api/reference/rest/v3), and the `fields` that ask for exactly these
 * parts.
 */
import { z } from 'zod';

export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';

/** The id is encoded, so that it stays one part of the path whatever characters it has. */
export const pathOf = (id: string): string => `drive/v3/files/${encodeURIComponent(id)}`;

/** Without these parameters, Google hides everything that lies in shared drives. */
export const ALL_DRIVES = { supportsAllDrives: true, includeItemsFromAllDrives: true };

export const PERMISSION_FIELDS =
  'permissions(type,role,view,emailAddress,domain,allowFileDiscovery,deleted,expirationTime)';
const FILE_FIELDS = `id,name,mimeType,parents,driveId,trashed,size,md5Checksum,createdTime,modifiedTime,webViewLink,ownedByMe,owners(emailAddress),capabilities(canDownload,canListChildren),permissionIds,${PERMISSION_FIELDS}`;
export const FILES_FIELDS = `kind,nextPageToken,incompleteSearch,files(${FILE_FIELDS})`;
export const CHANGES_FIELDS = `nextPageToken,newStartPageToken,changes(changeType,removed,fileId,driveId,file(${FILE_FIELDS}))`;

export const Permission = z.object({
  /** The type is user, group, domain or anyone. */
  type: z.string(),
  role: z.string().optional(),
  /** The permission is only for the published version of a file, or for the name of a folder. */
  view: z.string().optional(),
  emailAddress: z.string().optional(),
  domain: z.string().optional(),
  /** It is false for those who need the link to open the file. */
  allowFileDiscovery: z.boolean().optional(),
  deleted: z.boolean().optional(),
  /** The permission ends at this time. */
  expirationTime: z.string().optional(),
});
export type Permission = z.infer<typeof Permission>;

export const DriveFile = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  parents: z.array(z.string()).default([]),
  /** Only files in a shared drive have it. */
  driveId: z.string().optional(),
  trashed: z.boolean().default(false),
  size: z.coerce.number().optional(),
  md5Checksum: z.string().optional(),
  createdTime: z.coerce.date().optional(),
  modifiedTime: z.coerce.date().optional(),
  webViewLink: z.string().optional(),
  ownedByMe: z.boolean().default(false),
  owners: z.array(z.object({ emailAddress: z.string().optional() })).default([]),
  capabilities: z
    .object({
      canDownload: z.boolean().default(true),
      /** It is also false for files that are not folders. */
      canListChildren: z.boolean().optional(),
    })
    .optional(),
  permissionIds: z.array(z.string()).default([]),
  /** Files in shared drives never have them, and other files only for an account that may share the file. */
  permissions: z.array(Permission).optional(),
});
export type DriveFile = z.infer<typeof DriveFile>;

const Page = z.object({ nextPageToken: z.string().optional() });

/**
 * Google's document does not say whether an empty list is left out, but the kind is always there. So an answer without it
 * is not one, and what was listed before is not gone.
 */
export const Files = Page.extend({
  kind: z.literal('drive#fileList'),
  files: z.array(DriveFile).default([]),
  incompleteSearch: z.boolean().default(false),
});

export const Changes = Page.extend({
  newStartPageToken: z.string().optional(),
  changes: z
    .array(
      z.object({
        changeType: z.string(),
        removed: z.boolean().default(false),
        fileId: z.string().optional(),
        driveId: z.string().optional(),
        file: DriveFile.optional(),
      }),
    )
    .default([]),
});

export const DRIVES_FIELDS = 'kind,nextPageToken,drives(id,name)';
export const Drives = Page.extend({
  kind: z.literal('drive#driveList'),
  drives: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
});

export const Permissions = Page.extend({ permissions: z.array(Permission).default([]) });

export const StartPageToken = z.object({ startPageToken: z.string() });

export const About = z.object({ user: z.object({ emailAddress: z.string() }) });
