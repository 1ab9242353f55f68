/**
 * Files that Notion hosts, in blocks and in properties. Each answer signs their addresses again, and they end after
 * an hour, so a file is known by the path of its address, which changes when another file takes its place.
 */
import { z } from 'zod';
import { reasonToLeaveOut } from '../../documents/kinds.ts';
import { digestOf } from '../../model/hash.ts';
import { inOneLine } from '../../util.ts';
import { FileValue, type NotionBlock, type NotionPage } from './answer.ts';

export interface HostedFile {
  readonly id: string;
  /** It stands for the content of the file, together with the time at which its block was edited. */
  readonly digest: string;
  readonly name: string;
  readonly url: string;
  /** This is the time of the last change of its block; '' for a file of a property. */
  readonly edited: string;
}

type FileContent = Pick<z.output<typeof FileValue>, 'type' | 'name' | 'file'>;

/** Files of these blocks are attachments, and the others are there to be seen. */
const ATTACHMENTS = ['file', 'pdf'];
const MEDIA = ['image', 'video', 'audio'];

/** Returns undefined for a block that has no file of Notion's, and for pictures, which have no text. */
export function fileInBlock({
  id,
  type,
  content,
  last_edited_time,
}: NotionBlock): HostedFile | undefined {
  const isAttachment = ATTACHMENTS.includes(type);
  if (!isAttachment && !MEDIA.includes(type)) return undefined;
  const file = hosted(content, last_edited_time, () => id);
  return file && (isAttachment || reasonToLeaveOut(file.name, 0) === null) ? file : undefined;
}

const Files = z
  .looseObject({ type: z.literal('files'), files: z.array(z.unknown()) })
  .transform(({ files }) => files);

/** A file of a property keeps its id when the property gets further files before it. */
export function filesInProperties({ id, properties }: NotionPage): HostedFile[] {
  const values = Object.values(properties).flatMap(
    (property) => Files.safeParse(property).data ?? [],
  );
  const files = values.flatMap((value) => {
    const { data } = FileValue.safeParse(value);
    return (data && hosted(data, '', (digest) => `${id}/${digest}`)) ?? [];
  });
  return [...new Map(files.map((file) => [file.id, file])).values()];
}

function hosted(
  content: FileContent,
  edited: string,
  idOf: (digest: string) => string,
): HostedFile | undefined {
  const url = content.type === 'file' ? URL.parse(content.file?.url ?? '') : null;
  if (!url) return undefined;
  const name = nameOf(content);
  const digest = digestOf([url.origin, url.pathname, name, edited]).slice(0, 22);
  return { id: idOf(digest), digest, name, url: url.href, edited };
}

/** Blocks of pictures and PDFs have no name, but the address ends with it. */
export function nameOf({ name, file }: Pick<FileContent, 'name' | 'file'>): string {
  const own = inOneLine(name);
  const last =
    URL.parse(file?.url ?? '')
      ?.pathname.split('/')
      .at(-1) ?? '';
  return own || decodedName(last) || 'file';
}

function decodedName(encoded: string): string {
  try {
    return inOneLine(decodeURIComponent(encoded));
  } catch {
    return encoded;
  }
}
