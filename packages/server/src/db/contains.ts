import { type RawBuilder, sql } from 'kysely';

/** Is true for rows whose text contains the part. Both must be folded alike before. */
export const contains = (text: RawBuilder<string>, part: string): RawBuilder<boolean> =>
  sql<boolean>`${text} like ${`%${escaped(part)}%`} escape '\\'`;

/** Is true for rows whose text begins with the part. */
export const begins = (text: RawBuilder<string>, part: string): RawBuilder<boolean> =>
  sql<boolean>`${text} like ${`${escaped(part)}%`} escape '\\'`;

const escaped = (part: string): string => part.replace(/[\\%_]/g, '\\$&');
