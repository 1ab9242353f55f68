/**
 * Reads the JSON Schema that ts-json-schema-generator has made of the types of a vendor's client. Such types say what
 * answers look like where the vendor's document says nothing of them.
 */
import type { DigestContents, DigestWish } from './digest.ts';
import { type JsonObject, schemaReader } from './json-schema.ts';

/** Throws an Error when the client has no type of a name. */
export function fromTypes(document: JsonObject, { types = {} }: DigestWish): DigestContents {
  const definitions = document.definitions as JsonObject;
  const reader = schemaReader({
    find(reference) {
      const name = decodeURIComponent(reference.split('/').at(-1)!);
      const schema = definitions[name];
      if (schema === undefined) throw new Error(`the client has no type ${name}`);
      return { name, schema };
    },
  });
  const operations = Object.entries(types).map(([key, type]) => {
    const schema = reader.read({ $ref: `#/definitions/${type}` });
    return [key, { parameters: [], answers: { 200: { 'application/json': schema } } }] as const;
  });
  return { version: 'types', operations: Object.fromEntries(operations), schemas: reader.schemas };
}
