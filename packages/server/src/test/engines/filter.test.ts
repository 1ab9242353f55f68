/** Compares the SQL of filters with their meaning, on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { allowedNumbers } from '../../engines/index/allowed.ts';
import { createExactIndex } from '../../engines/index/exact.ts';
import { chunkId } from '../../model/chunk.ts';
import type { Condition, Filter } from '../../model/filter.ts';
import { filterMatches, type Matchable } from '../../model/filter-matches.ts';
import { instantOrNull, must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { createWorld, DIMENSIONS, type Doc, type World } from './world.ts';

const AT = Date.UTC(2024, 4, 6, 7, 8, 9, 10);
const DAY = 86_400_000;

/** Some of these are instants, and the others only look like instants. */
const DAYS = [
  ...['2024-05-06', '2024-02-29', '2023-02-29', '2024-04-31', '2024-13-01', '2024-00-01'],
  ...['2000-02-29', '1900-02-29', '9999-12-31', '0001-01-01', '0000-01-01', '24-05-06'],
  '٢٠٢٤-٠٥-٠٦',
];
const TIMES = [
  ...['', 'T', ' 07:08', 'T07:08:09Z', 'T07:08:09.5Z', 'T07:08:09.0109999', 'T09:08:09.010+02:00'],
  ...['T21:08:09-1000', ' 00:00:00.001+14:00', 'T07:08:60Z', 'T24:00Z', 'T07:08+15:00', 'T07:08 Z'],
  ' notes',
];
const WRITTEN = DAYS.flatMap((day) => TIMES.map((time) => day + time));

/** A condition may meet any of these shapes of metadata. */
const METADATA: readonly Record<string, unknown>[] = [
  {},
  { a: 1, b: 'x', c: true },
  { a: '1', b: 'X', c: 'true' },
  { a: [1, 2, 'x'], b: [], c: null },
  { a: null, b: [null, 'x'], c: [true, false] },
  { a: { b: 1, a: ['x', { b: 2 }] }, b: [{ a: 1 }, { b: 'x' }, 3] },
  { a: [{ b: [1, 2], c: 'x' }, { b: 3 }], b: [[1, 'x'], ['y']] },
  { a: '2024-05-06T07:08:09.010Z', b: ['2023-01-01T00:00:00.000Z', 7] },
  { a: 'zebra', b: 0.1, c: -0 },
  { a: 1e21, b: 9_007_199_254_740_991, c: '' },
  // These are snowflake ids and a time in nanoseconds.
  {
    a: 1_234_567_890_123_456_800,
    b: [1_730_000_000_000_000_000, 2 ** 63],
    c: 9_007_199_254_740_992,
  },
  { 'a.b': 1, 'a"b': 'x', "a'b": 2, '$.a': 3, '0': 'zero', 'a\\b': 4, ' ': 5, '': 6, é: 'é' },
  { a: 'it\'s 100% "x" _y_ \\z $1 ?', b: 'a%b', c: 'émile 日本 🦓' },
  { a: [[]], b: {}, c: [{}] },
  { a: [{ b: null }, { b: [] }], b: [{ a: null }] },
  { A: 1, aa: 1 },
  { a: [{ created_at: 'x' }, { created_at: '2024-05-06' }] },
  Object.fromEntries(WRITTEN.map((text, i) => [`written${i}`, text])),
];
const DOCS: readonly Doc[] = METADATA.flatMap((metadata, i) =>
  [0, 1].map((twin) => ({
    id: `doc${i}${twin ? 'b' : ''}`,
    texts: ['one', 'two'].slice(twin),
    name: ['Report', 'report', "O'Neil", '2024-05-06 notes', 'x'][i % 5]!,
    type: i % 3 === 0 ? 'Page' : 'File',
    syncId: `s${i % 4}`,
    syncJobId: `j${i % 2}`,
    createdAt: i % 4 === 0 ? null : AT + (i % 3) * DAY,
    updatedAt: i % 5 === 0 ? null : AT - i,
    viewers: [null, [], ['user:a'], ['user:a', 'group:x']][(i + twin) % 4]!,
    isPublic: i % 2 === 0,
    breadcrumbs: [
      [],
      [{ id: 'root', name: 'Root', type: 'Space' }],
      [
        { id: 'root', name: 'Root', type: 'Space' },
        { id: 'sub', name: 'Space', type: 'Folder' },
      ],
    ][i % 3]!,
    metadata,
  })),
);

