/**
 * Parses XML as a stream of elements and text. Entities of a DTD are never expanded, and nothing outside of the file is
 * read: an unknown entity stays as it is written.
 */
import { Parser } from 'htmlparser2';
import { SourceError } from '../../errors.ts';
import { decodeText, isByteEncoding, xmlEncodingOf } from '../plain.ts';

/** These are the values of the attributes by their names, which have their prefixes. */
export type XmlAttributes = Readonly<Record<string, string>>;

export interface XmlEvents {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(data: string): void;
}

const MAX_OPEN_ELEMENTS = 1_000;
const HEAD_BYTES = 1024;

/** Returns the text in the encoding that the file declares, or null when the bytes are not text. */
export function decodeXml(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const label = xmlEncodingOf(head);
  return decodeText(bytes, label !== undefined && isByteEncoding(label) ? label : undefined);
}

/** Text outside of the root element is not reported. Throws a SourceError 'skip' for very deep elements. */
export function parseXml(text: string, events: XmlEvents): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_OPEN_ELEMENTS)
          throw new SourceError('skip', `the XML nests more than ${MAX_OPEN_ELEMENTS} elements`);
        events.open(name, attributes);
      },
      onclosetag(name) {
        depth--;
        events.close(name);
      },
      ontext(data) {
        if (depth > 0) events.text(data);
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  parser.end();
}

/** Returns the name without its prefix, in lower case. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
