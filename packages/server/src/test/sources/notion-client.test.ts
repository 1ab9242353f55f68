/** Tests the fake of Notion by Notion's own client: the client lists, pages and reads everything in it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  APIErrorCode,
  type BlockObjectResponse,
  Client,
  collectAllDataSourceRows,
  isFullBlock,
  isFullPage,
  iteratePaginatedAPI,
  LogLevel,
} from '@notionhq/client';
import { must } from '../../util.ts';
import { COLUMN_IDS } from './notion-columns.ts';
import { type NotionCompany, openNotionCompany } from './notion-company.ts';
import { NOTION_KEY } from './notion-peer.ts';

describe('the fake of Notion, asked by the client of Notion', () => {
  let company: NotionCompany;
  let client: Client;
  beforeEach(async () => {
    company = await openNotionCompany();
    client = clientOf(NOTION_KEY);
  });
  afterEach(() => company.peer.close());
  const clientOf = (auth: string, notionVersion = '2025-09-03') =>
    new Client({
      auth,
      notionVersion,
      baseUrl: company.peer.baseUrl,
      retry: false,
      logLevel: LogLevel.ERROR,
    });
  const all = async <T>(listed: AsyncIterable<T>) => {
    const found: T[] = [];
    for await (const one of listed) found.push(one);
    return found;
  };
  const searched = (value: 'page' | 'data_source') =>
    all(
      iteratePaginatedAPI(client.search, {
        filter: { property: 'object', value },
        sort: { timestamp: 'last_edited_time', direction: 'ascending' },
        page_size: 2,
      }),
    );
  const blocksBelow = async (id: string): Promise<BlockObjectResponse[]> => {
    const here = await all(iteratePaginatedAPI(client.blocks.children.list, { block_id: id }));
    const full = here.filter(isFullBlock);
    const below = full.filter((one) => one.has_children && one.type !== 'child_page');
    return [...full, ...(await Promise.all(below.map((one) => blocksBelow(one.id)))).flat()];
  };
  const refusedWith = (code: string) => (error: { code?: string }) => error.code === code;

  it('shows all pages and data sources once, in the order of their minutes, and finds them by title', async () => {
    const pages = (await searched('page')).filter(isFullPage);
    const ids = pages.map(({ id }) => id);
    const records = [...company.expected().keys()];
    const isPage = (id: string) => company.world.nodes.get(id)?.kind === 'page';
    assert.deepEqual(ids.toSorted(), records.filter(isPage).toSorted());
    const times = pages.map((page) => page.last_edited_time);
    assert.deepEqual(times, times.toSorted());
    assert.ok(times.every((time) => time.endsWith(':00.000Z')));
    assert.equal((await searched('data_source')).length, 3);
    const { results } = await client.search({ query: 'stones' });
    assert.deepEqual(
      results.map(({ id }) => id),
      [company.deep.id],
    );
  });

  it('shows every word of the company in blocks, properties, descriptions, comments and files', async () => {
    const shown: unknown[] = [await searched('page'), await searched('data_source')];
    for (const { id } of await searched('page')) {
      const blocks = await blocksBelow(id);
      shown.push(blocks);
      for (const on of [id, ...blocks.map((one) => one.id)])
        shown.push(await all(iteratePaginatedAPI(client.comments.list, { block_id: on })));
      for (const one of blocks) {
        const file = one.type === 'file' ? one.file : one.type === 'pdf' ? one.pdf : undefined;
        if (file?.type === 'file') shown.push(await (await fetch(file.file.url)).text());
      }
    }
    const text = JSON.stringify(shown);
    const missing = [...company.expected()].filter(([, word]) => !text.includes(word));
    assert.deepEqual(missing, []);
  });

  it('has blocks of every type, and shows the blocks of the original in a copy', async () => {
    const types = new Set((await blocksBelow(company.handbook.id)).map(({ type }) => type));
    const wanted = `bookmark bulleted_list_item child_database child_page divider equation file
      heading_2 image link_to_page numbered_list_item paragraph pdf quote synced_block to_do unsupported`.split(
      /\s+/,
    );
    assert.deepEqual([...types].toSorted(), wanted);
    const all = new Set<string>();
    for (const { id } of await searched('page'))
      for (const { type } of await blocksBelow(id)) all.add(type);
    const others = 'callout code column column_list table table_row toggle'.split(' ');
    assert.deepEqual([...all].toSorted(), [...wanted, ...others].toSorted());
    const copies = await blocksBelow(company.handbook.id);
    const copy = must(
      copies.find((one) => one.type === 'synced_block' && one.synced_block.synced_from),
    );
    const [inside] = await blocksBelow(copy.id);
    assert.match(JSON.stringify(inside), /This stands in two pages/);
  });

  it('lists a database by its data sources, with a property of every kind and filters by time', async () => {
    const database = await client.databases.retrieve({
      database_id: company.database.id.replaceAll('-', ''),
    });
    assert.ok('data_sources' in database);
    assert.deepEqual(
      database.data_sources.map(({ name }) => name),
      ['Tasks', 'Old tasks'],
    );
    const rows = (
      await collectAllDataSourceRows(client, { data_source_id: company.tasks.id })
    ).filter(isFullPage);
    assert.equal(rows.length, 5);
    const source = await client.dataSources.retrieve({ data_source_id: company.tasks.id });
    assert.deepEqual(Object.keys(source.properties), Object.keys(must(rows[0]).properties));
    const since = must(rows[2]).last_edited_time;
    const later = await all(
      iteratePaginatedAPI(client.dataSources.query, {
        data_source_id: company.tasks.id,
        filter: { timestamp: 'last_edited_time', last_edited_time: { on_or_after: since } },
        sorts: [{ timestamp: 'last_edited_time', direction: 'descending' }],
      }),
    );
    const expected = rows.filter((row) => row.last_edited_time >= since).map(({ id }) => id);
    assert.deepEqual(later.map(({ id }) => id).toSorted(), expected.toSorted());
  });

  it('shows 25 references of a property, and all of them by a request of its own', async () => {
    const many = Array.from({ length: 30 }, () => company.firstRow.id);
    const row = company.addRow(company.old, 'Many', many);
    const page = await client.pages.retrieve({ page_id: row.id });
    assert.ok(isFullPage(page));
    const { Depends } = page.properties as Record<string, any>;
    assert.deepEqual([Depends.relation.length, Depends.has_more], [25, true]);
    const items = await all(
      iteratePaginatedAPI(
        client.pages.properties.retrieve as never,
        {
          page_id: row.id,
          property_id: COLUMN_IDS.Depends,
        } as never,
      ),
    );
    assert.equal(items.length, 30);
  });

  it('names people, with their addresses only if the integration may see them', async () => {
    assert.equal((await client.users.me({})).type, 'bot');
    const names = async () => JSON.stringify(await all(iteratePaginatedAPI(client.users.list, {})));
    assert.match(await names(), /Bob@Acme\.example/);
    company.settings.users = 'names';
    assert.doesNotMatch(await names(), /acme\.example/i);
    company.settings.users = 'none';
    await assert.rejects(names(), refusedWith(APIErrorCode.RestrictedResource));
    company.settings.users = 'emails';
  });

  it('refuses as Notion does', async () => {
    const { ObjectNotFound, Unauthorized, RestrictedResource, ValidationError } = APIErrorCode;
    const page = (page_id: string, by = client) => by.pages.retrieve({ page_id });
    await assert.rejects(page(company.deep.id, clientOf('ntn_wrong')), refusedWith(Unauthorized));
    await assert.rejects(page(company.tasks.id), refusedWith(ObjectNotFound));
    await assert.rejects(page('7'), refusedWith(ValidationError));
    await assert.rejects(client.search({ page_size: 101 }), refusedWith(ValidationError));
    await assert.rejects(client.search({ start_cursor: 'x' }), refusedWith(ValidationError));
    const first = await client.search({ page_size: 1 });
    company.forgetCursors();
    const second = client.search({ page_size: 1, start_cursor: must(first.next_cursor) });
    await assert.rejects(second, refusedWith(ValidationError));
    company.settings.readsComments = false;
    await assert.rejects(
      client.comments.list({ block_id: company.deep.id }),
      refusedWith(RestrictedResource),
    );
    company.settings.readsComments = true;
    for (const [refusal, code] of [
      [must(company.refusals.rateLimited[0]), 'rate_limited'],
      [company.refusals.conflict, 'conflict_error'],
      [company.refusals.serverError, 'internal_server_error'],
      [company.refusals.unavailable, 'service_unavailable'],
    ] as const) {
      company.peer.fault = () => refusal;
      await assert.rejects(page(company.deep.id), refusedWith(code));
    }
    company.peer.fault = () => undefined;
  });

  it('gives files by addresses that end, and to no request with a token', async () => {
    const { handbookFile } = company;
    const asked = await client.blocks.retrieve({ block_id: handbookFile.id });
    assert.ok('type' in asked && asked.type === 'file' && asked.file.type === 'file');
    const { url } = asked.file.file;
    assert.equal((await fetch(url)).status, 200);
    assert.equal(
      (await fetch(url, { headers: { authorization: `Bearer ${NOTION_KEY}` } })).status,
      400,
    );
    company.endFileAddresses();
    assert.equal((await fetch(url)).status, 403);
  });

  it('shows the trash by id only, and nothing that is no longer shared', async () => {
    const trashed = await client.pages.retrieve({ page_id: company.trashed.id });
    assert.ok(isFullPage(trashed));
    assert.deepEqual([trashed.in_trash, trashed.archived], [true, true]);
    const later = await clientOf(NOTION_KEY, '2026-03-11').pages.retrieve({
      page_id: company.trashed.id,
    });
    assert.ok(!('archived' in later) && 'in_trash' in later);
    const idsOf = async () => (await searched('page')).map(({ id }) => id);
    const before = await idsOf();
    assert.ok(!before.includes(company.trashed.id));
    company.unshare(company.database);
    const left = await idsOf();
    assert.ok(before.includes(company.firstRow.id) && !left.includes(company.firstRow.id));
    const row = client.pages.retrieve({ page_id: company.firstRow.id });
    await assert.rejects(row, refusedWith(APIErrorCode.ObjectNotFound));
    company.settings.forbidden.add(company.ops.id);
    const query = client.dataSources.query({ data_source_id: company.ops.id });
    await assert.rejects(query, refusedWith(APIErrorCode.RestrictedResource));
  });

  it('shows a part of a long query, and says so, and the client goes on by times', async () => {
    const query = { data_source_id: company.tasks.id };
    for (let i = 0; i < 6; i++) company.addRow(company.tasks, `More ${i}`).createdAt += i * 60_000;
    company.settings.queryLimit = 7;
    company.settings.largestPage = 100;
    const { results, has_more, request_status } = await client.dataSources.query(query);
    assert.deepEqual([results.length, has_more, request_status?.type], [7, false, 'incomplete']);
    assert.equal((await collectAllDataSourceRows(client, query)).length, 11);
  });

  it('shows a page that is edited meanwhile at its new place, and loses no other', async () => {
    const sort = { timestamp: 'last_edited_time', direction: 'ascending' } as const;
    const ids: string[] = [];
    for await (const { id } of iteratePaginatedAPI(client.search, { sort }))
      if (ids.push(id) === 1) company.world.touch(must(company.world.nodes.get(id)));
    assert.equal(ids.at(-1), ids[0]);
    const shown = [...company.world.nodes.values()].filter(
      ({ kind, isTrashed }) => (kind === 'page' || kind === 'data_source') && !isTrashed,
    );
    assert.deepEqual(ids.slice(1).toSorted(), shown.map(({ id }) => id).toSorted());
  });

  it('shows an edit of a block as an edit of its page, and none for a comment', async () => {
    const edited = async () => {
      const page = await client.pages.retrieve({ page_id: company.handbook.id });
      return isFullPage(page) ? page.last_edited_time : '';
    };
    const before = await edited();
    company.world.addComment(company.handbook.id, 'A question');
    assert.equal(await edited(), before);
    company.world.touch(company.remark);
    assert.ok((await edited()) > before);
  });

  it('hides from search what is not indexed yet', async () => {
    company.settings.unindexed.add(company.deep.id);
    const ids = (await searched('page')).map(({ id }) => id);
    assert.ok(!ids.includes(company.deep.id));
    await client.pages.retrieve({ page_id: company.deep.id });
  });

  it('changes as the company does', async () => {
    const { expected } = company;
    const before = expected();
    for (let i = 0; i < 10; i++) company.edit();
    const after = expected();
    const changed = [...after].filter(([id, word]) => before.get(id) !== word).map(([id]) => id);
    assert.ok(changed.length > 5);
    assert.equal(after.size, before.size);
    company.shuffle();
    assert.equal(expected().size, before.size + 3);
    for (let i = 0; i < 4; i++) company.remove();
    assert.equal(expected().size, before.size - 1);
    const hasGone = (id: string) => !expected().has(id);
    company.removeMany();
    assert.ok(hasGone(company.deep.id));
    company.removePart();
    assert.ok(hasGone(company.tasks.id) && hasGone(company.firstRow.id));
    const pages = (await searched('page')).map(({ id }) => id);
    const isPage = (id: string) => company.world.nodes.get(id)?.kind === 'page';
    assert.deepEqual(pages.toSorted(), [...expected().keys()].filter(isPage).toSorted());
    company.forbidPart();
    for (let i = 0; i < 5; i++) company.edit();
  });
});
