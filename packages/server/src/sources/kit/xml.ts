/**
 * Reads XML of services. An element with other elements in it becomes an object: each key is a local name, without the
 * prefix of its namespace, and each value is the list of the elements of this name, in their order. Any other element
 * becomes its text. Attributes, comments and the declarations of a document type are left out, so that no entity is
 * expanded.
 *
 *   <List><Item>a</Item><Item>b</Item><End/></List>  becomes  { List: [{ Item: ['a', 'b'], End: [''] }] }
 */
import { Parser } from 'htmlparser2';
import { z } from 'zod';
import { type Read, RequestFailure, readForm } from '../../net/request.ts';

/** This is the schema of an element that occurs exactly once. */
export const one = <T extends z.ZodType>(element: T) =>
  z
    .array(element)
    .length(1)
    .transform(([only]) => only as z.output<T>);

/** This is the schema of an element that may be missing; it is then undefined. */
export const optional = <T extends z.ZodType>(element: T) =>
  z
    .array(element)
    .max(1)
    .optional()
    .transform((found) => found?.[0]);

/** This is the schema of an element that occurs any number of times. */
export const each = <T extends z.ZodType>(element: T) => z.array(element).default([]);

/** This is the schema of an element with elements in it, all of which may be missing. */
export const element = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.preprocess(
    (found) => (typeof found === 'string' && found.trim() === '' ? {} : found),
    z.object(shape),
  );

type XmlElement = string | { readonly [name: string]: readonly XmlElement[] };

/** A document that is not whole is a failure: a listing that breaks off must not count as a shorter one. */
export function readXml<T>(text: string, schema: z.ZodType<T>): Read<T> {
  const document = parsed(text);
  if (!document) return { failure: new RequestFailure('broken', 'its XML is not whole') };
  return readForm(document, schema);
}

/** Returns the text of the first element `message` of a document, in any case, or undefined. */
export function messageIn(text: string): string | undefined {
  const document = text.trimStart().startsWith('<?xml') ? parsed(text) : null;
  const [root] = Object.values(document ?? {}).flat();
  if (root === undefined || typeof root === 'string') return undefined;
  const [, [message] = []] =
    Object.entries(root).find(([name]) => name.toLowerCase() === 'message') ?? [];
  return typeof message === 'string' && message.trim() !== '' ? message.trim() : undefined;
}

interface Open {
  readonly name: string;
  readonly inside: Record<string, XmlElement[]>;
  text: string;
  hasElements: boolean;
}

/** Returns the document as an object with its root, or null when the text is not a whole document. */
function parsed(text: string): Readonly<Record<string, XmlElement[]>> | null {
  const opened = (name: string): Open => ({
    name,
    inside: Object.create(null) as Record<string, XmlElement[]>,
    text: '',
    hasElements: false,
  });
  const document = opened('');
  const open = [document];
  let isWhole = true;
  const parser = new Parser(
    {
      onopentagname: (name) => void open.push(opened(localName(name))),
      ontext: (piece) => {
        const inner = open.at(-1);
        if (inner) inner.text += piece;
      },
      onclosetag(_, isImplied) {
        const closed = open.pop();
        const outer = open.at(-1);
        if (!closed || !outer) return;
        // The parser closes an element without an end tag by itself. That is right only for an empty one, such as <a/>.
        if (isImplied && !text.startsWith('/>', parser.endIndex - 1)) isWhole = false;
        outer.hasElements = true;
        const { name, inside, hasElements } = closed;
        outer.inside[name] ??= [];
        outer.inside[name].push(hasElements ? inside : closed.text);
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return isWhole && document.hasElements ? document.inside : null;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
