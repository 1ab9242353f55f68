/**
 * Watches what the tests of this process send to PostgreSQL: a statement of Quarry on the contents of collections names the
 * collection, and neither a statement nor a transaction that writes contents is about two of them. Otherwise the statement
 * fails, with the name of the file that sent it. The statements of the tests themselves may do as they like.
 */
import pg from 'pg';
import { DISTRIBUTED_TABLES } from '../../db/distributed.ts';
import { type StatementShape, shapeOf } from './shards.ts';

/**
 * These files have statements on these tables that are about all collections, or about those of an organization: a cluster
 * asks all of its servers for them (docs/scaling.md). A name with a slash at its end is a folder.
 */
export const ABOUT_SEVERAL: Readonly<Record<string, readonly string[]>> = {
  // The schema and copies of the whole database are made while nothing else runs, or in one snapshot.
  'db/migrations/': DISTRIBUTED_TABLES,
  'backup/': DISTRIBUTED_TABLES,
  // A start looks for collections with another form or embedder.
  'engines/index/postgres-prepare.ts': ['indexes', 'index_forms'],
  'engines/index/embedding.ts': ['indexes'],
  // A caller names a record by its id alone, or lists the records of several collections.
  'entities/store.ts': ['entities'],
  'entities/service.ts': ['entities'],
};

interface Transaction {
  readonly collections: Set<unknown>;
  writes: boolean;
}

const SOURCE = new URL('../../', import.meta.url).href;
const FRAMES = 60;
const shapes = new Map<string, StatementShape>();
const transactions = new WeakMap<object, Transaction>();
const original = pg.Client.prototype.query as (...given: unknown[]) => unknown;

/** The statements of one test process repeat, so each text is read once. */
function shapeIn(text: string): StatementShape {
  const known = shapes.get(text) ?? shapeOf(text);
  shapes.set(text, known);
  return known;
}

let isWatching = false;

export function watchStatements(): void {
  if (isWatching) return;
  isWatching = true;
  Object.assign(pg.Client.prototype, {
    query(this: object, ...given: unknown[]) {
      const [first, second] = given;
      const { text, values } = typeof first === 'string' ? { text: first, values: second } : asked(first);
      if (typeof text === 'string') check(this, text, Array.isArray(values) ? values : []);
      return original.apply(this, given);
    },
  });
}

const asked = (query: unknown) => query as { readonly text?: unknown; readonly values?: unknown };

function check(client: object, text: string, values: readonly unknown[]): void {
  if (/^(begin|start transaction|commit|rollback)\b/i.test(text)) {
    transactions.set(client, { collections: new Set(), writes: false });
    return;
  }
  const { tables, unlimited, parameters, writes } = shapeIn(text);
  if (tables.length === 0) return;
  const collections = new Set(parameters.flatMap((number) => values[number - 1]));
  const open = transactions.get(client);
  for (const one of collections) open?.collections.add(one);
  if (open && writes) open.writes = true;
  const isOfSeveral = collections.size > 1 || (open?.writes && open.collections.size > 1);
  if (unlimited.length === 0 && !isOfSeveral) return;
  const sender = senderOf();
  if (sender === undefined || allows(sender, unlimited.length > 0 ? unlimited : tables)) return;
  const why =
    unlimited.length > 0
      ? `does not name the collection of ${[...new Set(unlimited)].join(', ')}`
      : 'is about several collections, or its transaction is';
  throw new Error(`a statement of ${sender} ${why}: ${text}`);
}

const allows = (sender: string, tables: readonly string[]): boolean =>
  Object.entries(ABOUT_SEVERAL).some(
    ([file, allowed]) =>
      (file.endsWith('/') ? sender.startsWith(file) : sender === file) &&
      tables.every((table) => allowed.includes(table)),
  );

/** Returns the file of Quarry that sends the statement, below `src`; undefined when a test sends it. */
function senderOf(): string | undefined {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error('who sends this?');
  Error.stackTraceLimit = before;
  const frames = stack.split('\n').flatMap((line) => {
    const at = line.indexOf(SOURCE);
    const file = at < 0 ? undefined : line.slice(at + SOURCE.length).replace(/:\d+:\d+\)?$/, '');
    return file === undefined || PASSED.has(file) ? [] : [file];
  });
  const [first] = frames;
  return first === undefined || isTest(first) ? undefined : first;
}

/** Statements pass through these files. */
const PASSED = new Set([
  'test/distribution/watch.ts',
  'db/connect.ts',
  'db/deadline.ts',
  'db/each-collection.ts',
  'db/pipelined.ts',
  'db/snapshot.ts',
]);

const isTest = (file: string): boolean => file.startsWith('test/') || file.endsWith('.test.ts');
