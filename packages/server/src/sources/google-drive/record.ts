/** Makes records of files: a stub with everything that the listing contains, and the content when it has changed. */
import { z } from 'zod';
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import type { Access, Breadcrumb, Entity } from '../../model/entity.ts';
import { digestOf } from '../../model/hash.ts';
import { type LeftOut, type Stub, skip, stub, type Upsert, upsert } from '../items.ts';
import { fileOrSkip } from '../kit/file-or-skip.ts';
import type { Http } from '../kit/http.ts';
import type { CloudRequest } from '../kit/outgoing.ts';
import { accessOf, askAccess } from './access.ts';
import { type DriveFile, pathOf } from './answer.ts';

/** A document is larger than Google exports it. */
export class TooLargeToExport extends SourceError {}

/** Google does not send this file for some time, because too many people have downloaded it, but it sends others. */
export class DownloadedTooOften extends SourceError {}

export const TYPE = 'GoogleDriveFile';

export const FileFields = z.object({
  mime_type: z.string().meta({ title: 'Type', description: 'Media type, as Google names it.' }),
  owners: z.array(z.string()).meta({
    title: 'Owners',
    description: 'E-mail addresses of the owners. Files in shared drives have none.',
  }),
});

const GOOGLE_TYPE = 'application/vnd.google-apps.';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF = 'application/pdf';
/**
 * Google exports its own formats as these (https://developers.google.com/workspace/drive/api/guides/ref-export-formats).
 * Of a spreadsheet, CSV would hold the first sheet only; of a document, Markdown would hold all images as text.
 */
const EXPORTS: Readonly<Record<string, readonly [type: string, extension: string]>> = {
  [`${GOOGLE_TYPE}document`]: [DOCX, '.docx'],
  [`${GOOGLE_TYPE}spreadsheet`]: [PDF, '.pdf'],
  [`${GOOGLE_TYPE}presentation`]: ['text/plain', '.txt'],
  [`${GOOGLE_TYPE}drawing`]: [PDF, '.pdf'],
};
/** The name of an uploaded file need not have the extension that says how the file is read. */
const EXTENSIONS: Readonly<Record<string, string>> = { [PDF]: '.pdf', [DOCX]: '.docx' };

export interface FilePlace {
  readonly partition: string;
  readonly folders: readonly Breadcrumb[];
  /** This account has signed in. */
  readonly me: string;
}

/** The listing contains this already, and `contentOf` needs it. */
interface CarriedFile {
  readonly file: DriveFile;
  readonly entity: Entity;
  readonly me: string;
}

/** Returns a stub, or a skip when Google does not give the content of the file to this account. */
export function recordOf(file: DriveFile, { partition, folders, me }: FilePlace): Stub | LeftOut {
  const why = unreadable(file);
  if (why) return skip(file.id, TYPE, { ...why, removes: 'record' });
  const entity: Entity = {
    id: file.id,
    type: TYPE,
    name: file.name,
    text: '',
    url: file.webViewLink,
    breadcrumbs: folders,
    createdAt: file.createdTime,
    updatedAt: file.modifiedTime,
    access: accessOf(file, me) ?? undefined,
    fields: {
      mime_type: file.mimeType,
      owners: file.owners.flatMap(({ emailAddress }) => emailAddress ?? []),
    },
  };
  const carry: CarriedFile = { file, entity, me };
  return stub(file.id, TYPE, { version: versionOf(file, entity), partition, carry });
}

/**
 * The version changes with the content, with everything that a search shows of the file, and with the people who may
 * find it.
 */
function versionOf({ md5Checksum, modifiedTime, permissionIds }: DriveFile, entity: Entity) {
  const all = [md5Checksum ?? modifiedTime ?? '', permissionIds.toSorted(), entity];
  return digestOf(all);
}

function unreadable({ mimeType, capabilities }: DriveFile): Omission | undefined {
  if (mimeType.startsWith(GOOGLE_TYPE) && !Object.hasOwn(EXPORTS, mimeType))
    return { reason: 'of a kind without text' };
  return capabilities?.canDownload === false
    ? {
        reason: 'closed for downloads',
        hint: 'The owner can allow people who may read the file to download it, in its sharing settings.',
      }
    : undefined;
}

export function contentOf(http: Http, found: Stub): Promise<Upsert | LeftOut> {
  const { version, partition, carry } = found;
  const { file, entity, me } = carry as CarriedFile;
  return fileOrSkip(found, { service: 'Google', why: whyRefused }, async () => {
    const content = await http.file(requestOf(file), {
      name: fileNameOf(file),
      size: sizeOf(file),
    });
    const access: Access = entity.access ?? (await askAccess(http, file, me));
    return upsert({ ...entity, access, file: content }, { version, partition });
  });
}

function whyRefused(error: SourceError): Omission | undefined {
  if (error instanceof TooLargeToExport)
    return {
      reason: 'too large to export',
      hint: 'Google exports at most 10 MB of a document. Divide it, or make its images smaller.',
    };
  return error instanceof DownloadedTooOften
    ? {
        reason: 'downloaded too often',
        hint: 'Google gives the file out again later. It is read when it changes, and by a full sync that you start.',
      }
    : undefined;
}

function requestOf({ id, mimeType }: DriveFile): CloudRequest {
  const path = pathOf(id);
  const [exported] = EXPORTS[mimeType] ?? [];
  return exported
    ? { path: `${path}/export`, query: { mimeType: exported } }
    : { path, query: { alt: 'media', supportsAllDrives: true } };
}

function fileNameOf({ name, mimeType }: DriveFile): string {
  const [, extension = EXTENSIONS[mimeType] ?? ''] = EXPORTS[mimeType] ?? [];
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
}

/** The size of a document of Google's own is not that of its export. */
const sizeOf = ({ mimeType, size }: DriveFile) =>
  Object.hasOwn(EXPORTS, mimeType) ? undefined : size;
