/**
 * Reads XML from beginning to end, without recursion and without a tree. Entities other than the five of XML are an
 * error, so nothing is expanded or fetched. Prefixes of names are dropped, because a program may choose any prefix.
 */
import { SaxesParser } from 'saxes';
import { SourceError } from '../../errors.ts';
import { isByteEncoding, xmlEncodingOf } from '../plain.ts';
import type { XmlAttributes } from '../xml/parse.ts';
import { brokenArchive } from './parts.ts';
import { slices } from './zip-stream.ts';

const MAX_OPEN_ELEMENTS = 30_000;
const SLICE_BYTES = 64 * 1024;
const COLON = 0x3a;

/** This runs at the end of an element. */
export type CloseElement = () => void;

export interface XmlHandler {
  /**
   * Is called at the beginning of an element, whose name comes without its prefix. Returns what is to run at its end,
   * or 'skip' when the element is left out with everything that is in it.
   */
  open(name: string, attributes: XmlAttributes): CloseElement | 'skip' | undefined;
  text?(data: string): void;
  /** After this returns true, the rest is not read. */
  isDone?(): boolean;
}

/**
 * Reads a whole part, or its pieces. Throws a SourceError 'skip' when the XML is not well-formed. `what` names the
 * document in messages.
 */
export function readXml(
  part: Uint8Array | Iterable<Uint8Array>,
  handler: XmlHandler,
  what: string,
): void {
  const closers: (CloseElement | undefined)[] = [];
  /** This is the number of open elements that are left out. */
  let skipped = 0;
  const parser = new SaxesParser({ position: false, xmlns: false as const });
  parser.on('error', (error) => {
    throw brokenArchive(what, error);
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (closers.length + skipped >= MAX_OPEN_ELEMENTS)
      throw new SourceError('skip', `the ${what} nests more than ${MAX_OPEN_ELEMENTS} elements`, {
        hint: 'Open it in the program that has made it, and save it again.',
      });
    if (skipped > 0) {
      skipped++;
      return;
    }
    const close = handler.open(withoutPrefix(name), attributes);
    if (close === 'skip') skipped++;
    else closers.push(close);
  });
  parser.on('closetag', () => {
    if (skipped > 0) skipped--;
    else closers.pop()?.();
  });
  const text = (data: string): void => {
    if (skipped === 0) handler.text?.(data);
  };
  if (handler.text) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  for (const piece of part instanceof Uint8Array ? slices(part, SLICE_BYTES) : part) {
    decoder ??= new TextDecoder(encodingOf(piece));
    parser.write(decoder.decode(piece, { stream: true }));
    if (handler.isDone?.()) return;
  }
  if (decoder) parser.write(decoder.decode());
  parser.close();
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Returns the value of the attribute with this name, whatever its prefix is. */
export const attribute = (attributes: XmlAttributes, name: string): string | undefined =>
  attributes[name] ?? prefixedAttribute(attributes, name);

/** Returns the value of the attribute with this name and a prefix, such as `r:id` beside `id`. */
export function prefixedAttribute(attributes: XmlAttributes, name: string): string | undefined {
  for (const key in attributes)
    if (key.charCodeAt(key.length - name.length - 1) === COLON && key.endsWith(name))
      return attributes[key];
  return undefined;
}

/** Returns a whole number from 0 to `most`, or undefined. */
export function numberIn(value: string | undefined, most: number): number | undefined {
  if (value === undefined || !/^\d{1,10}$/.test(value)) return undefined;
  return Math.min(Number(value), most);
}

/** A property that is there without a value is on. */
export const isOn = (value: string | undefined): boolean =>
  value === undefined || !/^(?:0|false|off|none)$/i.test(value);

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const label = xmlEncodingOf(head);
  // A declaration that can be read as ASCII is not in UTF-16, whatever it says.
  return label !== undefined && isByteEncoding(label) ? label : 'utf-8';
}
