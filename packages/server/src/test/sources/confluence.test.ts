/** Tests what is special about the source `confluence`: its requests, its changes, odd answers and refusals. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { confluence } from '../../sources/catalog/confluence.ts';
import { checkSettings } from '../../sources/define.ts';
import type { SourceItem, Stub } from '../../sources/items.ts';
import { must } from '../../util.ts';
import type { AtlassianOddity } from './atlassian-oddities.ts';
import { json } from './cloud-peer.ts';
import { said } from './company-words.ts';
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import { recordId } from './confluence-ids.ts';
import { bodyOf } from './confluence-world.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullAll, pullOf } from './harness.ts';

const HOUR = 3_600_000;
describe('confluence', () => {
  let company: ConfluenceCompany;
  beforeEach(async () => {
    company = await openConfluenceCompany({ recordId, config: (site) => ({ site }) });
    company.settings.largestPage = 250;
  });
  afterEach(() => company.peer.close());

  const pull = (more: Parameters<typeof pullAll>[2] = {}) => pullAll(confluence, company, more);
  const changes = (before: readonly SourceItem[]) => pull({ cursor: lastCursor(before) });
  const ids = (items: readonly SourceItem[]) =>
    new Set(
      items.flatMap((one) => ('id' in one ? [one.id] : 'entity' in one ? [one.entity.id] : [])),
    );
  const stubsIn = (items: readonly SourceItem[], ...types: readonly string[]) =>
    itemsOf(items, 'stub').filter(({ type }) => types.length === 0 || types.includes(type));
  async function hydrated(stubs: readonly Stub[]): Promise<SourceItem[]> {
    const items: SourceItem[] = [];
    for await (const item of must(confluence.hydrate)(contextOf(confluence, company), stubs))
      items.push(item);
    return items;
  }
  /** Returns the paths of the requests since the last call, with the numbers in them left out. */
  let counted = 0;
  function asked(): string[] {
    const { requests } = company.peer;
    const paths = requests
      .slice(counted)
      .map(({ method, url }) => `${method} ${url.pathname.replaceAll(/\b\d{4,}\b/g, 'N')}`);
    counted = requests.length;
    return paths;
  }
  /** Everything was changed at least this long ago. */
  function age(ms: number): void {
    const { contents, comments, attachments } = company.world;
    for (const one of [...contents.values(), ...comments.values(), ...attachments.values()])
      one.updatedAt = Date.now() - ms;
  }
  const rejectsAs = (promise: Promise<unknown>, kind: string, says: RegExp) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.match(error.message, says);
      return true;
    });

  describe('the requests of a pull of confluence', () => {
    it('are the pages of the listings for 10,000 unchanged pages, and 5 when it asks for changes', async () => {
      const { world, ops, guide } = company;
      for (let i = world.contents.size; i < 10_000; i++)
        world.add('page', ops, `Page ${i}`, { parent: i % 7 ? guide : null });
      age(HOUR);
      counted = company.peer.requests.length;
      const items = await pull();
      const count = new Map<string, number>();
      for (const path of asked()) count.set(path, (count.get(path) ?? 0) + 1);
      const pages = stubsIn(items, 'ConfluencePage').length;
      assert.ok(pages > 9900);
      const listings = Math.ceil(pages / 250);
      assert.deepEqual(Object.fromEntries(count), {
        'GET /wiki/rest/api/user/current': 2,
        'GET /wiki/api/v2/spaces': 1,
        'GET /wiki/api/v2/spaces/N/permissions': 3,
        'POST /wiki/rest/api/content/N/permission/check': 3,
        'GET /wiki/api/v2/pages': listings,
        // There is one more for the blog posts.
        'GET /wiki/rest/api/content/search': listings + 1,
        'GET /wiki/api/v2/blogposts': 1,
        'GET /wiki/api/v2/footer-comments': 1,
        'GET /wiki/api/v2/inline-comments': 1,
        'GET /wiki/api/v2/attachments': 1,
        // One page is for a few people, of whom two groups are read.
        'GET /wiki/rest/api/group/a1b2c3d4-N/membersByGroupId': 4,
        'POST /wiki/api/v2/users-bulk': 1,
      });
      const changed = await changes(items);
      assert.deepEqual(asked(), [
        'GET /wiki/rest/api/user/current',
        'GET /wiki/api/v2/spaces',
        'GET /wiki/api/v2/pages',
        'GET /wiki/api/v2/blogposts',
        'GET /wiki/rest/api/search',
      ]);
      assert.deepEqual(
        changed.map(({ kind }) => kind),
        ['checkpoint'],
      );
    });

    it('for bodies are one for 25 pages', async () => {
      const stubs = stubsIn(await pull(), 'ConfluencePage');
      counted = company.peer.requests.length;
      const items = await hydrated(stubs);
      assert.equal(entitiesOf(items).length, stubs.length);
      assert.deepEqual(asked(), ['GET /wiki/api/v2/pages', 'POST /wiki/api/v2/users-bulk']);
    });

    it('for several contents or spaces are repeated one by one for those that an answer lacks', async () => {
      const { peer, ops, web } = company;
      const stubs = stubsIn(await pull(), 'ConfluencePage');
      // The document says of several values both that they are repeated and that they are one text with commas.
      peer.fault = ({ url }) => {
        for (const name of ['id', 'keys']) {
          const [first, ...others] = url.searchParams.getAll(name);
          if (first !== undefined && others.length > 0) url.searchParams.set(name, first);
        }
        return undefined;
      };
      assert.equal(entitiesOf(await hydrated(stubs)).length, stubs.length);
      const config = { ...company.config, spaces: [ops.key, web.key] };
      const chosen = entitiesOf(await pullAll(confluence, { ...company, config }));
      assert.deepEqual(
        new Set(chosen.map(({ id }) => id)),
        new Set([ops, web].map(({ id }) => `space/${id}`)),
      );
    });
  });

  describe('records of confluence', () => {
    it('have their place, their people by name, and their text', async () => {
      const { handbook, guide, stones, question, remark, plan, world } = company;
      handbook.title = 'Handbook\nof the "weir" שלום';
      world.touch(handbook);
      const found = new Map(
        entitiesOf(await hydrated(stubsIn(await pull()))).map((one) => [one.id, one]),
      );
      const page = must(found.get(`page/${stones.id}`));
      assert.deepEqual(
        page.breadcrumbs?.map(({ name }) => name),
        ['Operations', handbook.title, guide.title],
      );
      const first = must(found.get(`page/${handbook.id}`));
      assert.match(must(first.html), /@Bob Ó Ríordáin/);
      assert.match(must(first.url), /^https:\/\/acme\.atlassian\.net\/wiki\/spaces\/OPS\/pages\//);
      assert.deepEqual(first.fields, {
        space: 'Operations',
        space_key: 'OPS',
        author: 'Ann',
        edited_by: 'Ann',
        labels: ['water', 'stone'],
        version: handbook.version,
      });
      const answer = must([...world.comments.values()].find(({ parent }) => parent === question));
      const reply = must(found.get(`comment/${answer.id}`));
      assert.deepEqual(
        reply.breadcrumbs?.map(({ id }) => id),
        [`space/${handbook.space.id}`, `page/${handbook.id}`, `comment/${question.id}`],
      );
      assert.equal(reply.fields.page, handbook.title);
      const inline = must(found.get(`comment/${remark.id}`));
      assert.deepEqual([inline.fields.kind, inline.fields.resolution], ['inline', 'resolved']);
      assert.match(inline.name, /“weir”/);
      const file = must(found.get(`attachment/${plan.id}`));
      assert.equal(await readFile(must(file.file).path, 'utf8'), plan.content);
      for (const { file: one } of found.values()) if (one) await rm(one.path);
    });

    it('are no longer found with their old text and old readers when Confluence does not send their file', async () => {
      const { plan, peer } = company;
      const stubs = stubsIn(await pull(), 'ConfluenceAttachment');
      assert.ok(stubs.length > 1);
      for (const status of [403, 404]) {
        peer.fault = ({ url }) =>
          url.pathname.endsWith(`/child/attachment/${plan.id}/download`)
            ? json(status, { statusCode: status, message: 'The file is not sent.' })
            : undefined;
        const items = await hydrated(stubs);
        const [skipped, ...others] = itemsOf(items, 'skip');
        assert.deepEqual(others, []);
        assert.deepEqual(
          [skipped?.id, skipped?.reason, skipped?.removes],
          [`attachment/${plan.id}`, 'not given out by Confluence', 'record'],
        );
        assert.match(must(skipped?.detail), /The file is not sent/);
        assert.equal(entitiesOf(items).length, stubs.length - 1);
      }
    });

    it('have the address of the place where they were listed, also when they move before they are read', async () => {
      const { stones, ops, web } = company;
      const listed = must(stubsIn(await pull()).find((one) => one.id === `page/${stones.id}`));
      company.move(stones, web);
      const [read] = entitiesOf(await hydrated([listed]));
      assert.match(must(read).url ?? '', new RegExp(`/spaces/${ops.key}/`));
      assert.equal(must(read).breadcrumbs?.[0]?.id, `space/${ops.id}`);
    });

    it('keep their ids when they are renamed and moved, and are met when they move during a listing', async () => {
      const { stones, ops, web, settings, peer } = company;
      const id = `page/${stones.id}`;
      const before = must(stubsIn(await pull()).find((one) => one.id === id));
      stones.title = 'Rocks';
      company.move(stones, web);
      const moved = must(stubsIn(await pull()).find((one) => one.id === id));
      assert.deepEqual([before.partition, moved.partition], [ops.id, web.id]);
      assert.equal(must(entitiesOf(await hydrated([moved]))[0]).name, 'Rocks');
      settings.largestPage = 3;
      const all = ids(await pull());
      let listings = 0;
      peer.fault = ({ url }) => {
        if (url.pathname === '/wiki/api/v2/pages' && listings++ % 2) company.move(stones);
        return undefined;
      };
      assert.deepEqual(ids(await pull()), all);
      assert.ok(listings > 3);
    });

    it('leave out what is archived, in the trash or a draft, and what is on it', async () => {
      const { stones, attic, archived, trashed, world } = company;
      company.addComment(stones);
      stones.status = 'archived';
      const found = ids(await pull());
      for (const { id } of [stones, archived, trashed]) assert.ok(!found.has(`page/${id}`));
      assert.ok(!found.has(`space/${attic.id}`));
      for (const { id, on } of [...world.comments.values(), ...world.attachments.values()])
        if (on === stones) assert.ok(!found.has(`comment/${id}`) && !found.has(`attachment/${id}`));
    });
  });

  describe('changes in confluence', () => {
    it('are found at the time at which the last pull began, and before it', async () => {
      const { stones, news, world } = company;
      age(HOUR);
      const began = Date.now();
      const first = await pull();
      const { since } = lastCursor(first) as { since: { contents: number } };
      assert.ok(since.contents < began - 55_000, 'a change that becomes visible late is missed');
      stones.updatedAt = since.contents;
      news.updatedAt = since.contents - 1;
      const found = ids(await changes(first));
      assert.ok(found.has(`page/${stones.id}`), 'a change at the same time is missed');
      assert.ok(!found.has(`blogpost/${news.id}`));
      world.touch(news);
      assert.ok(ids(await changes(first)).has(`blogpost/${news.id}`));
    });

    it('of comments and files are found as soon as the search knows one, also those from before', async () => {
      const { question, remark, plan, world, settings } = company;
      age(3 * HOUR);
      const { since, spaces } = lastCursor(await pull()) as {
        since: { contents: number; below: number };
        spaces: object;
      };
      // The last pull that met a changed comment was two hours ago.
      const cursor = { since: { ...since, below: since.below - 2 * HOUR }, spaces };
      for (const one of [question, plan]) one.updatedAt = cursor.since.below;
      settings.unindexed.add(question.id).add(plan.id);
      const second = await pull({ cursor });
      assert.ok(!ids(second).has(`comment/${question.id}`));
      const third = await changes(second);
      settings.unindexed.clear();
      const fourth = await changes(third);
      assert.ok(ids(fourth).has(`comment/${question.id}`));
      assert.ok(ids(fourth).has(`attachment/${plan.id}`));
      assert.ok(!ids(fourth).has(`comment/${remark.id}`));
      world.touch(remark);
      assert.ok(ids(await changes(fourth)).has(`comment/${remark.id}`));
    });

    it('of comments and files are found when the first page of the search is empty', async () => {
      const { remark, world, peer } = company;
      age(3 * HOUR);
      const first = await pull();
      world.touch(remark);
      const base = `${peer.baseUrl}/wiki`;
      peer.fault = ({ url }) => {
        if (url.pathname !== '/wiki/rest/api/search') return undefined;
        const next = '/rest/api/search?cql=x&limit=1&cursor=second';
        return url.searchParams.get('cursor') === null
          ? json(200, { results: [], _links: { base, next } })
          : json(200, { results: [{ lastModified: new Date().toISOString() }], _links: { base } });
      };
      assert.ok(ids(await changes(first)).has(`comment/${remark.id}`));
    });

    it('are found on all pages of their listing', async () => {
      const { contents } = company.world;
      company.settings.largestPage = 2;
      age(HOUR);
      const first = await pull();
      for (const one of contents.values()) one.updatedAt = Date.now();
      assert.deepEqual(
        ids(stubsIn(await changes(first))),
        ids(stubsIn(first, 'ConfluencePage', 'ConfluenceBlogPost')),
      );
    });

    it('of a space are found, and a new one is read whole when it has been there before', async () => {
      const { ops, web, hidden, world } = company;
      age(HOUR);
      const first = await pull();
      ops.description = 'Changed';
      assert.deepEqual(
        entitiesOf(await changes(first)).map(({ id, text }) => [id, text]),
        [[`space/${ops.id}`, 'Changed']],
      );
      const added = world.addSpace('NEW', 'New', { createdAt: Date.now() });
      const page = world.add('page', added, 'First', { updatedAt: Date.now() });
      const found = ids(await changes(first));
      assert.ok(found.has(`space/${added.id}`) && found.has(`page/${page.id}`));
      assert.ok(!found.has(`space/${web.id}`));
      hidden.readers = [...ops.readers];
      await rejectsAs(changes(first), 'outdated', /for the first time/);
    });

    it('are read with pages that are numbered, too, while others are edited', async () => {
      const { settings, peer } = company;
      settings.paging = 'numbers';
      settings.largestPage = 4;
      const all = ids(await pull());
      let n = 0;
      peer.fault = () => {
        if (n++ % 5 === 0) company.edit();
        return undefined;
      };
      const items = await pull();
      peer.fault = () => undefined;
      assert.deepEqual(ids(items), all);
      const later = await changes(items);
      const stubs = new Map(stubsIn([...items, ...later]).map((one) => [one.id, one]));
      const entities = [
        ...entitiesOf([...items, ...later]),
        ...entitiesOf(await hydrated([...stubs.values()])),
      ];
      const texts = new Map<string, string>();
      for (const { id, html, text, file } of entities)
        texts.set(id, file ? await readFile(file.path, 'utf8') : `${text} ${html}`);
      for (const [id, word] of company.expected()) assert.ok(texts.get(id)?.includes(word), id);
      for (const { file } of entities) if (file) await rm(file.path);
    });
  });

  describe('refusals of confluence', () => {
    it('include wrong credentials that are answered as if nobody had asked', async () => {
      const { gate, ops, credentials, peer } = company;
      const before = lastCursor(await pull());
      gate.settings.wrongIsAnonymous = true;
      const wrong = { ...company, credentials: { ...credentials, api_token: 'ended' } };
      const all = [
        () => checkSettings(confluence, contextOf(confluence, wrong)),
        () => pullAll(confluence, wrong),
        () => pullAll(confluence, wrong, { cursor: before }),
      ];
      for (const one of all) await rejectsAs(one(), 'auth', /not permitted to use Confluence/);
      ops.isOpenToAll = true;
      for (const one of all) await rejectsAs(one(), 'auth', /does not accept the credentials/);
      const message = '403 FORBIDDEN "Request rejected because caller cannot access Confluence"';
      peer.fault = () => json(403, { statusCode: 403, message });
      for (const one of all) await rejectsAs(one(), 'auth', /cannot access Confluence/);
    });

    it('in the middle of a pull say nothing about what is gone', async () => {
      const { peer } = company;
      let met = 0;
      peer.fault = ({ url }) =>
        url.pathname.endsWith('/user/current') && met++ === 1
          ? json(200, { type: 'anonymous', displayName: 'Anonymous' })
          : undefined;
      const items: SourceItem[] = [];
      await rejectsAs(
        (async () => {
          for await (const item of pullOf(confluence, company)) items.push(item);
        })(),
        'auth',
        /does not accept/,
      );
      assert.deepEqual([itemsOf(items, 'listed'), itemsOf(items, 'checkpoint')], [[], []]);
      assert.ok(stubsIn(items).length > 20);
    });

    it('name what a person can do', async () => {
      const { peer, gate, ops, web, personal, config, world } = company;
      const check = (settings: object) =>
        checkSettings(confluence, contextOf(confluence, { ...company, config: settings }));
      await rejectsAs(check({ ...config, spaces: ['OPS', 'NO'] }), 'config', /the key NO$/);
      await rejectsAs(check({}), 'config', /the site is missing/);
      const chosen = await pullAll(confluence, {
        ...company,
        config: { ...config, spaces: ['WEB', 'NO'] },
      });
      assert.deepEqual(
        itemsOf(chosen, 'fail').map(({ id }) => id),
        ['space/NO'],
      );
      assert.deepEqual(
        [...new Set(stubsIn(chosen).map(({ partition }) => partition.split('/')[0]))],
        [web.id],
      );
      for (const space of [ops, web, personal])
        space.readers = [{ type: 'user', value: world.bob.accountId }];
      await rejectsAs(check(config), 'config', /sees no space/);
      await rejectsAs(pull(), 'config', /sees no space/);
      assert.ok(gate.settings.needs.size === 0);
      peer.fault = () => json(401, { code: 401, message: 'Unauthorized; scope does not match' });
      await rejectsAs(check(config), 'config', /lacks one of the scopes read:space:confluence,/);
    });

    it('of a listing leave the records of its kind', async () => {
      const { peer, ops } = company;
      peer.fault = ({ url }) =>
        url.pathname.endsWith('/inline-comments')
          ? json(403, { errors: [{ title: 'No' }] })
          : undefined;
      const items = await pull();
      const lost = itemsOf(items, 'lost').map(({ partition }) => partition);
      assert.ok(lost.includes(`${ops.id}/inline`));
      assert.ok(lost.every((one) => one.endsWith('/inline')));
      const { position } = must(itemsOf(items, 'bookmark').at(-1));
      const resumed = await pull({ bookmark: position });
      assert.ok(itemsOf(resumed, 'lost').some(({ partition }) => partition === `${ops.id}/inline`));
      assert.ok(itemsOf(resumed, 'listed').some(({ partition }) => partition === ops.id));
    });

    it('offer the spaces of the site', async () => {
      const request = { field: 'spaces', query: '', limit: 10 };
      const options = await must(confluence.options)(contextOf(confluence, company), request);
      const found = options.map(({ value, title }) => [value, title]);
      assert.deepEqual(found.slice(0, 2), [
        ['OPS', 'Operations'],
        ['WEB', 'Website'],
      ]);
    });
  });

  describe('odd answers of confluence (connectors: bad input)', () => {
    const odd = (...kinds: AtlassianOddity[]) => {
      company.settings.odd.clear();
      for (const kind of kinds) company.settings.odd.add(kind);
    };

    it('without their list, or with a cursor that repeats, end the pull and list nothing', async () => {
      company.settings.largestPage = 3;
      for (const [kind, expected] of [
        ['page without list', 'fatal'],
        ['cursor repeats', 'outdated'],
      ] as const) {
        odd(kind);
        const items: SourceItem[] = [];
        await rejectsAs(
          (async () => {
            for await (const item of pullOf(confluence, company)) items.push(item);
          })(),
          expected,
          /./,
        );
        assert.deepEqual(itemsOf(items, 'listed'), []);
      }
    });

    it('are read as far as they can be', async () => {
      const all = ids(await pull());
      for (const kind of [
        'null texts',
        'unknown kinds',
        'lone surrogates',
        'numbers as texts',
        'year 0',
        'year 9999',
        'totals lie',
      ] as const) {
        odd(kind);
        const items = await pull();
        assert.deepEqual(ids(items), all, kind);
        const entities = entitiesOf([...items, ...(await hydrated(stubsIn(items)))]);
        assert.ok(entities.length > 20, kind);
        for (const { name, file } of entities) {
          assert.ok(name !== '' && name.isWellFormed(), kind);
          if (file) await rm(file.path);
        }
        const cursor = lastCursor(items);
        assert.deepEqual(must(confluence.cursor).parse(JSON.parse(JSON.stringify(cursor))), cursor);
        await pull({ cursor });
      }
    });

    it('that tell the next page in a header alone are read to their end', async () => {
      const all = ids(await pull());
      company.settings.largestPage = 3;
      company.settings.hidesNext = true;
      assert.deepEqual(ids(await pull()), all);
    });

    it('with an empty page in the middle are read to their end, and without a cursor they are not', async () => {
      company.settings.largestPage = 3;
      const all = ids(await pull());
      let met = 0;
      const link = (next: string) => json(200, { results: [], _links: { next } });
      company.peer.fault = ({ url }) =>
        url.pathname === '/wiki/api/v2/pages' && met++ === 0
          ? link('/wiki/api/v2/pages?start=3')
          : undefined;
      await rejectsAs(pull(), 'fatal', /without its cursor/);
      const seen = new Set<string>();
      const cursor = new Set<string>();
      company.peer.fault = ({ url }) => {
        const at = url.searchParams.get('cursor');
        if (at !== null) cursor.add(at);
        return undefined;
      };
      assert.deepEqual(ids(await pull()), all);
      // The page that comes after the first is empty once, and leads to the one that should have come.
      company.peer.fault = ({ url }) => {
        const at = url.searchParams.get('cursor');
        if (url.pathname !== '/wiki/api/v2/pages' || at !== null || seen.has('first'))
          return undefined;
        seen.add('first');
        const [next = ''] = cursor;
        return link(`/wiki/api/v2/pages?cursor=${encodeURIComponent(next)}&limit=250`);
      };
      assert.ok(ids(await pull()).size > 20);
    });

    it('with a page of 30 MB leave out this page only', async () => {
      const { ops, world } = company;
      const text = 'long '.repeat(6_800_000);
      const huge = world.add('page', ops, 'Huge', {
        body: { ...bodyOf(''), storage: `<p>${text}</p>` },
      });
      const other = world.add('page', ops, 'Other', { body: bodyOf(said('herons')) });
      const items = await hydrated(stubsIn(await pull(), 'ConfluencePage'));
      const [left] = itemsOf(items, 'skip');
      assert.deepEqual([left?.id, left?.reason], [`page/${huge.id}`, 'too large']);
      assert.match(
        must(entitiesOf(items).find(({ id }) => id === `page/${other.id}`)?.html),
        /herons/,
      );
    });
  });
});
