/**
 * The vault (secrets.ts) has encrypted this text. It is an ordinary string at run time. The compiler takes it for something
 * else, so that it can be stored only in a column that `schema.ts` declares for it, and a new encryption key reaches all of
 * them (db/sealed-columns.ts).
 */
export interface Sealed {
  readonly [isSealed]: true;
}
declare const isSealed: unique symbol;
