/**
 * Opens a document of OpenDocument (ODF 1.3): a zip archive (part 2), or all of it in one XML file, which is called flat.
 */
import { SourceError } from '../../../errors.ts';
import { isCompoundFile } from '../../compound/signature.ts';
import type { About } from '../../convert.ts';
import { brokenArchive, openArchive, unpackWanted } from '../parts.ts';
import { type AboutNames, aboutOf, createAboutReader } from '../properties.ts';
import { readXml, type XmlHandler } from '../xml.ts';
import { openZipStream } from '../zip-stream.ts';

/** The content may be larger than the memory, so it is unpacked while it is read. */
const CONTENT = 'content.xml';
const PARTS = new Set(['styles.xml', 'meta.xml', 'META-INF/manifest.xml']);

/** The person who changed the document last is in `creator`, and the one who began it counts more. */
const AUTHOR = 'initial-creator';

/** The fields of the metadata (part 3, 4.3). */
const META: AboutNames = {
  title: 'title',
  [AUTHOR]: 'author',
  creator: 'author',
  language: 'language',
  'creation-date': 'created_at',
  date: 'modified_at',
};

/**
 * Reads the styles and the content with the handler, in this order, and returns the metadata. `what` names the document
 * in messages. Throws a SourceError 'skip' when it is broken or encrypted.
 */
export function readOdf(
  bytes: Uint8Array,
  what: string,
  handler: XmlHandler,
): { readonly about?: About } {
  const about = createAboutReader(META, AUTHOR);
  if (!isZip(bytes) && !isCompoundFile(bytes)) {
    readFlat(bytes, what, { handler, about });
    return aboutOf(about);
  }
  const archive = openArchive(bytes, { what });
  const parts = unpackWanted(archive, (name) => PARTS.has(name));
  const { 'styles.xml': styles, 'meta.xml': meta } = parts;
  const manifest = parts['META-INF/manifest.xml'];
  // A document that is encrypted as a whole has no content beside its manifest.
  if (manifest) refuseEncrypted(manifest, what);
  const content = openZipStream(archive).part(CONTENT);
  if (!content) throw brokenArchive(what);
  if (meta) readXml(meta, about, what);
  for (const part of [styles, content])
    if (part && !handler.isDone?.()) readXml(part, handler, what);
  return aboutOf(about);
}

const isZip = ([first, second]: Uint8Array) => first === 0x50 && second === 0x4b;

/** These parts of a flat document may have elements with the names of metadata in their text. */
const TEXTS: ReadonlySet<string> = new Set(['master-styles', 'body']);

/** The metadata comes before the content, and only there its elements mean metadata. */
function readFlat(
  bytes: Uint8Array,
  what: string,
  { handler, about }: { readonly handler: XmlHandler; readonly about: XmlHandler },
): void {
  let isMeta = false;
  let isDocument = false;
  let inTexts = false;
  readXml(
    bytes,
    {
      open(name, attributes) {
        isDocument ||= name === 'document';
        if (!isDocument) throw brokenArchive(what);
        inTexts ||= TEXTS.has(name);
        if (isMeta) return about.open(name, attributes);
        if (name !== 'meta' || inTexts) return handler.open(name, attributes);
        isMeta = true;
        return () => {
          isMeta = false;
        };
      },
      text: (data) => (isMeta ? about : handler).text?.(data),
      isDone: () => handler.isDone?.() ?? false,
    },
    what,
  );
}

function refuseEncrypted(manifest: Uint8Array, what: string): void {
  readXml(
    manifest,
    {
      open(name) {
        if (name !== 'encryption-data') return undefined;
        throw new SourceError('skip', `the ${what} is protected by a password`, {
          hint: `Store a copy as ${what} without the password.`,
        });
      },
    },
    what,
  );
}
