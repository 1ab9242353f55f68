/**
 * Watches what the tests of this process send to PostgreSQL. A statement of Quarry on the contents of collections names the
 * collection, and neither a statement nor a transaction that writes contents is about two of them (db/distributed.ts).
 * Otherwise the statement fails, with the name of the file that sends it. Tests themselves may send what they like.
 */
import pg from 'pg';
import { DISTRIBUTED_TABLES } from '../../db/distributed.ts';
import { type StatementShape, shapeOf } from './shards.ts';

/**
 * These files have statements on these tables that are about all collections, or about those of an organization: a cluster
 * asks all of its workers for them (docs/scaling.md). A name with a slash at its end is a folder.
 */
const ABOUT_SEVERAL: Readonly<Record<string, readonly string[]>> = {
  // The schema is changed, and the whole database copied.
  'db/migrations/': DISTRIBUTED_TABLES,
  'backup/': DISTRIBUTED_TABLES,
  // A start looks for collections with another form or embedder.
  'engines/index/postgres-prepare.ts': ['indexes', 'index_forms'],
  'engines/index/embedding.ts': ['indexes'],
  // A thread reads the largest collections before they are searched.
  'engines/index/reader.ts': ['indexes'],
  // The janitor removes what no reader asks for any more, and the upkeep visits each collection.
  'syncs/housekeeping/janitor-store.ts': ['gone'],
  'syncs/jobs/list-store.ts': ['indexes'],
  // An operator asks for numbers of the whole service or of an organization.
  'system/store.ts': ['entities', 'indexes'],
  'telemetry/facts-store.ts': ['indexes'],
  // A caller names a record by its id alone, or lists the records of several collections.
  'entities/store.ts': ['entities'],
  'entities/service.ts': ['entities'],
};

/** A transaction of a client, as far as it has come. */
export interface OpenTransaction {
  /** These are the ids of the collections whose contents it has read or written. */
  readonly collections: Set<unknown>;
  writes: boolean;
}

export interface SentStatement {
  readonly shape: StatementShape;
  readonly values: readonly unknown[];
  /** The file is named below `src`. */
  readonly sender: string;
}

/** Returns what is wrong with a statement, or undefined. The transaction has the statement already. */
export function faultOf(
  { shape, values, sender }: SentStatement,
  open: OpenTransaction | undefined,
): string | undefined {
  const { tables, unlimited, isVolatile } = shape;
  if (isVolatile) return 'calls a function that Citus does not allow in a change';
  if (unlimited.length > 0)
    return allows(sender, unlimited)
      ? undefined
      : `does not name the collection of ${[...new Set(unlimited)].join(', ')}`;
  const isOfSeveral = collectionsIn(shape, values).size > 1;
  if (!isOfSeveral && !(open?.writes && open.collections.size > 1)) return undefined;
  return allows(sender, tables)
    ? undefined
    : isOfSeveral
      ? 'is about several collections'
      : 'belongs to a transaction that is about several collections and writes';
}

const collectionsIn = ({ parameters }: StatementShape, values: readonly unknown[]): Set<unknown> =>
  new Set(parameters.flatMap((number) => values[number - 1]));

const allows = (sender: string, tables: readonly string[]): boolean =>
  Object.entries(ABOUT_SEVERAL).some(
    ([file, allowed]) =>
      (file.endsWith('/') ? sender.startsWith(file) : sender === file) &&
      tables.every((table) => allowed.includes(table)),
  );

const shapes = new Map<string, StatementShape>();
const transactions = new WeakMap<object, OpenTransaction>();

function check(client: object, text: string, values: readonly unknown[]): void {
  if (/^(begin|start transaction|commit|rollback)\b/i.test(text)) {
    transactions.set(client, { collections: new Set(), writes: false });
    return;
  }
  // The texts of statements repeat, so each is read once.
  const shape = shapes.get(text) ?? shapeOf(text);
  shapes.set(text, shape);
  if (shape.tables.length === 0) return;
  const open = transactions.get(client);
  for (const one of collectionsIn(shape, values)) open?.collections.add(one);
  if (open && shape.writes) open.writes = true;
  if (!faultOf({ shape, values, sender: 'anyone' }, open)) return;
  const sender = senderOf();
  const fault = sender && faultOf({ shape, values, sender }, open);
  if (fault) throw new Error(`a statement of ${sender} ${fault}: ${text}`);
}

const SOURCE = new URL('../../', import.meta.url).href;
const FRAMES = 60;
/** Statements of others pass through these files. */
const PASSED = new Set([
  'test/distribution/watch.ts',
  'db/connect.ts',
  'db/deadline.ts',
  'db/each-collection.ts',
  'db/pipelined.ts',
  'db/snapshot.ts',
]);

/**
 * Returns the file of Quarry that sends the statement, or waits for it; undefined when a test does, or a connector, which asks
 * a database that is not ours.
 */
function senderOf(): string | undefined {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error('who sends this?');
  Error.stackTraceLimit = before;
  const files = stack.split('\n').flatMap((line) => {
    const at = line.indexOf(SOURCE);
    return at < 0 ? [] : [line.slice(at + SOURCE.length).replace(/:\d+:\d+\)?$/, '')];
  });
  const sender = files.find((file) => !PASSED.has(file));
  const isOurs = !sender?.startsWith('sources/') && !sender?.startsWith('test/');
  return isOurs && !sender?.endsWith('.test.ts') ? sender : undefined;
}

let isWatching = false;

/** From now on, this process watches its clients of PostgreSQL. */
export function watchStatements(): void {
  if (isWatching) return;
  isWatching = true;
  const original = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  Object.assign(pg.Client.prototype, {
    query(this: object, ...given: unknown[]) {
      const { text, values } = askedOf(given);
      if (typeof text === 'string') check(this, text, Array.isArray(values) ? values : []);
      return original.apply(this, given);
    },
  });
}

const askedOf = ([first, second]: readonly unknown[]) =>
  typeof first === 'string'
    ? { text: first, values: second }
    : (first as { readonly text?: unknown; readonly values?: unknown });
