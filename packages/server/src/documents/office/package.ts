/**
 * Opens a document of the Open Packaging Conventions (ECMA-376 part 2): a zip archive whose parts name each other by
 * relationships. A target is only looked up among the parts, so no target can lead out of the archive.
 */
import { posix } from 'node:path';
import { SourceError } from '../../errors.ts';
import { brokenArchive, openArchive, unpackWanted } from './parts.ts';
import { attribute, readXml, type XmlHandler } from './xml.ts';
import { openZipStream } from './zip-stream.ts';

/** A part is read once or twice. A hostile document could have one large part read for each of many small ones. */
const MAX_BYTES_READ = 200 * 1024 * 1024;

export interface PartRelation {
  readonly id: string;
  /** This is the last part of the address of the type, which is the same in both variants of the standard. */
  readonly type: string;
  /** This is the path of a part, which may be missing. */
  readonly target: string;
}

export interface OfficePackage {
  /** This names the document in messages. */
  readonly what: string;
  has(path: string): boolean;
  /** Reads a part. Does nothing when the part is missing. Throws a SourceError 'skip' when it is broken. */
  read(path: string | undefined, handler: XmlHandler): void;
  /** Unpacks a part of any kind. */
  bytes(path: string): Uint8Array | undefined;
  /** Returns the relationships of a part, or of the whole document for an empty path, without those to other files. */
  relations(path: string): readonly PartRelation[];
}

export interface PackageOptions {
  readonly what: string;
  /** Protected documents, and those of the old format, are in a file of another kind. */
  readonly oldFormat: string;
  readonly isWanted?: (name: string) => boolean;
  /** Returns true for parts that may be larger than the memory, and so are unpacked while they are read. */
  readonly isStreamed?: (name: string) => boolean;
}

const isXml = (name: string) => /\.(?:xml|rels)$/i.test(name);

/** Throws a SourceError 'skip'. */
export function openPackage(
  bytes: Uint8Array,
  { what, oldFormat, isWanted = isXml, isStreamed = () => false }: PackageOptions,
): OfficePackage {
  const archive = openArchive(bytes, { what, oldFormat });
  const unpacked = unpackWanted(archive, (name) => isWanted(name) && !isStreamed(name));
  const stream = openZipStream(archive);
  // Names of parts do not depend on case (ECMA-376 part 2, 6.2.2.3), and some programs write backslashes.
  const key = (path: string) => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
  const parts = new Map(Object.entries(unpacked).map(([name, part]) => [key(name), part]));
  const names = new Map(archive.entries.map(({ path }) => [key(path), path]));
  if (!parts.has('[content_types].xml')) throw brokenArchive(what);

  let bytesRead = 0;
  function read(path: string | undefined, handler: XmlHandler): void {
    const name = path === undefined ? undefined : names.get(key(path));
    if (path === undefined || name === undefined) return;
    const pieces = isStreamed(name) ? stream.part(name) : undefined;
    if (pieces) readXml(pieces, handler, what);
    const part = parts.get(key(path));
    if (!part) return;
    bytesRead += part.length;
    if (bytesRead > MAX_BYTES_READ)
      throw new SourceError('skip', `the parts of the ${what} refer to each other too often`, {
        hint: 'Open it in the program that has made it, and save it again.',
      });
    readXml(part, handler, what);
  }

  function relations(path: string): PartRelation[] {
    const folder = posix.dirname(path);
    const found: PartRelation[] = [];
    read(posix.join(folder, '_rels', `${posix.basename(path)}.rels`), {
      open(name, attributes) {
        const [id, type, target] = ['Id', 'Type', 'Target'].map((one) =>
          attribute(attributes, one),
        );
        if (name !== 'Relationship' || id === undefined || !type || target === undefined)
          return undefined;
        if (attribute(attributes, 'TargetMode') === 'External') return undefined;
        found.push({
          id,
          type: type.slice(type.lastIndexOf('/') + 1),
          target: resolved(folder, target),
        });
        return undefined;
      },
    });
    return found;
  }

  function bytesOf(path: string): Uint8Array | undefined {
    const name = names.get(key(path));
    return name === undefined ? undefined : unpackWanted(archive, (one) => one === name)[name];
  }

  return { what, has: (path) => parts.has(key(path)), read, bytes: bytesOf, relations };
}

/** Returns the first part of this type. */
export const partOf = (relations: readonly PartRelation[], type: string): string | undefined =>
  relations.find((relation) => relation.type === type)?.target;

/** Returns the path of the main part. Throws a SourceError 'skip' when it is missing. */
export function mainPart(document: OfficePackage, usual: string): string {
  const path = partOf(document.relations(''), 'officeDocument') ?? usual;
  if (!document.has(path)) throw brokenArchive(document.what);
  return path;
}

/** A target that climbs above the root stays at the root. */
const resolved = (folder: string, target: string): string =>
  posix.join('/', target.startsWith('/') ? '' : folder, target.replaceAll('\\', '/')).slice(1);
