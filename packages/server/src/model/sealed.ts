/**
 * The vault (secrets.ts) has encrypted this text. It is an ordinary string at run time. The compiler treats it as a
 * type of its own, so it can be stored only in a column that `schema.ts` declares for it. So a rotation of the
 * encryption key finds all encrypted values (db/sealed-columns.ts).
 */
export interface Sealed {
  readonly [isSealed]: true;
}
declare const isSealed: unique symbol;
