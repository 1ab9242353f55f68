/**
 * A contract names a vendor's machine-readable document and the operations of it that connectors use. Whoever needs another
 * operation adds it to the file of the vendor and runs `npm run contracts`.
 */
import type { PeerRequest } from '../sources/cloud-peer.ts';
import type { JsonObject, JsonSchema } from './json-schema.ts';

export interface Origin {
  /** People find the document here. */
  readonly address: string;
  /** The day of the document, or that on which its package was published if the document has none. */
  readonly date: string;
  readonly isUndated?: true;
  readonly license: string;
  /** The path of the document in its package, or the name of the file that a person gives. */
  readonly file: string;
  /** The package on npm that carries the document, with its version. */
  readonly npm?: string;
  /** The document is made of the types in a file of the package, by a generator on npm. */
  readonly generated?: { readonly by: readonly string[]; readonly from: string };
  /**
   * The file exports the operations of a client that has zod schemas, and the document is made of these. Errors have the
   * named schema. The package is a dependency of the tests, because only installed code can be asked.
   */
  readonly zod?: { readonly errors?: string };
}

/** A fact that the document does not have, or has wrong, and the reason why one may know better. */
export interface Amendment {
  readonly reason: string;
  /** The document says of the answers of these operations only that they are objects, so their fields are not checked. */
  readonly loose?: readonly string[];
  /** The answers of these operations to such requests are files, which have no schema. */
  readonly files?: Readonly<Record<string, (request: PeerRequest) => boolean>>;
  /** These fields and parameters may be missing, although the document requires them. */
  readonly optional?: readonly string[];
  /** These operations also take these parameters, or fields of the body if they have one. */
  readonly takes?: Readonly<Record<string, readonly string[]>>;
  /** The key is another path of the operation that is the value. */
  readonly paths?: Readonly<Record<string, string>>;
  /**
   * Objects of these schemas, and the objects in the answers of these operations that have no schema with a name, may
   * have fields that the document does not list.
   */
  readonly open?: readonly string[];
  /** The key is an operation or a schema, whose objects also have these fields. */
  readonly adds?: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  /**
   * These fields, and these parameters, each written as its operation, a space and its name, may have other values than
   * those that the document lists.
   */
  readonly anyValue?: readonly string[];
  /** Fields with these names have these schemas, although the document gives them another type. */
  readonly retypes?: Readonly<Record<string, JsonSchema>>;
  /** Lists may be empty, although the document wants items. */
  readonly emptyLists?: true;
  /** Any object may have fields whose names match this pattern. */
  readonly everywhere?: string;
  /** A refusal has the status 200, and the form that the document has for other statuses. */
  readonly refusesWith200?: true;
}

export interface HttpContract {
  /** The title begins the messages of failed checks, such as Google Drive v3. */
  readonly title: string;
  readonly origin: Origin;
  /** An operation is a method and a whole path, such as `GET /drive/v3/files`. */
  readonly operations: readonly string[];
  /** The digest of an OpenAPI document also has these schemas, because amendments refer to them. */
  readonly schemas?: readonly string[];
  /** Returns false for a property that the digest leaves out. */
  readonly keeps?: (schema: string, property: string, value: JsonObject) => boolean;
  /** A value of the schema that is a key may also be of these schemas, which the document derives from it. */
  readonly derived?: Readonly<Record<string, readonly string[]>>;
  /** The types of a vendor's client that describe the answers of these operations. Such a contract has nothing else. */
  readonly types?: Readonly<Record<string, string>>;
  /** The name of a contract of types, by which answers are checked of which the document does not say much. */
  readonly answersBy?: 'notion-client';
  readonly amendments?: readonly Amendment[];
}

/** A contract of a GraphQL schema. The selection names the fields, arguments and values in use of each type. */
export interface GraphqlContract {
  readonly title: string;
  readonly origin: Origin;
  readonly selection: Readonly<Record<string, string>>;
}

/** Returns the day of the document, and whose day it is when the document has none. */
export const dateOf = ({ date, npm, isUndated }: Origin): string =>
  isUndated ? `${date}, when ${npm} was published` : date;

/** Returns the operations that read these paths. */
export const gets = (base: string, paths: readonly string[]): string[] =>
  paths.map((path) => `GET ${base}${path}`);