const PATHS: readonly (readonly string[])[] = [
  ...['entity_id', 'original_entity_id', 'name', 'source_name', 'entity_type', 'sync_id'],
  ...[
    'sync_job_id',
    'chunk_index',
    'created_at',
    'updated_at',
    'breadcrumbs',
    'access',
    'metadata',
  ],
  ...['breadcrumbs.entity_id', 'breadcrumbs.name', 'breadcrumbs.entity_type', 'breadcrumbs.id'],
  ...['access.is_public', 'access.viewers', 'access.other', 'name.length', 'breadcrumbs.name.x'],
  ...['metadata.a', 'metadata.b', 'metadata.c', 'metadata.a.b', 'metadata.a.a', 'metadata.b.a'],
  ...['metadata.a.a.b', 'metadata.b.b', 'metadata.none', 'metadata.none.a', 'metadata.0'],
]
  .map((path) => path.split('.'))
  .concat(
    ['a.b', 'a"b', "a'b", '$.a', 'a\\b', ' ', '', 'é', 'a\0', '\ud800', '[0]', '$'].map((key) => [
      'metadata',
      key,
    ]),
  );
const INNER = [
  'a',
  'b',
  'c',
  'a.b',
  'entity_id',
  'name',
  'entity_type',
  'id',
  'created_at',
  '',
].map((path) => (path === '' ? [] : path.split('.')));
const SCALARS = [
  ...['x', 'X', '1', 'true', '', 'zero', 'Page', 'Report', "O'Neil", 's1', 'j1', 'files', 'y'],
  ...['root', 'Space', 'Folder', 'user:a', 'group:x', 'doc3', 'doc5b__chunk_0', 'é', '🦓', '日本'],
  ...['2024-05-06T07:08:09.010Z', '2024-05-06T09:08:09.010+02:00', '2024-05-06', '9', 'a%b'],
  ...['2024-05-07T07:08:09.010Z', '2023-01-01T00:00:00.000Z', '2024-99-99', 'a\0', '\ud800', '%'],
  ...[0, 1, 2, 3, 7, 0.1, 1.5, 1e21, 9_007_199_254_740_991, -1, true, false],
  ...[1_234_567_890_123_456_800, 1_730_000_000_000_000_000, 2 ** 63, 9_007_199_254_740_992],
] as const;

const scalar = fc.constantFrom(...SCALARS);
const scalars = fc.array(scalar, { maxLength: 4 });
const bound = fc.option(fc.constantFrom(...SCALARS.filter((value) => typeof value !== 'boolean')), {
  nil: undefined,
});
const condition = (paths: readonly (readonly string[])[]): fc.Arbitrary<Filter> =>
  fc
    .tuple(
      fc.constantFrom(...paths),
      fc.oneof(
        fc.record({ in: scalars }),
        fc.record({ notIn: scalars }),
        fc.record({ text: fc.constantFrom(...SCALARS.filter((one) => typeof one === 'string')) }),
        fc.record({ is: fc.constantFrom('null' as const, 'empty' as const) }),
        fc
          .record({ gt: bound, gte: bound, lt: bound, lte: bound })
          .map((range) => ({ range: present(range) })),
      ),
    )
    .map(([path, wanted]) => ({ path, ...wanted }) as Condition);
const present = (range: object) =>
  Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 4, arbitrary: condition(PATHS) },
    {
      weight: 1,
      arbitrary: fc.record({
        ids: scalars.map((some) => some.filter((one) => typeof one === 'string')),
      }),
    },
    { weight: 1, arbitrary: fc.record({ not: tie('filter') }) },
    { weight: 1, arbitrary: fc.record({ all: fc.array(tie('filter'), { maxLength: 3 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        any: fc.array(tie('filter'), { maxLength: 3 }),
        atLeast: fc.nat({ max: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        path: fc.constantFrom(
          ['breadcrumbs'],
          ['metadata', 'a'],
          ['metadata', 'b'],
          ['access', 'viewers'],
        ),
        some: fc.oneof(
          condition(INNER),
          condition(INNER).map((not) => ({ not })),
          fc.array(condition(INNER), { maxLength: 2 }).map((all) => ({ all })),
          fc.record({ some: condition(INNER), path: fc.constantFrom(['b'], ['a'], []) }),
        ),
      }),
    },
  ),
}));

