/** Tests who may find what the source `confluence` copies. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { confluence } from '../../sources/catalog/confluence.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { json, type PeerRequest } from './cloud-peer.ts';
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import { contextOf, entitiesOf, itemsOf, membershipsOf, pullAll } from './harness.ts';

describe('confluence', () => {
  let company: ConfluenceCompany;
  beforeEach(async () => {
    company = await openConfluenceCompany({ config: (site) => ({ site }) });
    company.settings.largestPage = 50;
  });
  afterEach(() => company.peer.close());

  const pull = () => pullAll(confluence, company);
  const placeIn = (items: readonly SourceItem[], id: string) => {
    const stub = must(
      itemsOf(items, 'stub').find((one) => one.id === id),
      `${id} is not listed`,
    );
    return { ...(stub.carry as { place: { access: object } }).place, version: stub.version };
  };
  const accessIn = (items: readonly SourceItem[], id: string) => placeIn(items, id).access;
  const accessOf = async (id: string) => accessIn(await pull(), id);
  const memberships = async () => (await membershipsOf(confluence, company)).memberships;
  /** Refuses the requests whose paths match. */
  const refuse = (path: RegExp, status = 403) => {
    company.peer.fault = ({ url }: PeerRequest) =>
      path.test(url.pathname) ? json(status, { statusCode: status, message: 'No' }) : undefined;
  };
  const NOBODY = { viewers: [], isPublic: false };
  const readersOf = ({ id }: { id: string }) => ({
    viewers: [`group:space/${id}`],
    isPublic: false,
  });

  describe('access to what is in Confluence (connectors: access)', () => {
    it('is that of the space, whose readers are members of a group', async () => {
      const { handbook, ops, web, news, question, plan, world } = company;
      const items = await pull();
      for (const id of [
        `page/${handbook.id}`,
        `blogpost/${news.id}`,
        `comment/${question.id}`,
        `attachment/${plan.id}`,
      ])
        assert.deepEqual(accessIn(items, id), readersOf(ops), id);
      const space = must(entitiesOf(items).find(({ id }) => id === `space/${ops.id}`));
      assert.deepEqual(space.access, readersOf(ops));
      const { staff, makers } = world;
      const all = await memberships();
      const of = (group: string) =>
        all
          .filter((one) => one.group === group)
          .map(({ member }) => member)
          .toSorted();
      assert.deepEqual(of(`group:space/${ops.id}`), [`group:${staff.id}`]);
      assert.deepEqual(of(`group:space/${web.id}`), [
        `group:${makers.id}`,
        'user:quarry@acme.example',
      ]);
      // Gus hides the address, and Cid has left.
      assert.deepEqual(of(`group:${makers.id}`), ['user:ann@acme.example']);
      assert.deepEqual(of(`group:${staff.id}`), [
        'user:ann@acme.example',
        'user:bob@acme.example',
        'user:quarry@acme.example',
      ]);
    });

    it('[ENT-25] has groups of the given site, whatever its answers claim to be', async () => {
      const scope = await must(confluence.groupScope)(contextOf(confluence, company));
      assert.equal(scope, new URL(company.peer.baseUrl).host);
    });

    it('needs the permission of the space and every restriction, of the page and of all pages above it', async () => {
      const { restricted, below, ops, world, guide, stones, handbook } = company;
      const { me, bob, ann, makers, staff } = world;
      const few = {
        viewers: ['user:ann@acme.example', 'user:quarry@acme.example'],
        isPublic: false,
      };
      const items = await pull();
      assert.deepEqual(accessIn(items, `page/${restricted.id}`), few);
      assert.deepEqual(accessIn(items, `page/${below.id}`), few);
      below.restriction = [
        { type: 'user', value: me.accountId },
        { type: 'user', value: bob.accountId },
      ];
      assert.deepEqual(await accessOf(`page/${below.id}`), {
        viewers: ['user:quarry@acme.example'],
        isPublic: false,
      });
      guide.restriction = [{ type: 'group', value: staff.id }];
      company.addComment(stones);
      const again = await pull();
      assert.deepEqual(accessIn(again, `page/${stones.id}`), {
        viewers: [`group:${staff.id}`],
        isPublic: false,
      });
      assert.deepEqual(accessIn(again, `page/${handbook.id}`), readersOf(ops));
      // Who is named in a restriction and may not read the space sees nothing.
      ops.readers = [
        { type: 'group', value: makers.id },
        { type: 'user', value: me.accountId },
      ];
      stones.restriction = [
        { type: 'user', value: bob.accountId },
        { type: 'user', value: ann.accountId },
        { type: 'user', value: me.accountId },
      ];
      const found = await pull();
      const expected = ['user:ann@acme.example', 'user:quarry@acme.example'];
      assert.deepEqual(accessIn(found, `page/${stones.id}`), {
        viewers: expected,
        isPublic: false,
      });
      const onStones = itemsOf(found, 'stub').filter(
        ({ carry }) => (carry as { listed: { pageId?: string } }).listed.pageId === stones.id,
      );
      assert.ok(onStones.length >= 3);
      for (const { id } of onStones)
        assert.deepEqual(accessIn(found, id), { viewers: expected, isPublic: false }, id);
    });

    it('is for the whole world in a space that is open to all, but not below a restriction', async () => {
      const { handbook, restricted, below, ops, world } = company;
      ops.isOpenToAll = true;
      const items = await pull();
      assert.deepEqual(accessIn(items, `page/${handbook.id}`), {
        ...readersOf(ops),
        isPublic: true,
      });
      const few = {
        viewers: [`group:${world.makers.id}`, 'user:quarry@acme.example'],
        isPublic: false,
      };
      assert.deepEqual(accessIn(items, `page/${restricted.id}`), few);
      assert.deepEqual(accessIn(items, `page/${below.id}`), few);
      // Nobody else may read the first page of the space, so nothing says that the space is open to all.
      handbook.restriction = [{ type: 'group', value: world.staff.id }];
      assert.equal(
        entitiesOf(await pull()).some(({ access }) => access?.isPublic),
        false,
      );
    });

    it('is changed by a restriction, a move and a permission, although no page has a new version', async () => {
      const { stones, guide, world, web } = company;
      const id = `page/${stones.id}`;
      const before = placeIn(await pull(), id).version;
      assert.equal(placeIn(await pull(), id).version, before);
      guide.restriction = [{ type: 'group', value: world.staff.id }];
      const restricted = placeIn(await pull(), id).version;
      company.move(stones, web);
      const moved = placeIn(await pull(), id).version;
      web.isOpenToAll = true;
      assert.equal(new Set([before, restricted, moved, placeIn(await pull(), id).version]).size, 4);
    });

    it('includes restrictions of folders between pages', async () => {
      const { world, ops, handbook } = company;
      const folder = world.add('folder', ops, 'Drawer', {
        parent: handbook,
        restriction: [{ type: 'group', value: world.staff.id }],
      });
      const page = world.add('page', ops, 'In the drawer', { parent: folder });
      const place = placeIn(await pull(), `page/${page.id}`) as unknown as {
        above: { name: string; type: string }[];
        access: object;
      };
      assert.deepEqual(place.access, { viewers: [`group:${world.staff.id}`], isPublic: false });
      assert.deepEqual(
        place.above.map(({ name, type }) => [name, type]),
        [
          ['Operations', 'ConfluenceSpace'],
          ['Handbook', 'ConfluencePage'],
          ['Drawer', 'ConfluenceFolder'],
        ],
      );
      refuse(/\/folders\//);
      assert.deepEqual(await accessOf(`page/${page.id}`), NOBODY);
    });

    it('is read to its end when a restriction names more people than an answer shows', async () => {
      const { ops, world, settings } = company;
      settings.largestRestriction = 1;
      const people = [world.ann, world.bob, world.me];
      const page = world.add('page', ops, 'For three', {
        restriction: [
          ...people.map(({ accountId }) => ({ type: 'user', value: accountId }) as const),
          { type: 'group', value: world.makers.id },
        ],
      });
      const { viewers } = (await accessOf(`page/${page.id}`)) as typeof NOBODY;
      settings.largestRestriction = 200;
      assert.deepEqual(await accessOf(`page/${page.id}`), { viewers, isPublic: false });
      assert.ok(viewers.length >= people.length);
    });

    it('is asked for by itself when the search does not know a page yet', async () => {
      const { handbook, ops, restricted, settings } = company;
      settings.unindexed.add(handbook.id).add(restricted.id);
      const items = await pull();
      assert.deepEqual(accessIn(items, `page/${handbook.id}`), readersOf(ops));
      assert.equal((accessIn(items, `page/${restricted.id}`) as typeof NOBODY).viewers.length, 2);
    });

    it("is nobody's when a restriction, a page above or the space cannot be read", async () => {
      const { handbook, stones, settings, guide, ops, news } = company;
      settings.unindexed.add(guide.id);
      refuse(new RegExp(`/content/${guide.id}/restriction`));
      const items = await pull();
      assert.deepEqual(accessIn(items, `page/${guide.id}`), NOBODY);
      assert.deepEqual(accessIn(items, `page/${stones.id}`), NOBODY);
      assert.deepEqual(accessIn(items, `page/${handbook.id}`), readersOf(ops));
      guide.status = 'archived';
      company.peer.fault = ({ url }) =>
        url.pathname === '/wiki/api/v2/pages' && url.searchParams.has('id')
          ? json(200, { results: [], _links: {} })
          : url.pathname === `/wiki/api/v2/pages/${guide.id}`
            ? json(404, { errors: [{ status: 404, code: 'NOT_FOUND', title: 'Not found' }] })
            : undefined;
      assert.deepEqual(await accessOf(`page/${stones.id}`), NOBODY);
      refuse(new RegExp(`/spaces/${ops.id}/permissions`));
      const refused = await pull();
      assert.deepEqual(accessIn(refused, `blogpost/${news.id}`), NOBODY);
      const lost = itemsOf(refused, 'lost').map(({ partition }) => partition);
      assert.ok(lost.includes(ops.id));
      const { memberships, skipped } = await membershipsOf(confluence, company);
      assert.ok(memberships.every(({ group }) => group !== `group:space/${ops.id}`));
      assert.deepEqual(
        skipped.map(({ id, reason }) => [id, reason]),
        [[`space/${ops.id}/readers`, 'whose members are unknown']],
      );
    });

    it('gives nobody what a group that cannot be read would give', async () => {
      const { restricted, world } = company;
      refuse(new RegExp(`/group/${world.makers.id}/`), 404);
      assert.deepEqual(await accessOf(`page/${restricted.id}`), {
        viewers: ['user:quarry@acme.example'],
        isPublic: false,
      });
      const unknown = async () =>
        (await membershipsOf(confluence, company)).skipped.map(({ id }) => id);
      assert.deepEqual(await unknown(), [`group/${world.makers.id}`]);
      company.peer.fault = ({ url }) =>
        url.pathname.includes(`/group/${world.makers.id}/`)
          ? json(401, { code: 401, message: 'Unauthorized; scope does not match' })
          : undefined;
      assert.deepEqual(await unknown(), [`group/${world.makers.id}`]);
      refuse(/\/users-bulk$/);
      assert.deepEqual(await accessOf(`page/${restricted.id}`), NOBODY);
    });
  });
});
