/**
 * An entity definition describes one kind of records that a source yields.
 *
 * The id of a definition is a UUIDv5 (RFC 9562) of `<short_name>/<name>`, so it is the same in every installation. Rows
 * and transformers refer to the id, so the namespace must never change.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Source } from './define.ts';
import type { EntityDefinition } from './schema.ts';

const NAMESPACE = '5b0f6c3e-8d0a-4c57-9a0e-2f6f4b7d91c4';

export const definitionId = (shortName: string, type: string): string =>
  uuidV5(NAMESPACE, `${shortName}/${type}`);

type Defining = Pick<Source, 'shortName' | 'entities' | 'otherTypes'>;

/** Returns the name of the definition of this type, or undefined for a type that the source must not yield. */
const definitionOf = ({ entities, otherTypes }: Defining, type: string): string | undefined =>
  Object.hasOwn(entities, type) ? type : otherTypes;

/** Returns the schema of the fields of this type, or undefined for a type that the source must not yield. */
export function shapeOf(source: Defining, type: string): z.ZodObject | undefined {
  const name = definitionOf(source, type);
  return name === undefined ? undefined : source.entities[name];
}

/**
 * Returns a function that returns the id of the definition of a type. Each id is computed once, because it is a hash.
 */
export function definitionIdsOf(source: Defining): (type: string) => string {
  const ids = new Map<string, string>();
  return (type) => {
    const name = definitionOf(source, type) ?? type;
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = definitionId(source.shortName, name);
    ids.set(name, id);
    return id;
  };
}

/** Returns the ids of all definitions of the source. */
export const definitionIds = ({ shortName, entities }: Defining): string[] =>
  Object.keys(entities).map((name) => definitionId(shortName, name));

export const definitionsOf = (source: Source): EntityDefinition[] =>
  Object.entries(source.entities).map(([name, fields]) => ({
    id: definitionId(source.shortName, name),
    name,
    source_short_name: source.shortName,
    json_schema: z.toJSONSchema(fields),
  }));

export function uuidV5(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