for (const { name, open } of DATABASES)
  describe(`filters on ${name}`, () => {
    let database: TestDatabase;
    let world: World;
    let number: number;
    let id: string;
    let chunks: Map<number, Matchable>;

    before(async () => {
      database = await open();
      const { db, kind } = database;
      world = await createWorld(database, createExactIndex({ kind, dimensions: DIMENSIONS }));
      id = await world.collection();
      await world.save(await world.connection(id), DOCS);
      number = (await db.selectFrom('indexes').select('number').executeTakeFirstOrThrow()).number;
      const rows = await db
        .selectFrom('chunks as c')
        .innerJoin('entities as e', 'e.id', 'c.entity')
        .select(['c.n', 'c.position', 'e.entity_id'])
        .execute();
      chunks = new Map(
        rows.map((row) => [
          row.n,
          matchable(must(DOCS.find((doc) => doc.id === row.entity_id)), row.position),
        ]),
      );
    });
    after(() => database.close());

    const found = async (wanted: Filter): Promise<string[]> => {
      const restriction = { filter: wanted, principals: null };
      const query = allowedNumbers(database.kind, { id, index: number }, restriction);
      const { rows } = await query.execute(database.db);
      return rows.map((row) => must(chunks.get(row.n)).entity_id as string).sort();
    };
    const expected = (wanted: Filter): string[] =>
      [...chunks.values()]
        .filter((chunk) => filterMatches(chunk, wanted))
        .map((chunk) => chunk.entity_id as string)
        .sort();

    it('[FIL-01] [FIL-05] [FIL-06] [FIL-07] select what they mean', async () => {
      let some = 0;
      await fc.assert(
        fc.asyncProperty(filter, async (wanted) => {
          const ids = expected(wanted);
          if (ids.length > 0 && ids.length < chunks.size) some++;
          assert.deepEqual(await found(wanted), ids);
        }),
        { numRuns: 400, seed: 11 },
      );
      assert.ok(some > 80, `only ${some} filters select some of the chunks`);
    });

    it('[FIL-02] [FIL-03] select what they mean, each condition on each field', async () => {
      const conditions = PATHS.flatMap((path): Filter[] => [
        { path, is: 'null' },
        { path, is: 'empty' },
        { path, in: SCALARS },
        { path, in: [1_234_567_890_123_456_800] },
        { path, notIn: ['x', 1, true, 'Page', 'root', 'user:a'] },
        { path, text: 'e' },
        { path, text: '' },
        { path, range: {} },
        { path, range: { gte: 1, lt: 3 } },
        { path, range: { gte: 1_234_567_890_123_456_800, lte: 1_730_000_000_000_000_000 } },
        { path, range: { gt: '2024-05-06T07:08:09.010Z' } },
        { path, range: { gte: '2024-05-06T07:08:09.010Z', lte: '2024-05-07T07:08:09.010Z' } },
      ]);
      for (const wanted of conditions)
        assert.deepEqual(await found(wanted), expected(wanted), JSON.stringify(wanted));
    });

    it('[FIL-03] compare instants, however a source has written them', async () => {
      const bounds = ['2024-05-06T07:08:09.010Z', '2024-05-06T00:00:00.000Z', '0001-01-01'];
      let some = 0;
      for (const [i] of WRITTEN.entries())
        for (const bound of bounds) {
          const path = ['metadata', `written${i}`];
          const wanted: Filter = { path, range: i % 2 ? { gte: bound } : { lte: bound } };
          const ids = await found(wanted);
          assert.deepEqual(ids, expected(wanted), `${WRITTEN[i]} ${JSON.stringify(wanted)}`);
          if (ids.length > 0) some++;
        }
      assert.ok(some > 50, `only ${some} hold`);
    });

    it('take a field of an element for its own, whatever its name', async () => {
      const some = (wanted: Filter): Filter => ({ path: ['metadata', 'a'], some: wanted });
      for (const wanted of [
        some({ path: ['created_at'], in: ['x'] }),
        some({ path: ['created_at'], text: '05' }),
        some({ path: ['created_at'], range: { gt: '2024-05-05' } }),
      ]) {
        const ids = await found(wanted);
        assert.equal(ids.length, 3);
        assert.deepEqual(ids, expected(wanted));
      }
    });

    it('refuse a field that no chunk has', async () => {
      await assert.rejects(
        async () => found({ path: ['password'], in: ['x'] }),
        /a filter names the field 'password', which no chunk has/,
      );
    });
  });

function matchable(doc: Doc, position: number): Matchable {
  return {
    entity_id: chunkId(doc.id, position),
    original_entity_id: doc.id,
    name: doc.name,
    source_name: 'files',
    entity_type: doc.type,
    sync_id: doc.syncId,
    sync_job_id: doc.syncJobId,
    chunk_index: position,
    created_at: instantOrNull(doc.createdAt ?? null),
    updated_at: instantOrNull(doc.updatedAt ?? null),
    breadcrumbs: doc.breadcrumbs?.map(({ id, name, type }) => ({
      entity_id: id,
      name,
      entity_type: type,
    })),
    access: {
      viewers: doc.viewers,
      is_public: doc.viewers === null && !doc.isPublic ? null : doc.isPublic,
    },
    metadata: doc.metadata,
  };
}
