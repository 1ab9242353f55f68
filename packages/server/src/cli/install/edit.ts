/**
 * This file edits the text of a client's file: it sets or removes one server, and proves the result by reading it
 * again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AssistantClient, ServerEntry } from './clients.ts';
import { readJson, setInJson } from './json-text.ts';
import { readToml, setInToml } from './toml-text.ts';

const FORMATS = {
  json: { read: readJson, set: setInJson },
  toml: { read: readToml, set: setInToml },
};

interface NamedEntry {
  readonly name: string;
  /** The text shall have no entry of this name if it is undefined. */
  readonly entry: ServerEntry | undefined;
}

type Servers = Readonly<Record<string, unknown>>;

/**
 * Gives the entry of this name, or undefined when the text has none. Throws an Error when the text cannot be read.
 */
export function entryIn(client: AssistantClient, text: string, name: string): unknown {
  const { section } = client;
  const file = FORMATS[client.format].read(text);
  const servers = objectIn(file, 'the file')[section];
  return servers === undefined ? undefined : objectIn(servers, `'${section}'`)[name];
}

/**
 * Gives the text with this entry, or without it. Throws an Error when the text cannot
 * be read, or cannot be edited in a way that leaves everything else as it was.
 */
export function edited(client: AssistantClient, text: string, wanted: NamedEntry): string {
  const { name, entry } = wanted;
  entryIn(client, text, name);
  const { read, set } = FORMATS[client.format];
  const result = set(text, [client.section, name], entry);
  if (!isWanted({ before: read(text), after: readAgain() }, client.section, wanted))
    throw new Error(
      `its part '${client.section}' is written in a way that cannot be edited safely: write the entry '${name}' by hand`,
    );
  return result;

  function readAgain(): unknown {
    try {
      return read(result);
    } catch {
      // A result that cannot be read is not the wanted one, whatever is wrong with it.
      return undefined;
    }
  }
}

/** Servers get their keys in these parts of an entry. */
const SECRET_PARTS = ['env', 'headers', 'http_headers'];
/** Quarry writes these values into the same parts, and they are not secret. */
const OPEN = ['SERVICE_COLLECTION', 'SERVICE_BASE_URL', 'X-Collection-Readable-ID'];
/** Shorter values are words such as `true`, which would be masked everywhere. */
const SHORTEST = 6;

/** Gives the values in the environment and the headers of all servers, as they are written in the text. */
export function secretsIn(client: AssistantClient, text: string): string[] {
  const servers = objectIn(FORMATS[client.format].read(text), 'the file')[client.section];
  return Object.values(isObject(servers) ? servers : {})
    .filter(isObject)
    .flatMap((server) => SECRET_PARTS.map((part) => server[part]))
    .filter(isObject)
    .flatMap((part) => Object.entries(part))
    .filter(([name, value]) => typeof value === 'string' && !OPEN.includes(name))
    .map(([, value]) => JSON.stringify(value).slice(1, -1))
    .filter((value) => value.length >= SHORTEST);
}

function isWanted(
  { before, after }: { readonly before: unknown; readonly after: unknown },
  section: string,
  { name, entry }: NamedEntry,
): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  const { [section]: serversBefore = {}, ...restBefore } = before;
  const { [section]: serversAfter = {}, ...restAfter } = after;
  if (!isObject(serversBefore) || !isObject(serversAfter)) return false;
  const { [name]: _, ...othersBefore } = serversBefore;
  const { [name]: found, ...othersAfter } = serversAfter;
  return (
    isDeepStrictEqual(plain(found), plain(entry)) &&
    isDeepStrictEqual(plain(othersBefore), plain(othersAfter)) &&
    isDeepStrictEqual(plain(restBefore), plain(restAfter))
  );
}

/** Parsers make objects without a prototype, which would make a difference in a comparison. */
const plain = <T>(value: T): T => structuredClone(value);

const isObject = (value: unknown): value is Servers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function objectIn(value: unknown, what: string): Servers {
  if (!isObject(value)) throw new Error(`${what} is not an object`);
  return value;
}
