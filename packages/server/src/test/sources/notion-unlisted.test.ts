/** Tests what a pull of Notion copies although no search shows it, and what it tells of a database beside its rows. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { notion } from '../../sources/catalog/notion.ts';
import type { SourceItem } from '../../sources/items.ts';
import {
  emptyMemory,
  type KnownRecord,
  NotionBookmark,
  pack,
  unpack,
} from '../../sources/notion/memory.ts';
import { must } from '../../util.ts';
import { entitiesOf, itemsOf, lastCursor, type PullOptions, pullAll } from './harness.ts';
import { type NotionCompany, openNotionCompany } from './notion-company.ts';
import { block } from './notion-content.ts';
import { notionError } from './notion-paging.ts';
import type { NotionNode } from './notion-world.ts';

const HOUR = 3_600_000;

describe('notion', () => {
  let company: NotionCompany;
  beforeEach(async () => {
    company = await openNotionCompany();
    for (const node of company.world.nodes.values()) node.editedAt -= 24 * HOUR;
  });
  afterEach(() => company.peer.close());

  const pull = (options: PullOptions = {}) => {
    const { credentials, peer } = company;
    return pullAll(notion, { config: {}, credentials, operatorBaseUrl: peer.baseUrl }, options);
  };
  const again = (items: readonly SourceItem[]) => pull({ lastCursor: lastCursor(items) });
  const changes = (items: readonly SourceItem[]) => pull({ cursor: lastCursor(items) });
  const ids = (items: readonly SourceItem[]) => [
    ...itemsOf(items, 'stub').map(({ id }) => id),
    ...entitiesOf(items).map(({ id }) => id),
  ];
  const asked = (): string[] =>
    company.peer.requests.splice(0).map(({ method, url }) => `${method} ${url.pathname}`);

  function addHidden(parent: NotionNode, title: string): NotionNode {
    const { world, settings } = company;
    const page = world.addPage(title, parent.id);
    settings.unindexed.add(page.id);
    world.touch(parent);
    return page;
  }
  /** Adds a database that no search shows, with so many rows that they are not one page of a listing. */
  function addHiddenBase(parent: NotionNode) {
    const { world, settings } = company;
    const base = world.add('database', parent.id, { title: 'Weirs' });
    const source = world.add('data_source', base.id, { title: 'North' });
    const rows = Array.from({ length: 7 }, (_, i) => world.addPage(`Weir ${i}`, source.id));
    for (const { id } of [source, ...rows]) settings.unindexed.add(id);
    world.touch(parent);
    return { source, rows };
  }
  const age = (...nodes: readonly NotionNode[]) => {
    for (const node of nodes) node.editedAt -= HOUR;
  };

  describe('a page of notion that no search shows', () => {
    it('is copied when a block names it, with what lies below it, by a full and by an incremental pull', async () => {
      const { guide, settings } = company;
      settings.largestPage = 3;
      const first = addHidden(guide, 'Hidden');
      const second = addHidden(first, 'Below the hidden one');
      const full = await pull();
      for (const { id } of [first, second]) assert.ok(ids(full).includes(id));
      const place = must(entitiesOf(full).find(({ id }) => id === second.id)).breadcrumbs ?? [];
      assert.deepEqual(
        place.slice(-2).map(({ id }) => id),
        [guide.id, first.id],
      );

      const third = addHidden(guide, 'Another one');
      const { source, rows } = addHiddenBase(third);
      const incremental = await changes(full);
      for (const { id } of [third, source, ...rows]) assert.ok(ids(incremental).includes(id));
      assert.deepEqual(itemsOf(incremental, 'lost'), []);
    });

    it('is kept by full pulls, which read it again only when it has changed, and notice that it is gone', async () => {
      const { guide, world } = company;
      const hidden = addHidden(guide, 'Hidden');
      const { source, rows } = addHiddenBase(guide);
      age(hidden, source, ...rows, guide);
      const first = await pull();
      asked();
      const second = await again(first);
      const expected = [hidden, source, ...rows].map(({ id }) => id);
      assert.deepEqual(
        expected.filter((id) => !ids(second).includes(id)),
        [],
      );
      const requests = asked();
      assert.ok(!requests.includes(`GET /v1/blocks/${hidden.id}/children`));
      assert.ok(
        !requests.some((one) => rows.some(({ id }) => one.includes(id))),
        'by their listing',
      );

      hidden.title = 'Renamed';
      world.touch(hidden);
      const added = world.addPage('A new row', source.id);
      company.settings.unindexed.add(added.id);
      const third = await again(second);
      assert.ok(entitiesOf(third).some(({ name }) => name === 'Renamed'));
      assert.ok(ids(third).includes(added.id));

      company.trash(hidden);
      company.trash(must(rows[0]));
      const fourth = await again(third);
      assert.deepEqual(itemsOf(fourth, 'lost'), []);
      for (const { id } of [hidden, must(rows[0])]) assert.ok(!ids(fourth).includes(id));
      assert.ok(ids(fourth).includes(must(rows[1]).id));
    });

    it('is not asked for twice, also when pages name each other, and is remembered by a bookmark', async () => {
      const { guide, world } = company;
      const pages = Array.from({ length: 30 }, (_, i) => addHidden(guide, `Hidden ${i}`));
      world.addBlock(must(pages[0]).id, block.synced(guide.id));
      asked();
      const items = await pull();
      const one = `GET /v1/pages/${must(pages[29]).id}`;
      assert.equal(asked().filter((path) => path === one).length, 1);
      const bookmarks = itemsOf(items, 'bookmark').map(({ position }) =>
        NotionBookmark.parse(position),
      );
      const memories = await Promise.all(bookmarks.map(({ memory }) => unpack(memory)));
      assert.ok(memories.some(({ named }) => named.size > 0));
      const last = must(itemsOf(items, 'bookmark').at(-1)).position;
      const rest = await pull({ bookmark: last });
      const missing = pages.filter(({ id }) => ![...ids(items), ...ids(rest)].includes(id));
      assert.deepEqual(missing, []);
      assert.equal((await unpack((lastCursor(rest) as { memory: string }).memory)).named.size, 0);
    });

    it('is one of 1,000 at most, and with more nothing counts as gone', async () => {
      const hidden = addHidden(company.guide, 'Hidden');
      for (const [others, isCopied] of [
        [999, true],
        [1000, false],
      ] as const) {
        const one: KnownRecord = {
          ...{ edited: '2026-01-01T00:00:00.000Z', isSettled: true, kind: 'page', files: [] },
          ...{ hasComments: false, isUnlisted: true },
        };
        const known = new Map(Array.from({ length: others }, (_, i) => [`page-${i}`, one]));
        const memory = await pack({ ...emptyMemory(), known });
        const items = await pull({ bookmark: { since: null, memory, place: null } });
        assert.equal(ids(items).includes(hidden.id), isCopied);
        const lost = itemsOf(items, 'lost').map(({ partition }) => partition);
        assert.deepEqual(lost, isCopied ? [] : ['']);
      }
    });

    it('is asked for by a later pull, before anything counts as gone, when more than 1,000 are not shown', async () => {
      const one: KnownRecord = {
        ...{ edited: '2026-01-01T00:00:00.000Z', isSettled: true, kind: 'page', files: [] },
        ...{ hasComments: false, isUnlisted: false },
      };
      const start = '00000000-0000-4000-8000-';
      const known = new Map(
        Array.from({ length: 1100 }, (_, i) => [start + String(i).padStart(12, '0'), one]),
      );
      const memory = await pack({ ...emptyMemory(), known });
      const askedFor = () => asked().filter((path) => path.startsWith(`GET /v1/pages/${start}`));
      const partitions = (items: readonly SourceItem[], kind: 'lost' | 'listed') =>
        itemsOf(items, kind).flatMap(({ partition }) => (partition === '' ? [''] : []));
      asked();
      const first = await pull({ lastCursor: { since: null, memory } });
      const before = new Set(askedFor());
      assert.equal(before.size, 1000);
      const { position } = must(itemsOf(first, 'bookmark').at(-1));
      const resumed = await pull({ lastCursor: { since: null, memory }, bookmark: position });
      for (const items of [first, resumed]) {
        assert.deepEqual(partitions(items, 'lost'), ['']);
        assert.deepEqual(partitions(items, 'listed'), []);
      }
      asked();
      const second = await again(first);
      const after = askedFor();
      assert.deepEqual([after.length, after.filter((path) => before.has(path)).length], [100, 0]);
      assert.deepEqual(partitions(second, 'lost'), []);
      assert.deepEqual(partitions(second, 'listed'), ['']);
    });

    it('is left as it is when it may not be read, and nothing is deleted when the rows may not be listed', async () => {
      const { guide, peer } = company;
      const hidden = addHidden(guide, 'Hidden');
      const { source, rows } = addHiddenBase(guide);
      const first = await pull();
      const refusal = notionError(403, 'restricted_resource', 'No permission.');
      const closed = [`/v1/pages/${hidden.id}`, `/v1/data_sources/${source.id}/query`];
      peer.fault = ({ url }) => (closed.includes(url.pathname) ? refusal : undefined);
      const second = await again(first);
      const lost = itemsOf(second, 'lost').map(({ partition }) => partition);
      assert.deepEqual(lost.toSorted(), ['', hidden.id]);
      assert.deepEqual(
        itemsOf(second, 'fail').map(({ id }) => id),
        [hidden.id],
      );
      peer.fault = () => undefined;
      const third = await again(second);
      for (const { id } of [hidden, ...rows]) assert.ok(ids(third).includes(id));
    });
  });

  describe('a database of notion with several data sources', () => {
    it('has its title and its description in the text of each of them, with the descriptions of properties', async () => {
      const { database, old, tasks, world } = company;
      database.title = 'Planning of the weir';
      database.description = 'Everything to be done.';
      const name = {
        id: 'title',
        name: 'Name',
        description: 'What\nto do',
        type: 'title',
        title: {},
      };
      old.columns = { ...old.columns, Name: name } as NotionNode['columns'];
      world.touch(old);
      const found = entitiesOf(await pull());
      for (const { id } of [old, tasks]) {
        const text = must(found.find((one) => one.id === id)).text ?? '';
        assert.match(text, /^Planning of the weir\n\nEverything to be done\.\n\n/);
      }
      assert.match(must(found.find(({ id }) => id === old.id)).text ?? '', /- Name \(What to do\)/);
      database.title = old.title;
      world.touch(old);
      const again = must(entitiesOf(await pull()).find(({ id }) => id === old.id));
      assert.match(again.text ?? '', /^Everything to be done\./);
    });
  });
});
