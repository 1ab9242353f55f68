/**
 * This file lists the tables with values that the vault has sealed, and how each value is sealed again with another key. The
 * compiler checks that the list names every column of `schema.ts` whose type holds a `Sealed`, and `Sealed` fits into no
 * other column. All sealed values of a row are sealed with the key that its key column names.
 */
import type { SelectType, UpdateType } from 'kysely';
import type { Sealed } from '../model/sealed.ts';
import type { Schema } from './schema.ts';

export type SealAgain = (sealed: Sealed) => Sealed;

type Holds<Value> = Value extends Sealed
  ? true
  : Value extends readonly (infer Element)[]
    ? Holds<Element>
    : Value extends Readonly<Record<string, unknown>>
      ? { [Name in keyof Value]: Holds<Value[Name]> }[keyof Value]
      : never;

type SealedNames<Table> = {
  [Name in keyof Table]: [Holds<SelectType<Table[Name]>>] extends [never] ? never : Name;
}[keyof Table];

/** Takes the value as it is read, and returns it as it is written. A row that names a key has a value. */
type SealColumnAgain<Column> = (
  value: NonNullable<SelectType<Column>>,
  again: SealAgain,
) => UpdateType<Column>;

interface SealedTable<Table> {
  readonly id: keyof Table;
  readonly key: keyof Table;
  /** This column names a connection. When the connection is deleted, nobody needs the row, which is removed some time later. */
  readonly connection: keyof Table | null;
  /** Sealed values are bound to this text, so that they cannot be opened in another row or table. */
  readonly place: (id: string) => string;
  readonly columns: { readonly [Name in SealedNames<Table>]: SealColumnAgain<Table[Name]> };
}

type SealedTables = {
  readonly [Name in keyof Schema as SealedNames<Schema[Name]> extends never
    ? never
    : Name]: SealedTable<Schema[Name]>;
};

export const SEALED_TABLES: SealedTables = {
  connections: {
    id: 'id',
    key: 'credentials_key',
    connection: 'id',
    place: (id) => id,
    columns: { credentials: (value, again) => again(value) },
  },
  connection_tokens: {
    id: 'connection_id',
    key: 'tokens_key',
    connection: 'connection_id',
    place: (connectionId) => `tokens of ${connectionId}`,
    columns: { tokens: (value, again) => again(value) },
  },
  auth_providers: {
    id: 'id',
    key: 'credentials_key',
    connection: null,
    place: (id) => `auth provider ${id}`,
    columns: { credentials: (value, again) => again(value) },
  },
  webhook_subscriptions: {
    id: 'id',
    key: 'secret_key',
    connection: null,
    place: (id) => id,
    columns: {
      secret: (value, again) => again(value),
      old_secrets: (values, again) =>
        JSON.stringify(values.map((old) => ({ ...old, secret: again(old.secret) }))),
    },
  },
};

export type SealedTableName = keyof SealedTables;
