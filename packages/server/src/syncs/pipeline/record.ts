/** Cleans, hashes and compresses an entity that a source emits, for the row that is stored. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Entity } from '../../model/entity.ts';
import { canonicalJson, sha256 } from '../../model/hash.ts';
import { storableJson, storableText } from '../../model/storable.ts';

/** Removes or replaces characters that no database stores. Removes dates that are invalid or not in years 0 to 9999. */
export function clean(entity: Entity): Entity {
  return {
    ...entity,
    name: storableText(entity.name),
    text: storableText(entity.text),
    ...(entity.context !== undefined && { context: storableText(entity.context) }),
    url: entity.url === undefined ? undefined : storableText(entity.url),
    breadcrumbs: entity.breadcrumbs?.map(({ id, name, type }) => ({
      id: storableText(id),
      name: storableText(name),
      type: storableText(type),
    })),
    createdAt: validDate(entity.createdAt),
    updatedAt: validDate(entity.updatedAt),
    fields: storableJson(entity.fields) as Record<string, unknown>,
    ...(entity.about && { about: storableJson(entity.about) as Record<string, string> }),
    ...(entity.places && { places: entity.places.map(storableText) }),
    ...(entity.inside && { inside: entity.inside.map(clean) }),
  };
}

/**
 * The hash covers the content and every field that a search result shows, except for times, and everything inside. A
 * part that few entities have is added only where it exists, so that the hashes of all others stay.
 */
export const entityHash = (entity: Entity): string => {
  const { type, name, text, pages, url, breadcrumbs, access, fields, context } = entity;
  const { places, inside } = entity;
  const shown = [type, name, text, pages ?? [], url ?? '', breadcrumbs ?? [], access, fields];
  const more = [
    ...(context === undefined ? [] : [context]),
    ...(places === undefined ? [] : [{ places }]),
    ...(inside === undefined ? [] : [{ inside: inside.map((one) => [one.id, entityHash(one)]) }]),
  ];
  return `sha256:${sha256(canonicalJson([...shown, ...more]))}`;
};

/** Returns the length of the text of the entity and of everything inside of it. */
export const charactersOf = ({ text, inside = [] }: Entity): number =>
  inside.reduce((sum, one) => sum + one.text.length, text.length);

interface Times {
  readonly createdAt: Date | undefined;
  readonly updatedAt: Date | undefined;
}

const dateOf = (ms: number | null): Date | undefined => (ms === null ? undefined : new Date(ms));

/** A row has the newest times of its record; the stored record itself may have older ones. */
export const timesOf = (row: {
  readonly source_created_at: number | null;
  readonly source_updated_at: number | null;
}): Times => ({
  createdAt: dateOf(row.source_created_at),
  updatedAt: dateOf(row.source_updated_at),
});

/** Returns the record with these times. What is inside of it has them too, unless it has times of its own. */
export function withTimes(record: Entity, times: Times): Entity {
  const inherited = (one: Entity): Entity => ({
    ...one,
    createdAt: isSame(one.createdAt, record.createdAt) ? times.createdAt : one.createdAt,
    updatedAt: isSame(one.updatedAt, record.updatedAt) ? times.updatedAt : one.updatedAt,
  });
  const { inside } = record;
  return { ...inherited(record), ...(inside && { inside: inside.map(inherited) }) };
}

const isSame = (a: Date | undefined, b: Date | undefined): boolean => a?.getTime() === b?.getTime();

/** Keeps everything that is needed to make the chunks again with a changed recipe, without asking the source. */
export const compress = (entity: Entity): Uint8Array =>
  deflateRawSync(JSON.stringify(entity), { level: 1 });

/** Returns the entity that `compress` received. Throws when the bytes are damaged. */
export const decompress = (raw: Uint8Array): Entity =>
  withDates(JSON.parse(inflateRawSync(raw).toString()));

/** JSON has the dates as texts. */
// biome-ignore lint/suspicious/noExplicitAny: this is what JSON.parse returns.
function withDates({ createdAt, updatedAt, inside, ...entity }: any): Entity {
  return {
    ...entity,
    ...(createdAt !== undefined && { createdAt: new Date(createdAt) }),
    ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt) }),
    ...(inside !== undefined && { inside: inside.map(withDates) }),
  };
}

/** A push accepts only dates of the years 0 to 9999, and transformers receive their entities in the form of a push. */
const validDate = (date: Date | undefined) =>
  date && date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999 ? date : undefined;
