/**
 * The memory is what earlier pulls have read. An interrupted pull goes on from it (as a bookmark), and the next one takes
 * from it (as a cursor) which pages need not be read again, and what lies below them. It is stored compressed, and has
 * about 30 bytes for each page.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import type { Parent } from './answer.ts';

/** A change of the way in which pages are read makes a new form, so that no page is taken for unchanged. */
const FORM = 2;

/** This is what a pull knows of a page or a data source. */
export interface KnownRecord {
  /** The record had this time of its last change when it was read. */
  readonly edited: string;
  /** If false, the record must be read again, because it may have changed since without having another time. */
  readonly isSettled: boolean;
  readonly kind: 'page' | 'data_source';
  /** The files of a page that Notion hosts. */
  readonly files: readonly (readonly [id: string, digest: string])[];
  readonly hasComments: boolean;
  /** No search has shown the record: a block of a page, or the listing of a database, names it. */
  readonly isUnlisted: boolean;
}

/** A block names a page or a database by its id. */
export type NamedKind = 'page' | 'database' | 'data_source';

/** This is a record, or a block, below which other records lie. */
export interface KnownPlace {
  readonly kind: Parent['kind'];
  readonly title: string;
  readonly parent: Parent | null;
}

export interface Memory {
  readonly known: Map<string, KnownRecord>;
  readonly places: Map<string, KnownPlace>;
  /** Blocks have named these records, and the pull has not met them yet. At its end there are none. */
  readonly named: Map<string, NamedKind>;
}

export const emptyMemory = (): Memory => ({
  known: new Map(),
  places: new Map(),
  named: new Map(),
});

type StoredKnown = readonly [id: string, edited: string, flags: number, ...files: string[]];
interface PackedMemory {
  readonly form: number;
  readonly known: readonly StoredKnown[];
  readonly places: readonly (readonly [id: string, place: KnownPlace])[];
  readonly named: readonly (readonly [id: string, kind: NamedKind])[];
}

const SETTLED = 1;
const DATA_SOURCE = 2;
const COMMENTS = 4;
const UNLISTED = 8;

export async function pack({ known, places, named }: Memory): Promise<string> {
  const stored: PackedMemory = {
    form: FORM,
    known: [...known].map(([id, one]) => [id, one.edited, flagsOf(one), ...one.files.flat()]),
    places: [...places],
    named: [...named],
  };
  return (await promisify(deflateRaw)(JSON.stringify(stored))).toString('base64');
}

/** Only the form is checked, because we have written the memory ourselves. */
export async function unpack(packed: string): Promise<Memory> {
  const bytes = await promisify(inflateRaw)(Buffer.from(packed, 'base64'));
  const stored: PackedMemory = JSON.parse(bytes.toString());
  if (stored.form !== FORM) return emptyMemory();
  return {
    known: new Map(stored.known.map(toKnown)),
    places: new Map(stored.places),
    named: new Map(stored.named),
  };
}

const flagsOf = ({ isSettled, kind, hasComments, isUnlisted }: KnownRecord): number =>
  (isSettled ? SETTLED : 0) +
  (kind === 'data_source' ? DATA_SOURCE : 0) +
  (hasComments ? COMMENTS : 0) +
  (isUnlisted ? UNLISTED : 0);

function toKnown([id, edited, flags, ...files]: StoredKnown): [string, KnownRecord] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < files.length; i += 2) pairs.push([files[i] ?? '', files[i + 1] ?? '']);
  const known: KnownRecord = {
    edited,
    isSettled: (flags & SETTLED) !== 0,
    kind: flags & DATA_SOURCE ? 'data_source' : 'page',
    files: pairs,
    hasComments: (flags & COMMENTS) !== 0,
    isUnlisted: (flags & UNLISTED) !== 0,
  };
  return [id, known];
}

export const NotionCursor = z.strictObject({
  /** This was the latest time of a change when the pull began; null when nothing was there. */
  since: z.string().nullable(),
  memory: z.string(),
});
export type NotionCursor = z.output<typeof NotionCursor>;

/** An interrupted full pull goes on with this page of the search. */
export const NotionBookmark = NotionCursor.extend({
  place: z.string().nullable(),
  /** Something was not listed, so nothing counts as gone. A bookmark may be older than this field. */
  isCut: z.boolean().default(false),
});
export type NotionBookmark = z.output<typeof NotionBookmark>;
