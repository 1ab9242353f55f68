/** Sets or removes one server in the text of a client's file, and checks the result by parsing it again. */
import { isDeepStrictEqual } from 'node:util';
import type { AssistantClient, ServerEntry } from './clients.ts';
import { editJson, readJson } from './json-text.ts';
import { editToml, readToml } from './toml-text.ts';

const FORMATS = {
  json: { read: readJson, set: editJson },
  toml: { read: readToml, set: editToml },
};

interface NamedEntry {
  readonly name: string;
  /** If undefined, the entry of this name is removed. */
  readonly entry: ServerEntry | undefined;
}

type Servers = Readonly<Record<string, unknown>>;

/**
 * Returns the entry of this name, or undefined when the text has none. Throws an Error when the text cannot be parsed.
 */
export function entryIn(client: AssistantClient, text: string, name: string): unknown {
  const { section } = client;
  const file = FORMATS[client.format].read(text);
  const servers = objectIn(file, 'the file')[section];
  return servers === undefined ? undefined : objectIn(servers, `'${section}'`)[name];
}

/**
 * Returns the text with the wanted entry, or without the entry. Throws an Error when the text cannot be parsed, or when
 * the edit would change anything else.
 */
export function editedText(client: AssistantClient, text: string, wanted: NamedEntry): string {
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
      // A result that cannot be parsed counts as wrong.
      return undefined;
    }
  }
}

/** These parts of an entry may contain keys. */
const SECRET_PARTS = ['env', 'headers', 'http_headers'];
/** The values with these names in the same parts are not secret. */
const NOT_SECRET = ['SERVICE_COLLECTION', 'SERVICE_BASE_URL', 'X-Collection-Readable-ID'];
/** Shorter values are not masked: they may be words such as `true`, which would then be masked everywhere. */
const MIN_SECRET_LENGTH = 6;

/** Returns the secret values of all servers in the form in which they stand in the text. */
export function secretsIn(client: AssistantClient, text: string): string[] {
  const servers = objectIn(FORMATS[client.format].read(text), 'the file')[client.section];
  return Object.values(isObject(servers) ? servers : {})
    .filter(isObject)
    .flatMap((server) => SECRET_PARTS.map((part) => server[part]))
    .filter(isObject)
    .flatMap((part) => Object.entries(part))
    .filter(([name, value]) => typeof value === 'string' && !NOT_SECRET.includes(name))
    .map(([, value]) => JSON.stringify(value).slice(1, -1))
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
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

/**
 * The parser of TOML makes objects without a prototype, which a strict comparison would treat as different from
 * ordinary objects.
 */
const plain = <T>(value: T): T => structuredClone(value);

const isObject = (value: unknown): value is Servers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function objectIn(value: unknown, what: string): Servers {
  if (!isObject(value)) throw new Error(`${what} is not an object`);
  return value;
}
