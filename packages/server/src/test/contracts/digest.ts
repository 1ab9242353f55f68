/**
 * A digest holds what a vendor's machine-readable document says about the operations that a source uses, as JSON Schema
 * without prose. `npm run contracts` makes digests, and `openContract` checks fakes by them.
 */
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import type { HttpContract, Origin } from './contract.ts';
import { fromDiscovery } from './discovery.ts';
import type { JsonObject, JsonSchema } from './json-schema.ts';
import { fromOpenApi } from './openapi.ts';
import { fromTypes } from './types.ts';

export interface DigestParameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: true;
  /** A list is one text with this sign between its items. Without it, a list is the parameter several times. */
  readonly separator?: string;
  readonly schema: JsonSchema;
}

/** A body by its media type. The schema is null when the document declares none. */
export type DigestBody = Readonly<Record<string, JsonSchema | null>>;

export interface DigestOperation {
  readonly parameters: readonly DigestParameter[];
  readonly body?: { readonly required?: true; readonly content: DigestBody };
  /** The key is a status, such as 200, 4XX or default. */
  readonly answers: Readonly<Record<string, DigestBody>>;
}

export interface DigestContents {
  readonly version: string;
  /** The key is a method and a whole path, such as `GET /drive/v3/files/{fileId}`. */
  readonly operations: Readonly<Record<string, DigestOperation>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

export interface Digest extends DigestContents {
  readonly title: string;
  readonly origin: Origin & { readonly sha256: string };
}

/** A reader of one format takes this out of a document. */
export type DigestWish = Pick<
  HttpContract,
  'operations' | 'schemas' | 'keeps' | 'derived' | 'types'
>;

/** Makes the digest of a document that describes HTTP operations. */
export function digestOf(contract: HttpContract, document: string): Digest {
  const { title, origin } = contract;
  // Documents of 20 MB take the reader of YAML half a minute.
  const parsed = (document.startsWith('{') ? JSON.parse(document) : parse(document)) as JsonObject;
  const read = contract.types
    ? fromTypes
    : 'discoveryVersion' in parsed
      ? fromDiscovery
      : fromOpenApi;
  const { version, operations, schemas } = read(parsed, contract);
  return {
    title,
    origin: { ...origin, sha256: sha256Of(document) },
    version,
    operations: sorted(operations),
    schemas: sorted(schemas),
  };
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

const sorted = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
