import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { selectionOf } from './graphql.ts';
import { connectionPages, pageOf } from './relay.ts';

const named = z.object({ name: z.string() }).transform(({ name }) => name);
const Note = z.object({
  id: z.string(),
  author: named.nullable(),
  tags: z.object({ nodes: z.array(named) }).meta({ arguments: 'first: 5' }),
  replies: pageOf(z.object({ body: z.string() }), 'first: 2'),
});
const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

describe('a GraphQL selection', () => {
  it('has exactly the fields that the schema reads before its transformations', () => {
    assert.equal(
      selectionOf(Note),
      `{ id author { name } tags (first: 5) { nodes { name } } replies (first: 2) { nodes { body } ${PAGE_INFO} } }`,
    );
    assert.equal(selectionOf(z.string()), '');
  });
});

describe('the pages of a connection', () => {
  const notes = {
    field: 'notes',
    arguments: { filter: 'NoteFilter' },
    node: z.object({ id: z.string() }),
  };
  const asked: { query: string; variables: object }[] = [];
  const answering = (...pages: object[]) => ({
    async graphql<T>(query: string, variables: object, schema: z.ZodType<T>): Promise<T> {
      asked.push({ query, variables });
      return schema.parse({ found: pages.shift() });
    },
  });
  const page = (ids: string[], hasNextPage: boolean, endCursor: string | null) => ({
    nodes: ids.map((id) => ({ id })),
    pageInfo: { hasNextPage, endCursor },
  });

  it('are requested with the cursor of the previous page and the same arguments', async () => {
    asked.length = 0;
    const http = answering(page(['a', 'b'], true, 'p2'), page(['c'], false, 'end'));
    const found = [];
    for await (const one of connectionPages(http, notes, { filter: { of: 'ann' }, from: 'p1' }))
      found.push(one);
    assert.deepEqual(found, [
      { page: [{ id: 'a' }, { id: 'b' }], next: 'p2' },
      { page: [{ id: 'c' }], next: null },
    ]);
    const [first, second] = asked;
    assert.equal(
      first?.query,
      `query ($filter: NoteFilter, $after: String) { found: notes(filter: $filter, after: $after) { nodes { id } ${PAGE_INFO} } }`,
    );
    assert.deepEqual(first.variables, { filter: { of: 'ann' }, after: 'p1' });
    assert.deepEqual(second, { ...first, variables: { filter: { of: 'ann' }, after: 'p2' } });
  });

  it('start with the first page', async () => {
    asked.length = 0;
    for await (const _ of connectionPages(answering(page([], false, null)), notes, {}));
    assert.deepEqual(asked[0]?.variables, { after: null });
  });

  it('end with an error when a page is not the last one and has no cursor', async () => {
    const pages = connectionPages(answering(page(['a'], true, null)), notes, {});
    await assert.rejects(pages.next(), /has no cursor/);
  });
});
