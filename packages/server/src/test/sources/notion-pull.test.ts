/** Tests which requests a pull of Notion makes, and what it yields when Notion is not as one expects. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { notion } from '../../sources/catalog/notion.ts';
import { checkSettings } from '../../sources/define.ts';
import type { SourceItem, Stub } from '../../sources/items.ts';
import { pack, unpack } from '../../sources/notion/memory.ts';
import { must } from '../../util.ts';
import { skipWaits } from '../skip-waits.ts';
import { json, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  type PullOptions,
  pullAll,
} from './harness.ts';
import { type NotionCompany, openNotionCompany } from './notion-company.ts';
import { block, text } from './notion-content.ts';
import { makeNotionShapes, shownTime } from './notion-shapes.ts';
import { newNotionId } from './notion-world.ts';

const HOUR = 3_600_000;

describe('notion', () => {
  let company: NotionCompany;
  beforeEach(async () => {
    company = await openNotionCompany();
  });
  afterEach(() => company.peer.close());

  const settings = () => ({
    config: {},
    credentials: company.credentials,
    operatorBaseUrl: company.peer.baseUrl,
  });
  const pull = (options: PullOptions = {}) => pullAll(notion, settings(), options);
  /** Pulls in full with the memory of an earlier pull. */
  const again = (items: readonly SourceItem[]) => pull({ lastCursor: lastCursor(items) });
  const changes = (items: readonly SourceItem[]) => pull({ cursor: lastCursor(items) });
  const ids = (items: readonly SourceItem[]) => new Set(itemIds(items));
  const itemIds = (items: readonly SourceItem[]) => [
    ...itemsOf(items, 'stub').map(({ id }) => id),
    ...entitiesOf(items).map(({ id }) => id),
  ];
  const parts = (items: readonly SourceItem[], kind: 'listed' | 'lost') =>
    itemsOf(items, kind).map(({ partition }) => partition);
  /** Returns the requests since the last call, such as 'POST /v1/search'. */
  const asked = (): string[] =>
    company.peer.requests.splice(0).map(({ method, url }) => `${method} ${url.pathname}`);
  /** Answers the requests for this path by itself. */
  function answering(path: string, answer: (request: PeerRequest) => PeerAnswer | undefined): void {
    company.peer.fault = (request) => (request.url.pathname === path ? answer(request) : undefined);
  }
  async function hydrated(stubs: readonly Stub[]): Promise<SourceItem[]> {
    const all: SourceItem[] = [];
    for await (const item of must(notion.hydrate)(contextOf(notion, settings()), stubs))
      all.push(item);
    return all;
  }
  const listOf = (results: readonly unknown[], more: object = {}) =>
    json(200, { object: 'list', results, has_more: false, next_cursor: null, ...more });
  const shownPage = (id: string) =>
    makeNotionShapes(company.world).page(must(company.world.nodes.get(id)), () => ({
      url: '',
      expiry_time: '',
    }));
  /** Everything was changed at least this long ago, each record in a minute of its own. */
  function age(ms: number): void {
    let at = Date.now() - ms;
    for (const node of company.world.nodes.values()) {
      node.editedAt = at;
      at -= 60_000;
    }
  }
  const NAMES = { restricted_resource: 'no permission', object_not_found: 'Could not find it' };
  const refused = (status: number, code: keyof typeof NAMES) =>
    json(status, { object: 'error', status, code, message: NAMES[code] });

  describe('the requests of a pull of notion', () => {
    it('are 100 for 10,000 unchanged records, and at most 6 when it asks for changes', async () => {
      const { world, tasks } = company;
      age(HOUR);
      company.settings.largestPage = 100;
      const { since, memory } = lastCursor(await pull()) as { since: string; memory: string };
      const { known, places, named } = await unpack(memory);
      for (let i = 0; known.size < 10_000; i++) {
        const editedAt = Date.now() - 24 * HOUR - i * 60_000;
        const { id } = world.addPage(`Row ${i}`, tasks.id, { editedAt });
        const edited = shownTime(editedAt);
        known.set(id, {
          ...{ edited, isSettled: true, kind: 'page', files: [] },
          ...{ hasComments: false, isUnlisted: false },
        });
      }
      const [commented] = [...known].filter(([, { hasComments }]) => hasComments);
      for (const [id, one] of known) known.set(id, { ...one, hasComments: false });
      asked();
      const items = await pull({
        lastCursor: { since, memory: await pack({ known, places, named }) },
      });
      assert.deepEqual(asked(), Array(100).fill('POST /v1/search'));
      const records = itemsOf(items, 'stub').filter(({ type }) => type !== 'NotionFile');
      assert.deepEqual([records.length, entitiesOf(items)], [10_000, []]);
      assert.ok(itemsOf(items, 'bookmark').length > 0);
      await pull({ cursor: lastCursor(items) });
      const requests = asked();
      assert.ok(requests.length <= 6, requests.join('\n'));
      assert.ok(commented);
    });

    it('for a changed page are those for its blocks, its comments and what a person has written', async () => {
      age(HOUR);
      const first = await pull();
      const { deep, world } = company;
      deep.title = 'Bricks';
      world.touch(deep);
      asked();
      const items = await changes(first);
      const ofDeep = company.peer.requests.filter(({ url }) => url.href.includes(deep.id));
      const paths = new Set(ofDeep.map(({ url }) => url.pathname));
      assert.deepEqual([...paths], [`/v1/blocks/${deep.id}/children`, '/v1/comments']);
      assert.ok(ids(items).has(deep.id));
    });
  });

  describe('a pull of notion', () => {
    it('reads a record again that has changed within the minute in which it was read', async () => {
      const { deep, world } = company;
      world.touch(deep);
      const first = await pull();
      must(world.nodes.get(deep.id)).title = 'Changed in the same minute';
      const found = entitiesOf(await changes(first)).find(({ id }) => id === deep.id);
      assert.equal(found?.name, 'Changed in the same minute');
      const third = entitiesOf(await again(first)).find(({ id }) => id === deep.id);
      assert.equal(third?.name, 'Changed in the same minute');
    });

    it('reads a file in any case in the minutes after its block was edited, and once more after them', async () => {
      age(HOUR);
      const { handbook, handbookFile, world } = company;
      const fileIn = (items: readonly SourceItem[]) =>
        must(itemsOf(items, 'stub').find(({ id }) => id === handbookFile.id));
      world.touch(handbookFile);
      const first = await pull();
      const second = await changes(first);
      assert.deepEqual([fileIn(first).isAgain, fileIn(second).isAgain], [true, true]);
      const shown = listOf([shownPage(handbook.id)]);
      const date = new Date(Date.now() + HOUR).toUTCString();
      answering('/v1/search', () => ({ ...shown, headers: { ...shown.headers, date } }));
      const settled = fileIn(await again(second));
      assert.equal(settled.isAgain, undefined);
      assert.notEqual(settled.version, fileIn(second).version);
    });

    it('reads records again that have the time of the cursor, whatever the clocks say', async () => {
      age(5 * HOUR);
      const { deep, world } = company;
      deep.editedAt = Date.now() - 3 * HOUR;
      const first = await pull();
      deep.title = 'A tie';
      const items = await changes(first);
      assert.deepEqual(
        entitiesOf(items).flatMap(({ type, name }) => (type === 'NotionPage' ? name : [])),
        ['A tie'],
      );
      // Many records of one minute, as after an import, are not read again and again.
      for (const node of world.nodes.values()) node.editedAt = deep.editedAt;
      const many = await changes(await pull());
      const pages = entitiesOf(many).filter(({ type }) => type !== 'NotionComment');
      assert.ok(pages.length > 0 && pages.length <= 10, String(pages.length));
    });

    it('remembers the latest time, also when it reads several pages, and when the latest change is gone', async () => {
      age(HOUR);
      const { guide, settings: may } = company;
      may.largestPage = 1;
      const first = await pull();
      guide.editedAt = Date.now() - 30 * 60_000;
      const second = await changes(first);
      const since = (items: readonly SourceItem[]) =>
        (lastCursor(items) as { since: string }).since;
      assert.equal(since(second), shownTime(guide.editedAt));
      company.unshare(guide);
      assert.equal(since(await changes(second)), since(second));
    });

    it('finds changes that the search shows late', async () => {
      const { deep, settings: may, world } = company;
      age(HOUR);
      const first = await pull();
      may.unindexed.add(deep.id);
      deep.title = 'Late';
      company.guide.editedAt = Date.now() - 60_000;
      // Five minutes before the latest change are just near enough.
      deep.editedAt = company.guide.editedAt - 5 * 60_000;
      const second = await changes(first);
      assert.ok(!ids(second).has(deep.id));
      may.unindexed.clear();
      const third = await changes(second);
      assert.ok(entitiesOf(third).some(({ name }) => name === 'Late'));
      assert.ok(world.nodes.has(deep.id));
    });

    it('keeps what the search does not show and the service still has, and nothing else', async () => {
      age(HOUR);
      const { deep, guide, attic, settings: may, tasks } = company;
      const first = await pull();
      may.unindexed.add(deep.id).add(tasks.id);
      company.trash(attic);
      company.unshare(guide);
      const second = await again(first);
      assert.ok(ids(second).has(tasks.id), 'it is not indexed');
      for (const gone of [guide, attic, deep]) assert.ok(!ids(second).has(gone.id), gone.title);
      assert.deepEqual(parts(second, 'lost'), []);
      // A later pull does not ask for them again.
      asked();
      await again(second);
      assert.ok(!asked().some((one) => one.includes(guide.id) || one.includes(attic.id)));
    });

    it('removes what an incremental pull meets in the trash, with what lies below it', async () => {
      age(HOUR);
      const { handbook, handbookFile } = company;
      const first = await pull();
      assert.ok(ids(first).has(handbookFile.id));
      const gone = {
        ...shownPage(handbook.id),
        in_trash: true,
        last_edited_time: shownTime(Date.now()),
      };
      answering('/v1/search', () => listOf([gone]));
      const items = await changes(first);
      assert.deepEqual(
        itemsOf(items, 'remove').map(({ id }) => id),
        [handbook.id],
      );
      assert.deepEqual(parts(items, 'listed'), [handbook.id, `${handbook.id}/comments`]);
      assert.deepEqual(itemIds(items), []);
      assert.ok(
        !(await unpack((lastCursor(items) as { memory: string }).memory)).known.has(handbook.id),
      );
    });

    it('lists the files and comments of a changed page whole, so that those that are gone are deleted', async () => {
      age(HOUR);
      const { deep, world } = company;
      const first = await pull();
      const [comment] = [...world.comments.values()].filter(({ on }) => on === deep.id);
      const file = must(
        world
          .childrenOf(deep.id)
          .find(
            (one) =>
              one.content(() => ({ url: 'https://a.example', expiry_time: '' })).type === 'file',
          ),
      );
      company.removeComment(must(comment).id);
      company.removeFile(file);
      const items = await changes(first);
      const ofDeep = parts(items, 'listed').filter((part) => part.startsWith(deep.id));
      assert.deepEqual(ofDeep.toSorted(), [deep.id, `${deep.id}/comments`]);
      assert.ok(!ids(items).has(file.id) && !ids(items).has(must(comment).id));
      const third = await changes(items);
      assert.ok(!parts(third, 'listed').includes(deep.id), 'it has none any more');
    });

    it('finds comments that were deleted from a page that has not changed', async () => {
      age(HOUR);
      const { deep, world } = company;
      const first = await pull();
      const comment = must([...world.comments.values()].find(({ on }) => on === deep.id));
      world.comments.delete(comment.id);
      const items = await again(first);
      assert.ok(!ids(items).has(comment.id));
      assert.ok(parts(items, 'listed').includes(`${deep.id}/comments`));
      assert.ok(itemsOf(items, 'stub').some(({ id }) => id === deep.id));
    });

    it('says once that the integration may not read comments, and keeps those that it had', async () => {
      company.settings.readsComments = false;
      const closed = await pull();
      const skipped = itemsOf(closed, 'skip');
      assert.deepEqual(
        skipped.map(({ type, reason }) => [type, reason]),
        [['NotionComment', 'not open to the integration']],
      );
      assert.match(String(skipped[0]?.hint), /Read comments/);
      assert.ok(ids(closed).has(company.deep.id));
      assert.ok(asked().filter((one) => one === 'GET /v1/comments').length <= 3);
      company.settings.readsComments = true;
      age(HOUR);
      const open = await pull();
      company.settings.readsComments = false;
      const { deep, handbook, firstRow } = company;
      const lost = [deep, handbook, firstRow].map(({ id }) => `${id}/comments`);
      const second = await again(open);
      assert.deepEqual(parts(second, 'lost').toSorted(), lost.toSorted());
      assert.ok(!parts(second, 'listed').some((part) => part.endsWith('/comments')));
      company.settings.readsComments = true;
      assert.deepEqual(parts(await again(second), 'lost'), []);
    });

    it('fails only for the page of which a block cannot be read, and reads it by the next full pull', async () => {
      const { deep, world, guide } = company;
      const toggle = must(world.childrenOf(guide.id).find(({ kind }) => kind === 'block'));
      const inner = world.addBlock(toggle.id, block.toggle('More'));
      world.addBlock(inner.id, block.paragraph('inside'));
      age(HOUR);
      for (const [answer, says] of [
        [refused(404, 'object_not_found'), /Could not find it/],
        [refused(403, 'restricted_resource'), /no permission/],
        [
          json(400, { code: 'validation_error', message: 'Block type x is not supported' }),
          /not supported/,
        ],
      ] as const) {
        answering(`/v1/blocks/${inner.id}/children`, () => answer);
        const items = await pull();
        const [failed, ...others] = itemsOf(items, 'fail');
        assert.deepEqual([failed?.id, others], [guide.id, []]);
        assert.match(String(failed?.reason), says);
        assert.deepEqual(parts(items, 'lost'), [guide.id]);
        assert.ok(ids(items).has(deep.id));
        company.peer.fault = () => undefined;
        assert.ok(entitiesOf(await again(items)).some(({ id }) => id === guide.id));
      }
    });

    it('reads a page without a synced block whose original is not shared, and without blocks that the API does not know', async () => {
      const { handbook, deep, world } = company;
      const copy = must(
        world.childrenOf(handbook.id).find((one) => {
          const content = one.content(() => ({ url: '', expiry_time: '' }));
          return content.type === 'synced_block' && content.synced_block.synced_from;
        }),
      );
      answering(`/v1/blocks/${copy.id}/children`, () => refused(404, 'object_not_found'));
      const page = entitiesOf(await pull()).find(({ id }) => id === handbook.id);
      assert.match(must(page).text, /A saying/);
      assert.doesNotMatch(must(page).text, /stands in two pages/);
      company.peer.fault = ({ url }) => {
        if (url.pathname === `/v1/blocks/${deep.id}/children`)
          return listOf([
            { object: 'block', id: 'x/y', type: 'hologram', has_children: true, hologram: {} },
            {
              object: 'block',
              id: 'z',
              type: 'paragraph',
              has_children: false,
              paragraph: { rich_text: [text('known')] },
            },
          ]);
        return url.pathname === '/v1/blocks/x%2Fy/children'
          ? json(400, { code: 'validation_error', message: 'Block type hologram is not supported' })
          : undefined;
      };
      const odd = entitiesOf(await pull()).find(({ id }) => id === deep.id);
      assert.equal(odd?.text, 'known');
    });

    it('ends with blocks that contain themselves', async () => {
      const { deep, guide, handbook } = company;
      const synced = (id: string, from: string | null) => ({
        ...{ object: 'block', id, type: 'synced_block', has_children: true },
        synced_block: { synced_from: from && { type: 'block_id', block_id: from } },
      });
      const said = {
        object: 'block',
        id: 'p',
        type: 'paragraph',
        has_children: false,
        paragraph: { rich_text: [text('once')] },
      };
      const children: Record<string, unknown[]> = {
        [deep.id]: [synced('original', null)],
        original: [said, synced('copy', 'original')],
        copy: [said, synced('copy', 'original')],
        // A page that is its own child, and blocks that are new each time.
        [guide.id]: [
          {
            object: 'block',
            id: guide.id,
            type: 'child_page',
            has_children: true,
            child_page: { title: 'Guide' },
          },
        ],
      };
      let made = 0;
      company.peer.fault = ({ url }) => {
        const [, id = ''] = /^\/v1\/blocks\/([^/]+)\/children$/.exec(url.pathname) ?? [];
        if (id === handbook.id || id.startsWith('endless'))
          return listOf([
            {
              object: 'block',
              id: `endless${made++}`,
              type: 'toggle',
              has_children: true,
              toggle: { rich_text: [text(`level ${made}`)] },
            },
          ]);
        return children[id] && listOf(children[id]);
      };
      const entities = entitiesOf(await pull());
      const textOf = (id: string) => entities.find((one) => one.id === id)?.text;
      assert.equal(textOf(deep.id), 'once');
      assert.equal(textOf(guide.id), 'Guide');
      assert.match(String(textOf(handbook.id)), /level 40/);
      assert.ok(made < 50, String(made));
    });

    it('shows ancestors as far as they are shared, each asked for once, and ends with pages that are above themselves', async () => {
      const { deep, guide, handbook, world } = company;
      guide.isShared = false;
      deep.isShared = true;
      const column = { id: newNotionId(), isAsked: 0 };
      const page = {
        ...shownPage(handbook.id),
        id: newNotionId(),
        parent: { type: 'block_id', block_id: column.id },
      };
      const self = { ...shownPage(handbook.id), id: newNotionId() };
      const orphan = { ...shownPage(deep.id), parent: { type: 'page_id', page_id: guide.id } };
      const strange = {
        ...shownPage(deep.id),
        id: newNotionId(),
        parent: { type: 'galaxy_id', galaxy_id: 'x' },
      };
      company.peer.fault = ({ url }) => {
        if (url.pathname === '/v1/search')
          return listOf([
            { ...page, id: newNotionId() },
            page,
            { ...self, parent: { type: 'page_id', page_id: self.id } },
            orphan,
            strange,
          ]);
        if (/\/children$|comments$/.test(url.pathname)) return listOf([]);
        if (url.pathname !== `/v1/blocks/${column.id}`) return undefined;
        column.isAsked++;
        return json(200, {
          object: 'block',
          id: column.id,
          type: 'column',
          parent: { type: 'page_id', page_id: handbook.id },
        });
      };
      const entities = entitiesOf(await pull());
      const crumbs = (id: string) =>
        entities.find((one) => one.id === id)?.breadcrumbs?.map(({ name }) => name);
      assert.deepEqual(crumbs(page.id), ['Handbook']);
      assert.equal(column.isAsked, 1);
      assert.deepEqual(crumbs(self.id), ['Handbook']);
      assert.deepEqual([crumbs(deep.id), crumbs(strange.id)], [[], []]);
      assert.ok(world.nodes.size > 0);
    });

    it('shows the new place of what lies below a page that was renamed or moved', async () => {
      age(HOUR);
      const { deep, guide, attic, world } = company;
      const first = await pull();
      guide.title = 'Manual';
      guide.parent = attic.id;
      world.touch(guide);
      const items = await again(first);
      const stub = must(itemsOf(items, 'stub').find(({ id }) => id === deep.id));
      const before = must(itemsOf(await again(first), 'stub').find(({ id }) => id === deep.id));
      assert.equal(stub.version, before.version);
      const [read] = await hydrated([stub]);
      assert.deepEqual(
        read?.kind === 'upsert' && read.entity.breadcrumbs?.map(({ name }) => name),
        ['Attic', 'Manual'],
      );
      const old = must(entitiesOf(first).find(({ id }) => id === deep.id));
      assert.deepEqual(
        old.breadcrumbs?.map(({ name }) => name),
        ['Handbook', 'Guide of the weir'],
      );
    });

    it('goes on at a bookmark without what it has yielded, and ends with the same cursor', async () => {
      age(HOUR);
      company.settings.largestPage = 4;
      const whole = await pull();
      const marks = itemsOf(whole, 'bookmark');
      assert.ok(marks.length > 2, String(marks.length));
      const { since } = lastCursor(whole) as { since: string };
      for (const { position } of marks) {
        const at = whole.findIndex(
          (item) => item.kind === 'bookmark' && item.position === position,
        );
        const rest = await pull({ bookmark: JSON.parse(JSON.stringify(position)) });
        assert.deepEqual(new Set([...ids(whole.slice(0, at)), ...ids(rest)]), ids(whole));
        const twice = [...ids(whole.slice(0, at))].filter((id) => ids(rest).has(id));
        assert.deepEqual(twice, []);
        assert.equal((lastCursor(rest) as { since: string }).since, since);
        const [known, all] = await Promise.all(
          [rest, whole].map(async (items) =>
            [...(await unpack((lastCursor(items) as { memory: string }).memory)).known].toSorted(),
          ),
        );
        assert.deepEqual(known, all);
      }
    });

    it('meets what moves to the beginning of the list while it reads the rest', async () => {
      age(HOUR);
      const { attic, world } = company;
      let searches = 0;
      company.peer.fault = ({ url }) => {
        // The oldest record is the last of the list.
        attic.editedAt = searches > 1 ? attic.editedAt : 0;
        if (url.pathname === '/v1/search' && searches++ === 1) world.touch(attic);
        return undefined;
      };
      const first = await pull();
      assert.ok(ids(first).has(attic.id));
      searches = 0;
      const second = await again(first);
      assert.ok(ids(second).has(attic.id));
    });

    it('begins an interrupted incremental pull again without what it has stored', async () => {
      age(HOUR);
      const first = await pull();
      const { world } = company;
      for (let i = 0; i < 30; i++)
        world.addPage(`New ${i}`, company.deep.id, { editedAt: Date.now() - 600_000 });
      const items = await changes(first);
      const [mark] = itemsOf(items, 'checkpoint');
      assert.ok(itemsOf(items, 'checkpoint').length > 1);
      assert.equal(
        (must(mark).cursor as { since: string }).since,
        (lastCursor(first) as { since: string }).since,
      );
      const rest = await pull({ cursor: must(mark).cursor });
      assert.ok(ids(rest).size < ids(items).size);
    });
  });

  describe('notion that misbehaves', () => {
    it('refuses in words that lead to the right consequence', async (t) => {
      t.after(skipWaits(100).restore);
      const cases: [PeerAnswer, SourceErrorKind, RegExp][] = [
        [company.refusals.unauthorized, 'auth', /API token is invalid/],
        [must(company.refusals.rateLimited[0]), 'rate_limited', /You have been rate limited/],
        [company.refusals.conflict, 'transient', /Conflict occurred while saving/],
        [company.refusals.serverError, 'transient', /Unexpected error/],
        [company.refusals.badGateway, 'transient', /502/],
        [company.refusals.unavailable, 'transient', /Notion is unavailable/],
        [refused(403, 'restricted_resource'), 'config', /no permission/],
        [json(400, { code: 'validation_error', message: 'No such sort' }), 'fatal', /No such sort/],
        [json(400, { code: 'missing_version', message: 'No version' }), 'fatal', /No version/],
        [listOf([], { results: null }), 'fatal', /unknown form/],
        [json(200, { has_more: false, next_cursor: null }), 'fatal', /unknown form/],
        [listOf([{ object: 'page' }]), 'fatal', /unknown form/],
        [listOf([], { has_more: true }), 'fatal', /unknown form/],
      ];
      for (const [answer, kind, says] of cases) {
        answering('/v1/search', () => answer);
        await assert.rejects(pull(), (error) => {
          assert.ok(error instanceof SourceError, String(error));
          assert.equal(error.kind, kind, error.message);
          assert.match(error.message, says);
          return true;
        });
      }
    });

    it('says that nothing is shared, before and in a sync, and not after everything was taken away', async () => {
      age(HOUR);
      const first = await pull();
      const { world } = company;
      for (const node of world.nodes.values()) if (node.parent === null) company.unshare(node);
      const nothing = { kind: 'config', message: 'Notion shares no page with the integration' };
      await assert.rejects(checkSettings(notion, contextOf(notion, settings())), nothing);
      await assert.rejects(pull(), nothing);
      const later = await again(first);
      assert.deepEqual([itemIds(later), parts(later, 'listed')], [[], ['']]);
    });

    it('forgets a cursor of its search, or names one again', async () => {
      const first = await pull();
      const { position } = must(itemsOf(first, 'bookmark')[0]);
      company.forgetCursors();
      await assert.rejects(pull({ bookmark: position }), { kind: 'outdated' });
      answering('/v1/search', () =>
        listOf([shownPage(company.deep.id)], { has_more: true, next_cursor: 'x' }),
      );
      await assert.rejects(pull(), { kind: 'fatal', message: /lists in circles/ });
      answering(`/v1/blocks/${company.deep.id}/children`, () =>
        listOf([], { has_more: true, next_cursor: 'x' }),
      );
      await assert.rejects(pull(), { kind: 'fatal', message: /lists in circles/ });
    });

    it('sends an empty page in the middle, and records of unknown kinds', async () => {
      let n = 0;
      const answers = [
        listOf([], { has_more: true, next_cursor: 'a' }),
        listOf([{ object: 'canvas', id: 7 }, shownPage(company.deep.id)], {
          has_more: true,
          next_cursor: 'b',
        }),
        listOf([shownPage(company.guide.id)]),
      ];
      answering('/v1/search', () => answers[n++] ?? answers[2]);
      const items = await pull();
      assert.ok(ids(items).has(company.deep.id) && ids(items).has(company.guide.id));
      assert.deepEqual(parts(items, 'listed').includes(''), true);
    });

    it('does not list everything, so nothing is deleted', async () => {
      answering('/v1/search', () =>
        listOf([shownPage(company.deep.id)], {
          request_status: { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' },
        }),
      );
      const items = await pull();
      assert.deepEqual(parts(items, 'lost'), ['']);
      assert.ok(!parts(items, 'listed').includes(''));
      const incomplete = { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' };
      const answers = [
        listOf([shownPage(company.deep.id)], {
          ...{ request_status: incomplete, has_more: true, next_cursor: 'a' },
        }),
        listOf([shownPage(company.guide.id)]),
      ];
      answering('/v1/search', () => answers.shift() ?? listOf([]));
      assert.deepEqual(parts(await pull(), 'lost'), ['']);
    });

    it('shows a record of which the integration may only know the id', async () => {
      const { deep, tasks } = company;
      answering('/v1/search', () =>
        listOf([
          { object: 'page', id: deep.id },
          { object: 'data_source', id: tasks.id, properties: {} },
        ]),
      );
      const skipped = itemsOf(await pull(), 'skip').map(({ id, type, removes }) => [
        id,
        type,
        removes,
      ]);
      assert.deepEqual(skipped, [
        [deep.id, 'NotionPage', 'record'],
        [tasks.id, 'NotionDatabase', 'record'],
      ]);
    });

    it('sends odd times, names and values, and no pull misses a change after them', async () => {
      const { deep, guide } = company;
      const lone = 'Weir \ud800\n\n of  stones';
      const odd = (id: string, last_edited_time: unknown, more: object = {}) => ({
        ...shownPage(deep.id),
        id,
        last_edited_time,
        ...more,
      });
      const records = [
        odd('far', '9999-12-31T23:59:00.000Z', {
          properties: { title: { id: 'title', type: 'title', title: [{ plain_text: lone }] } },
        }),
        odd('no-time', 'yesterday'),
        odd('null', shownTime(Date.now() - HOUR), {
          url: null,
          parent: null,
          properties: null,
          created_by: null,
        }),
        odd(`a/${'b'.repeat(2000)}`, 17),
        odd('old', '0000-01-01T00:00:00.000Z'),
      ];
      company.peer.fault = ({ url }) =>
        url.pathname === '/v1/search'
          ? listOf(records)
          : /children$|comments$/.test(url.pathname)
            ? listOf([])
            : undefined;
      const first = await pull();
      assert.deepEqual(itemsOf(first, 'fail'), []);
      assert.equal(entitiesOf(first).length, records.length);
      const far = must(entitiesOf(first).find(({ id }) => id === 'far'));
      assert.equal(far.name, 'Weir \ud800 of stones');
      assert.equal(far.updatedAt?.getUTCFullYear(), 9999);
      assert.equal(entitiesOf(first).find(({ id }) => id === 'null')?.name, 'Untitled');
      const { since } = lastCursor(first) as { since: string };
      assert.ok(Date.parse(since) <= Date.now(), since);
      company.peer.fault = () => undefined;
      company.world.touch(guide);
      assert.ok(ids(await changes(first)).has(guide.id));
    });

    it('sends a page of 30 MB, which is left out', async () => {
      const { deep } = company;
      const said = { object: 'block', id: 'b', type: 'paragraph', has_children: false };
      const content = { rich_text: [{ type: 'text', plain_text: 'weir '.repeat(6_000_000) }] };
      answering(`/v1/blocks/${deep.id}/children`, () => listOf([{ ...said, paragraph: content }]));
      const items = await pull();
      const skipped = itemsOf(items, 'skip').map(({ id, reason, removes }) => [
        id,
        reason,
        removes,
      ]);
      assert.deepEqual(skipped, [[deep.id, 'with too much text', 'record']]);
      assert.ok(!ids(items).has(deep.id));
    });

    it('no longer has a file that it has just shown', async () => {
      const { handbookFile, world } = company;
      const stubs = itemsOf(await pull(), 'stub').filter(({ id }) => id === handbookFile.id);
      world.nodes.delete(handbookFile.id);
      const [skipped] = itemsOf(await hydrated(stubs), 'skip');
      assert.deepEqual(
        [skipped?.reason, skipped?.detail, skipped?.removes],
        ['not given out by Notion', 'Notion no longer has the file', 'record'],
      );
    });

    it('does not send a file that it shows, whose old text is then not found any more', async () => {
      const { handbookFile, peer } = company;
      const stubs = itemsOf(await pull(), 'stub').filter(({ id }) => id === handbookFile.id);
      assert.equal(stubs.length, 1);
      for (const status of [403, 404, 410]) {
        peer.fault = ({ url }) =>
          url.pathname.startsWith('/secure-files/') ? json(status, { message: 'No.' }) : undefined;
        const [skipped] = itemsOf(await hydrated(stubs), 'skip');
        assert.deepEqual(
          [skipped?.id, skipped?.reason, skipped?.removes],
          [handbookFile.id, 'not given out by Notion', 'record'],
        );
      }
      const wait = { 'retry-after': '3600' };
      peer.fault = ({ url }) =>
        url.pathname.startsWith('/secure-files/') ? json(429, {}, wait) : undefined;
      await assert.rejects(hydrated(stubs), { kind: 'rate_limited' });
    });
  });
});
