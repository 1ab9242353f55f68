/**
 * These are the parts of an item of a drive that are read (https://learn.microsoft.com/graph/api/resources/driveitem). A
 * facet such as `file` says what the item is.
 */
import { z } from 'zod';
import { number, optional, text } from './collection.ts';

const facet = optional(z.object({}));
const time = optional(z.coerce.date()).catch(undefined);
const Author = optional(z.object({ user: optional(z.object({ displayName: text })) })).catch(
  undefined,
);

export const DriveItem = z.object({
  id: z.string(),
  name: text,
  parentReference: optional(z.object({ id: optional(z.string()) })).catch(undefined),
  webUrl: text,
  size: number,
  cTag: text,
  eTag: text,
  createdDateTime: time,
  lastModifiedDateTime: time,
  createdBy: Author,
  lastModifiedBy: Author,
  file: optional(z.object({ mimeType: text })),
  folder: facet,
  package: facet,
  remoteItem: facet,
  root: facet,
  malware: facet,
  deleted: facet,
});
export type DriveItem = z.infer<typeof DriveItem>;
