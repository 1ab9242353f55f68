/** Reads what an EPUB says about its chapters (EPUB 3.3, 4 and 5): which ones, in which order, and which are encrypted. */
import { posix } from 'node:path';
import type { About } from '../../convert.ts';
import { type AboutNames, aboutOf, createAboutReader } from '../properties.ts';
import { attribute, readXml } from '../xml.ts';

/** Readers of books take these for scrambled fonts, which everybody may unscramble (EPUB 3.3, 4.3). */
const SCRAMBLED_FONT = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;
const PAGES = /^(?:application\/xhtml\+xml|text\/html)$/i;

/** The fields of the metadata (EPUB 3.3, 5.5). */
const METADATA: AboutNames = {
  title: 'title',
  creator: 'author',
  language: 'language',
  date: 'created_at',
  'dcterms:modified': 'modified_at',
};

export interface PackageDocument {
  /** These are the paths of the chapters in the order of reading, each once. */
  readonly chapters: readonly string[];
  readonly about: { readonly about?: About };
}

/** Returns the path of the package document, or undefined. */
export function packagePath(container: Uint8Array, what: string): string | undefined {
  let path: string | undefined;
  readXml(
    container,
    {
      open(name, attributes) {
        if (name === 'rootfile') path ??= attribute(attributes, 'full-path');
        return undefined;
      },
    },
    what,
  );
  return path;
}

export function readPackageDocument(
  bytes: Uint8Array,
  path: string,
  what: string,
): PackageDocument {
  const about = createAboutReader(METADATA);
  const pages = new Map<string, string>();
  const chapters = new Set<string>();
  let inMetadata = false;
  readXml(
    bytes,
    {
      open(name, attributes) {
        if (inMetadata) return about.open(attribute(attributes, 'property') ?? name, attributes);
        switch (name) {
          case 'metadata':
            inMetadata = true;
            return () => {
              inMetadata = false;
            };
          case 'item': {
            const href = attribute(attributes, 'href');
            const isPage = PAGES.test(attribute(attributes, 'media-type') ?? '');
            if (href !== undefined && isPage)
              pages.set(attribute(attributes, 'id') ?? '', pathOf(path, href));
            return undefined;
          }
          case 'itemref': {
            const page = pages.get(attribute(attributes, 'idref') ?? '');
            if (page !== undefined) chapters.add(page);
            return undefined;
          }
          default:
            return undefined;
        }
      },
      text: (data) => about.text?.(data),
    },
    what,
  );
  return { chapters: [...chapters], about: aboutOf(about) };
}

/** Returns the paths of the encrypted parts, without scrambled fonts. */
export function encryptedPaths(encryption: Uint8Array, what: string): Set<string> {
  const paths = new Set<string>();
  let algorithm = '';
  readXml(
    encryption,
    {
      open(name, attributes) {
        if (name === 'EncryptedData') algorithm = '';
        // The method of the data comes first; a key inside of it may name another method.
        if (name === 'EncryptionMethod') algorithm ||= attribute(attributes, 'Algorithm') ?? '';
        if (name === 'CipherReference' && !SCRAMBLED_FONT.test(algorithm))
          paths.add(pathOf('', attribute(attributes, 'URI') ?? ''));
        return undefined;
      },
    },
    what,
  );
  return paths;
}

/** An address is relative to the part in which it stands. One that climbs above the root stays at the root. */
function pathOf(part: string, address: string): string {
  const [path = ''] = address.split('#', 1);
  return posix.join('/', posix.dirname(part), decoded(path)).slice(1);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // The path has a percent sign that begins no code, so it is taken as it is.
    return path;
  }
}
