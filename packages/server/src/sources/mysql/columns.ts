/**
 * Says by the type of a column how its values are selected, what they mean, and how a place in its order is written.
 *
 * Values come in the text form of the server, and some are made into text by SQL: the length of bytes, the digits of a
 * FLOAT (of which the server shows only six), the number of a BIT, and shapes as WKT. The codes of types are those of
 * the protocol (https://dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html). MariaDB sends JSON, UUID and
 * INET as texts and says in extended metadata what they are.
 */
import mysql from 'mysql2';
import {
  date,
  json,
  machineReadable,
  number,
  other,
  size,
  timestamp,
  type ValueKind,
  words,
} from '../sql/kinds.ts';
import type { ShapedColumn } from '../sql/shape.ts';

/** This is a column as the server describes it. */
export interface WireColumn {
  readonly name: string;
  readonly code: number;
  readonly flags: number;
  /** This is the number of a collation; BINARY stands for bytes. */
  readonly charset: number;
  readonly length: number;
  readonly decimals: number;
  /** MariaDB says here `uuid`, `inet6` or `json`. */
  readonly extended: string | null;
}

export interface MysqlColumn extends ShapedColumn {
  /** These are SQL expressions over the row `r`: the value that is shown, and the value that identifies a row. */
  readonly content: string;
  readonly identity: string;
  /** This SQL expression sorts as the column does, and `literal` turns its text back into SQL. */
  readonly place: string;
  readonly literal: (text: string) => string;
  /** Values of a fixed size are not counted. Large values are not selected of a row that is too large. */
  readonly weight: 'fixed' | 'small' | 'large';
  readonly isTime: 'moment' | 'day' | null;
}

const BINARY = 63;
const UNSIGNED = 32;
const ENUM = 256;
const SET = 2048;
/** A TEXT has at most 65,535 characters of four bytes each, and larger types have more. */
const LARGE = 1_000_000;

export const columnSql = (name: string) => `r.${mysql.escapeId(name, true)}`;

export function columnOf(wire: WireColumn): MysqlColumn {
  const sql = columnSql(wire.name);
  const form = formOf(wire, sql);
  const content = form.content ?? sql;
  const identity = form.identity ?? content;
  return {
    name: wire.name,
    typeName: form.typeName,
    kind: form.kind,
    content,
    identity,
    place: form.place ?? identity,
    literal: form.literal ?? mysql.escape,
    weight: form.isLong ? (wire.length > LARGE ? 'large' : 'small') : 'fixed',
    isTime: form.isTime ?? null,
  };
}

interface ColumnForm {
  readonly typeName: string;
  readonly kind: ValueKind;
  readonly content?: string;
  readonly identity?: string;
  readonly place?: string;
  readonly literal?: (text: string) => string;
  readonly isLong?: boolean;
  readonly isTime?: 'moment' | 'day';
}

const INTEGERS: ReadonlyMap<number, string> = new Map([
  [1, 'tinyint'],
  [2, 'smallint'],
  [9, 'mediumint'],
  [3, 'int'],
  [8, 'bigint'],
]);

const castTo = (type: string) => (text: string) => `cast(${mysql.escape(text)} as ${type})`;

function formOf(
  { code, flags, charset, length, decimals, extended }: WireColumn,
  sql: string,
): ColumnForm {
  const isUnsigned = (flags & UNSIGNED) !== 0;
  const integer = INTEGERS.get(code);
  if (integer !== undefined)
    return {
      typeName: isUnsigned ? `${integer} unsigned` : integer,
      // BOOLEAN is another word for TINYINT(1).
      kind: code === 1 && length === 1 && !isUnsigned ? boolean : number,
      literal: castTo(isUnsigned ? 'unsigned' : 'signed'),
    };
  // An ENUM and a SET sort by their numbers, but compare with texts as texts.
  if ((flags & (ENUM | SET)) !== 0)
    return {
      typeName: (flags & SET) !== 0 ? 'set' : 'enum',
      kind: (flags & SET) !== 0 ? list : words,
      place: `${sql} + 0`,
      literal: castTo('unsigned'),
    };
  switch (code) {
    case 0:
    case 246:
      return { typeName: 'decimal', kind: number, literal: castTo(`decimal(65, ${decimals})`) };
    case 4:
      return { typeName: 'float', kind: float, content: `${sql} + 0e0`, literal: asDouble };
    case 5:
      return { typeName: 'double', kind: number, content: sql, literal: asDouble };
    case 7:
    case 12:
      return {
        typeName: code === 7 ? 'timestamp' : 'datetime',
        kind: moment,
        literal: castTo('datetime(6)'),
        isTime: 'moment',
      };
    case 10:
    case 14:
      return { typeName: 'date', kind: date, literal: castTo('date'), isTime: 'day' };
    case 11:
      return { typeName: 'time', kind: other, literal: castTo('time(6)') };
    case 13:
      return { typeName: 'year', kind: number, literal: castTo('unsigned') };
    case 16:
      return { typeName: 'bit', kind: number, content: `${sql} + 0`, literal: castTo('unsigned') };
    case 245:
      return { typeName: 'json', kind: jsonOrText, isLong: true };
    case 255:
      return {
        typeName: 'geometry',
        kind: machineReadable,
        content: `st_astext(${sql})`,
        isLong: true,
      };
  }
  if (extended === 'json') return { typeName: 'json', kind: jsonOrText, isLong: true };
  if (extended !== null) return { typeName: extended, kind: other };
  if (charset === BINARY && code !== 6)
    return {
      typeName: 'binary',
      kind: size,
      content: `octet_length(${sql})`,
      identity: `concat('0x', lower(hex(${sql})))`,
      literal: (text) => `unhex(${mysql.escape(text.slice(2))})`,
    };
  return { typeName: 'text', kind: words, isLong: true };
}

const asDouble = (text: string) => `(${mysql.escape(text)} + 0e0)`;

/** A TINYINT(1) may hold other numbers than 0 and 1, and these stay numbers. */
const boolean: ValueKind = {
  toJson: (text) => (text === '1' ? true : text === '0' ? false : Number(text)),
  toText: (_text, value) => String(value),
  is: 'flag',
};

const list: ValueKind = {
  toJson: (text) => (text === '' ? [] : text.split(',')),
  toText: (text) => text.replaceAll(',', ', '),
  is: 'other',
};

/** Days such as 0000-00-00 stand for no time, so they stay as MySQL writes them. */
const moment: ValueKind = {
  ...timestamp,
  toJson: (text) => (/^\d{4}-00|^\d{4}-\d\d-00/.test(text) ? text : timestamp.toJson(text)),
};

/** Returns the shortest number that stands for the same FLOAT, since 0.1 is not 0.10000000149011612. */
const float: ValueKind = {
  ...number,
  toJson: (text) => Number(shortestFloat(text)),
  toText: shortestFloat,
};

function shortestFloat(text: string): string {
  const exact = Number(text);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(exact.toPrecision(digits));
    if (Math.fround(short) === exact) return String(short);
  }
  return text;
}

/** MariaDB stores JSON as text, whose check may have been switched off. */
const jsonOrText: ValueKind = {
  ...json,
  toJson(text) {
    try {
      return json.toJson(text);
    } catch (error) {
      if (error instanceof SyntaxError) return text;
      throw error;
    }
  },
};
