/** Tests what is special about Jira: who finds what, what a search does not show, the sites of a sign-in, and odd answers. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Access, Entity } from '../../model/entity.ts';
import { jira } from '../../sources/catalog/jira.ts';
import { checkSettings } from '../../sources/define.ts';
import type { SourceItem } from '../../sources/items.ts';
import { jqlTime } from '../../sources/jira/jql-time.ts';
import { basic, bearer } from '../../sources/kit/sign.ts';
import { must } from '../../util.ts';
import { isFull } from '../tier.ts';
import { adf, adfOfAllKinds } from './atlassian-adf.ts';
import {
  ATLASSIAN_CLOUD_ID,
  ATLASSIAN_EMAIL,
  ATLASSIAN_SCOPED_TOKEN,
  ATLASSIAN_SITE,
} from './atlassian-gate.ts';
import type { AtlassianOddity } from './atlassian-oddities.ts';
import { json } from './cloud-peer.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  membershipsOf,
  type PullOptions,
  pullAll,
} from './harness.ts';
import { type JiraCompany, openJiraCompany } from './jira-company.ts';
import type { JiraHolder } from './jira-records.ts';
import type { JiraRow } from './jira-refusal.ts';

describe('the source of Jira', () => {
  let company: JiraCompany;
  beforeEach(async () => {
    company = await openJiraCompany({ config: (site: string) => ({ site }) });
  });
  afterEach(() => company.peer.close());

  const settings = (config: object = {}) => ({
    config: { ...company.config, ...config },
    credentials: company.credentials,
  });
  const pull = (options: PullOptions = {}, config: object = {}): Promise<SourceItem[]> =>
    pullAll(jira, settings(config), options);
  const found = (items: readonly SourceItem[], id: string): Entity =>
    must(
      entitiesOf(items).find((entity) => entity.id === id),
      `${id} was not found`,
    );
  const accessTo = async (id: string): Promise<Access> => must(found(await pull(), id).access);
  const viewersOf = async (id: string) => (await accessTo(id)).viewers;
  const check = (config: object = {}) => checkSettings(jira, contextOf(jira, settings(config)));
  /** A context of a connection that has signed in by OAuth. */
  const byOAuth = (config: object = {}) => ({
    ...contextOf(jira, { config, credentials: null, operatorBaseUrl: company.peer.baseUrl }),
    authorizer: {
      sign: async ({ url }: { url: URL }) => ({
        url,
        headers: bearer(company.gate.tokens().access_token),
        stamp: null,
      }),
    },
  });
  async function members(): Promise<Map<string, string[]>> {
    const { memberships } = await membershipsOf(jira, settings());
    const groups = Map.groupBy(memberships, ({ group }) => group);
    return new Map([...groups].map(([group, list]) => [group, list.map(({ member }) => member)]));
  }
  const searches = () =>
    company.peer.requests.filter(({ url }) => url.pathname.endsWith('/search/jql'));

  describe('records', () => {
    it('writes a document of all kinds of nodes as Markdown, with mentions by name', async () => {
      const { weir, world, heron } = company;
      weir.description = adfOfAllKinds(world.bob.accountId, 'Everything at once.');
      heron.description = adf.doc(adf.paragraph([adf.mention(world.ann.accountId)]));
      const items = await pull();
      assert.equal(
        found(items, `issue/${weir.id}`).text,
        [
          '## How it flows',
          'Bold and `code` by @Bob\n😄[home](https://acme.example/)2026-01-01in reviewhttps://acme.example/card',
          '- A point\n- Another point',
          '1. First\n2. Second',
          '- [x] Done\n- [ ] Open',
          '```typescript\nconst weir = 1;\n```',
          '> A saying',
          '> A hint',
          'More',
          'Hidden at first',
          '| What | How much |\n| --- | --- |\n| Stones | 12 |',
          'Everything at once.',
        ].join('\n\n'),
      );
      assert.equal(found(items, `issue/${heron.id}`).text, '@Ann');
    });

    it('writes captions, cards that have only a description, and cells that lie over several columns', async () => {
      const { weir } = company;
      const cell = (text: string, colspan?: number) => ({
        type: 'tableCell',
        attrs: { colspan },
        content: [adf.paragraph(text)],
      });
      const row = (...content: object[]) => ({ type: 'tableRow', content });
      const data = { '@type': 'Document', name: 'Plan', url: 'https://acme.example/plan' };
      const media = { type: 'media', attrs: { type: 'file', id: 'm', collection: '' } };
      weir.description = adf.doc(
        {
          type: 'mediaSingle',
          content: [media, { type: 'caption', content: [adf.text('A dam')] }],
        },
        { type: 'blockCard', attrs: { data } },
        {
          type: 'table',
          content: [row(cell('Wide', 2)), row(cell('Left'), cell('Right'))],
        } as never,
      );
      assert.equal(
        found(await pull(), `issue/${weir.id}`).text,
        [
          'A dam',
          'Plan https://acme.example/plan',
          '| Wide |  |\n| --- | --- |\n| Left | Right |',
        ].join('\n\n'),
      );
    });

    it('has what people filter by in fields, and the place of a record', async () => {
      const { weir, stones, heron, plan } = company;
      const items = await pull();
      const { name, url, fields } = found(items, `issue/${weir.id}`);
      assert.deepEqual(
        [name, url],
        [`${weir.key} Mend the weir`, `${ATLASSIAN_SITE}/browse/${weir.key}`],
      );
      assert.deepEqual(
        [fields.labels, fields.due_date, fields.reporter, fields.assignee, fields.links],
        [
          ['water', 'stone'],
          '2026-12-24',
          'ann@acme.example',
          'Bob@Acme.example',
          [`blocks ${heron.key}`],
        ],
      );
      const above = found(items, `issue/${stones.id}`).breadcrumbs?.map(({ id }) => id);
      assert.deepEqual(above, [`project/${company.ops.id}`, `issue/${weir.id}`]);
      const stub = must(itemsOf(items, 'stub').find(({ id }) => id === `attachment/${plan.id}`));
      assert.equal(stub.partition, `${company.ops.id}/${weir.id}`);
    });

    it('forgets the old text and the old readers of an attachment that Jira does not send', async () => {
      const { plan, peer } = company;
      const stubs = itemsOf(await pull(), 'stub').filter(({ type }) => type === 'JiraAttachment');
      assert.ok(stubs.length > 1);
      for (const status of [403, 404]) {
        const message = 'You do not have permission to view this attachment.';
        peer.fault = ({ url }) =>
          url.pathname.endsWith(`/attachment/content/${plan.id}`)
            ? json(status, { errorMessages: [message] })
            : undefined;
        const items: SourceItem[] = [];
        for await (const item of must(jira.hydrate)(contextOf(jira, settings()), stubs))
          items.push(item);
        const [skipped, ...others] = itemsOf(items, 'skip');
        assert.deepEqual(others, []);
        assert.deepEqual(
          [skipped?.id, skipped?.reason, skipped?.removes],
          [`attachment/${plan.id}`, 'not given out by Jira', 'record'],
        );
        assert.match(must(skipped?.detail), /You do not have permission/);
        assert.equal(entitiesOf(items).length, stubs.length - 1);
      }
    });

    it('reads the comments that a search does not show, although their total lies', async () => {
      const { weir, world, settings: fake } = company;
      for (let i = 0; i < 30; i++) world.addComment(weir, `comment ${i}`);
      const expected = world.commentsOf(weir).filter((one) => world.canSeeComment(world.me, one));
      for (const [most, odd] of [
        [2, []],
        [20, ['totals lie']],
      ] as const) {
        fake.mostComments = most;
        fake.odd.clear();
        for (const one of odd) fake.odd.add(one);
        const ids = new Set(entitiesOf(await pull()).map(({ id }) => id));
        for (const { id } of expected) assert.ok(ids.has(`comment/${id}`), `${most}: ${id}`);
      }
    });
  });

  it('reads on behind a page of comments that is shorter than others', async () => {
    const { weir, peer, settings: fake, credentials, world } = company;
    fake.mostComments = 20;
    for (let i = 0; i < 30; i++) world.addComment(weir, `comment ${i}`);
    const { email, api_token } = credentials as { email: string; api_token: string };
    const path = `/rest/api/3/issue/${weir.id}/comment`;
    const answer = await fetch(`${peer.baseUrl}${path}?startAt=0&maxResults=100&orderBy=created`, {
      headers: basic(email, api_token),
    });
    const page = (await answer.json()) as JiraRow;
    page.comments.pop();
    peer.fault = ({ url }) =>
      url.pathname === path && url.searchParams.get('startAt') === '0'
        ? json(200, page)
        : undefined;
    const ids = new Set(entitiesOf(await pull()).map(({ id }) => id));
    for (const one of world.commentsOf(weir))
      if (world.canSeeComment(world.me, one)) assert.ok(ids.has(`comment/${one.id}`), one.id);
  });

  it('asks for the comments of an issue when a search shows none at all', async () => {
    const { weir, ops, peer, settings: fake, credentials } = company;
    fake.largestPage = 100;
    const { email, api_token } = credentials as { email: string; api_token: string };
    const answer = await fetch(
      `${peer.baseUrl}/rest/api/3/search/jql?jql=project%3D${ops.id}&maxResults=100&fields=*all`,
      { headers: basic(email, api_token) },
    );
    const page = (await answer.json()) as JiraRow;
    for (const { fields } of page.issues) delete fields.comment;
    peer.fault = ({ body }) => (body.includes(`project = ${ops.id}`) ? json(200, page) : undefined);
    const ids = entitiesOf(await pull()).map(({ id }) => id);
    const [first] = company.world.commentsOf(weir);
    assert.ok(ids.includes(`comment/${first?.id}`));
  });

  describe('access', () => {
    it('is that of the project: its groups, roles and people', async () => {
      const { weir, heron, ops, web, world } = company;
      const staff = [`group:${world.staff.id}`];
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), staff);
      assert.deepEqual(await viewersOf(`project/${ops.id}`), staff);
      const ofWeb = [
        `group:${world.makers.id}`,
        'user:bob@acme.example',
        'user:quarry@acme.example',
      ];
      assert.deepEqual(await viewersOf(`issue/${heron.id}`), ofWeb);
      web.roles.set('10003', []);
      assert.deepEqual(await viewersOf(`issue/${heron.id}`), ['user:quarry@acme.example']);
    });

    it('of a security level is for those whom both the project and the level name', async () => {
      const { levelled, world, ops, weir } = company;
      assert.deepEqual(await viewersOf(`issue/${levelled.id}`), ['user:quarry@acme.example']);
      const [makersOnly] = must(ops.scheme).levels;
      weir.level = must(makersOnly);
      makersOnly?.holders.push({ type: 'user', value: world.me.accountId });
      // All makers are staff. Gus hides his address, and Cid has left.
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), [
        'user:ann@acme.example',
        'user:quarry@acme.example',
      ]);
      world.makers.members.delete(world.ann.accountId);
      weir.reporter = world.bob;
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), [
        'user:bob@acme.example',
        'user:quarry@acme.example',
      ]);
      world.staff.members.delete(world.bob.accountId);
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), ['user:quarry@acme.example']);
      ops.browse = [{ type: 'applicationRole' }];
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), [
        `group:${world.makers.id}`,
        'user:bob@acme.example',
        'user:quarry@acme.example',
      ]);
    });

    it('is everybody for "public", all people of the site for "any logged-in user", and else the holders', async () => {
      const { weir, world, ops } = company;
      const id = `issue/${weir.id}`;
      const mine: JiraHolder = { type: 'user', value: world.me.accountId };
      const byHolders = (...holders: JiraHolder[]) => {
        ops.browse = [...holders, mine];
        return accessTo(id);
      };
      const me = 'user:quarry@acme.example';
      assert.equal((await byHolders({ type: 'anyone' })).isPublic, true);
      assert.deepEqual(await byHolders({ type: 'applicationRole' }), {
        viewers: ['group:everyone', me],
        isPublic: false,
      });
      const onlyMe = { viewers: [me], isPublic: false };
      assert.deepEqual((await byHolders({ type: 'projectLead' })).viewers, [
        'user:ann@acme.example',
        me,
      ]);
      weir.assignee = world.bob;
      assert.deepEqual((await byHolders({ type: 'assignee' })).viewers, [
        'user:bob@acme.example',
        me,
      ]);
      weir.assignee = world.gus;
      assert.deepEqual(await byHolders({ type: 'assignee' }), onlyMe);
      assert.deepEqual(await byHolders({ type: 'user', value: world.cid.accountId }), onlyMe);
    });

    it('is that of the groups of a product for those who may use it, and nobody’s when these cannot be read', async () => {
      const { weir, world, ops } = company;
      ops.browse = [{ type: 'applicationRole', value: 'jira-software' }];
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), [`group:${world.staff.id}`]);
      assert.ok((await members()).has(`group:${world.staff.id}`));
      const mine: JiraHolder = { type: 'user', value: world.me.accountId };
      ops.browse = [{ type: 'applicationRole', value: 'jira-unknown' }, mine];
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), ['user:quarry@acme.example']);
    });

    it('is read from what a holder shows of its person or group, too', async () => {
      const { weir, world, ops, peer } = company;
      const group = { name: 'Staff', groupId: world.staff.id };
      const holders = [
        { type: 'user', user: { accountId: world.me.accountId, active: true } },
        { type: 'group', parameter: 'Staff', group },
      ];
      const permissions = holders.map((holder) => ({ permission: 'BROWSE_PROJECTS', holder }));
      peer.fault = ({ url }) =>
        url.pathname.endsWith(`/${ops.id}/permissionscheme`)
          ? json(200, { id: 1, name: 'One', permissions })
          : undefined;
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), [
        `group:${world.staff.id}`,
        'user:quarry@acme.example',
      ]);
      const asked = peer.requests.filter(({ url }) => url.pathname.endsWith('/permissionscheme'));
      assert.match(must(asked[0]).url.searchParams.get('expand') ?? '', /user,group/);
    });

    it('of a comment for a role is found by the name of the role, because its id may be missing', async () => {
      const { world, heron, web } = company;
      web.roles.set('10002', [{ type: 'user', value: world.me.accountId }]);
      const { id } = world.addComment(heron, 'Not for all', {
        visibility: { type: 'role', value: '10002', hasNoId: true },
      });
      assert.deepEqual(await viewersOf(`comment/${id}`), ['user:quarry@acme.example']);
    });

    it('of a comment for a role is nobody’s for an account that does not administer the project', async () => {
      const { world, heron, web, peer } = company;
      web.roles.set('10002', [{ type: 'user', value: world.me.accountId }]);
      const { id } = world.addComment(heron, 'Not for all', {
        visibility: { type: 'role', value: '10002' },
      });
      const message = 'You cannot edit the configuration of this project.';
      const isRole = (path: string) => /\/project\/[^/]+\/role/.test(path);
      peer.fault = ({ url }) =>
        isRole(url.pathname) ? json(401, { errorMessages: [message], errors: {} }) : undefined;
      assert.deepEqual(await viewersOf(`comment/${id}`), []);
      // The access token may have ended in the middle of a pull; the question about the account renews it.
      let refusals = 0;
      peer.fault = ({ url }) =>
        isRole(url.pathname) && refusals++ === 0
          ? json(401, { errorMessages: [message] })
          : undefined;
      assert.deepEqual(await viewersOf(`comment/${id}`), ['user:quarry@acme.example']);
      let hasEnded = false;
      peer.fault = ({ url }) => {
        hasEnded ||= isRole(url.pathname);
        return hasEnded
          ? json(401, { errorMessages: ['Client must be authenticated'] })
          : undefined;
      };
      await assert.rejects(viewersOf(`comment/${id}`), { kind: 'auth' });
    });

    it('of a comment for a group or role is for those of them who see the issue', async () => {
      const { world, heron } = company;
      const of = (type: 'group' | 'role', value: string) =>
        world.addComment(heron, 'Not for all', { visibility: { type, value } });
      const forStaff = of('group', world.staff.id);
      assert.deepEqual(await viewersOf(`comment/${forStaff.id}`), [
        'user:ann@acme.example',
        'user:bob@acme.example',
        'user:quarry@acme.example',
      ]);
      company.web.roles.set('10002', [{ type: 'user', value: world.me.accountId }]);
      const forAdministrators = of('role', '10002');
      assert.deepEqual(await viewersOf(`comment/${forAdministrators.id}`), [
        'user:quarry@acme.example',
      ]);
    });

    it('that cannot be read is nobody’s, and so are groups', async () => {
      company.settings.isAdministrator = false;
      for (const { id, access } of entitiesOf(await pull()))
        assert.deepEqual(access, { viewers: [], isPublic: false }, id);
      const groups = [...(await members()).keys()];
      assert.deepEqual(groups, ['group:everyone']);
    });

    it('of a level that cannot be read is nobody’s, and other issues are as before', async () => {
      const { levelled, weir, peer, world } = company;
      peer.fault = ({ url }) =>
        url.pathname.includes('issuesecurity') ? json(403, { errorMessages: ['No'] }) : undefined;
      assert.deepEqual(await viewersOf(`issue/${levelled.id}`), []);
      assert.deepEqual(await viewersOf(`issue/${weir.id}`), [`group:${world.staff.id}`]);
      peer.fault = () => undefined;
      levelled.level = { id: '4711', name: 'Unknown', holders: must(levelled.level).holders };
      assert.deepEqual(await viewersOf(`issue/${levelled.id}`), []);
    });

    it('that changes makes an attachment another one', async () => {
      const { plan, ops } = company;
      const versionOf = async () =>
        itemsOf(await pull(), 'stub').find(({ id }) => id === `attachment/${plan.id}`)?.version;
      const before = await versionOf();
      assert.equal(await versionOf(), before);
      ops.browse.push({ type: 'applicationRole' });
      assert.notEqual(await versionOf(), before);
    });

    it('names the members of the groups that find something, except those who have left', async () => {
      const { world, ops, settings } = company;
      // One of the pages has nobody who is active.
      settings.largestPage = 2;
      const everyone = [
        'user:ann@acme.example',
        'user:bob@acme.example',
        'user:quarry@acme.example',
      ];
      const expected = new Map([
        ['group:everyone', everyone],
        [`group:${world.staff.id}`, everyone],
        [`group:${world.makers.id}`, ['user:ann@acme.example']],
      ]);
      assert.deepEqual(await members(), expected);
      ops.browse = [{ type: 'applicationRole' }];
      expected.delete(`group:${world.staff.id}`);
      assert.deepEqual(await members(), expected);
    });
  });

  describe('the order of what a pull says', () => {
    const idsOf = (items: readonly SourceItem[]) =>
      items.flatMap((item) =>
        item.kind === 'upsert' ? [item.entity.id] : item.kind === 'stub' ? [item.id] : [],
      );

    it('has each part before it is said to be listed, and everything before a checkpoint', async () => {
      const items = await pull();
      for (const [i, item] of items.entries())
        if (item.kind === 'listed')
          for (const later of items.slice(i))
            if (later.kind === 'upsert' || later.kind === 'stub')
              assert.notEqual(later.partition, item.partition);
      assert.equal(items.at(-1)?.kind, 'checkpoint');
      for (const issue of company.world.issues.values()) company.world.touch(issue);
      const next = await pull({ cursor: lastCursor(items) });
      assert.deepEqual([next.at(-1)?.kind, itemsOf(next, 'checkpoint').length], ['checkpoint', 1]);
      assert.ok(idsOf(next).length > 10);
    });

    it('has everything before each bookmark, at which a pull goes on', async () => {
      const items = await pull();
      const marks = items.flatMap((item, i) =>
        item.kind === 'bookmark' ? [{ i, position: item.position }] : [],
      );
      assert.ok(marks.length > 3);
      for (const { i, position } of marks) {
        const rest = await pull({ bookmark: position });
        const met = new Set([...idsOf(items.slice(0, i)), ...idsOf(rest)]);
        assert.deepEqual([...met].toSorted(), idsOf(items).toSorted());
        assert.ok(rest.length < items.length);
      }
    });

    it('has what has changed in a project that was read before an interruption', async () => {
      const { position } = must(itemsOf(await pull(), 'bookmark').at(-1));
      company.ops.name = 'Moats';
      const rest = await pull({ bookmark: position });
      assert.equal(found(rest, `project/${company.ops.id}`).name, 'Moats');
      const next = await pull({ cursor: lastCursor(rest) });
      assert.ok(!idsOf(next).includes(`project/${company.ops.id}`));
    });
  });

  describe('changes', () => {
    it('are found although the index of the search lags behind', async () => {
      const { world, settings: fake, heron, weir } = company;
      world.touch(heron);
      fake.unindexed.set(heron.id, { ...heron, updatedAt: heron.createdAt });
      heron.summary = 'Draw two herons';
      const late = company.addIssue(company.ops, 'Late');
      fake.unindexed.set(late.id, 'missing');
      const first = await pull();
      assert.ok(!entitiesOf(first).some(({ id }) => id === `issue/${late.id}`));
      fake.unindexed.clear();
      const next = await pull({ cursor: lastCursor(first) });
      assert.match(found(next, `issue/${heron.id}`).name, /Draw two herons/);
      found(next, `issue/${late.id}`);
      assert.ok(!entitiesOf(next).some(({ id }) => id === `issue/${weir.id}`));
    });

    it('of the minute of the last pull are met again, in each time zone', async () => {
      const { world, heron } = company;
      for (const timeZone of ['Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati', 'UTC']) {
        world.me.timeZone = timeZone;
        const at = Math.floor(Date.now() / 60_000) * 60_000;
        heron.updatedAt = at - 10 * 60_000;
        found(await pull({ cursor: { at, projects: {} } }), `issue/${heron.id}`);
        heron.updatedAt -= 60_000;
        const ids = entitiesOf(await pull({ cursor: { at, projects: {} } })).map(({ id }) => id);
        assert.ok(!ids.includes(`issue/${heron.id}`), timeZone);
      }
    });

    it('are asked for from a time that is never too late, where clocks change', () => {
      const at = Date.parse('2026-10-25T00:30:40Z');
      assert.equal(jqlTime(at, 'UTC'), '2026-10-25 00:30');
      // Berlin has the time 02:30 twice on this day: before, and an hour later.
      assert.equal(jqlTime(at, 'Europe/Berlin'), '2026-10-25 01:30');
      assert.equal(jqlTime(at, 'America/New_York'), '2026-10-24 20:30');
      assert.equal(jqlTime(at, 'Asia/Kolkata'), '2026-10-25 06:00');
      for (const unknown of ['', 'Mars/Olympus'])
        assert.equal(jqlTime(at, unknown), '2026-10-24 12:30');
    });

    it('that happen during a full listing are in it, as an issue that moves to a project that was listed', async () => {
      const { heron, ops, peer } = company;
      let asked = 0;
      peer.fault = ({ body }) => {
        if (body.includes('project = ') && body.includes(company.web.id) && asked++ === 0)
          company.move(heron, ops);
        return undefined;
      };
      const items = await pull();
      assert.equal(found(items, `issue/${heron.id}`).fields.project_key, 'OPS');
    });

    it('miss no issue when pages shift because issues are edited meanwhile', async () => {
      company.settings.paging = 'numbers';
      const at = Date.now() - 12 * 3_600_000;
      const before = new Set(
        entitiesOf(await pull({ cursor: { at, projects: {} } })).map(({ id }) => id),
      );
      for (let n = 1; n < 5; n++) {
        const from = searches().length;
        company.peer.fault = () => {
          if (searches().length - from === n)
            company.world.touch(must([...company.world.issues.values()][n]));
          return undefined;
        };
        const ids = new Set(
          entitiesOf(await pull({ cursor: { at, projects: {} } })).map(({ id }) => id),
        );
        const missed = [...before].filter((id) => !ids.has(id));
        const touched = [...company.world.issues.values()][n]?.id;
        assert.deepEqual(
          missed.filter((id) => id !== `issue/${touched}`),
          [],
        );
      }
    });

    const count = isFull ? 10_000 : 1_000;
    it(`cost no request for each of ${count} unchanged issues`, async () => {
      const { world, settings: fake, peer } = company;
      fake.largestPage = 100;
      fake.mostComments = 20;
      for (let i = 0; i < count; i++)
        world.addIssue(company.ops, `Issue ${i}`, { updatedAt: 1_767_225_600_000 });
      for (const issue of world.issues.values()) issue.updatedAt = 1_767_225_600_000;
      const from = peer.requests.length;
      const cursor = lastCursor(await pull());
      const whole = peer.requests.length - from;
      // The site, the account, the projects, who may browse both, one level, people, and what changed meanwhile.
      assert.ok(whole <= count / 100 + 15, `${whole} requests`);
      const before = peer.requests.length;
      await pull({ cursor });
      const asked = peer.requests.slice(before).map(({ url }) => url.pathname);
      assert.ok(asked.length <= 5, asked.join('\n'));
    });
  });

  describe('the choice of projects', () => {
    it('is by keys, also by a key that the project had before', async () => {
      const { web, heron, weir, peer } = company;
      const items = await pull({}, { project_keys: ['web', 'NONE'] });
      found(items, `issue/${heron.id}`);
      assert.ok(!entitiesOf(items).some(({ id }) => id === `issue/${weir.id}`));
      assert.deepEqual(
        itemsOf(items, 'fail').map(({ id }) => id),
        ['project/NONE'],
      );
      company.world.touch(weir);
      company.world.touch(heron);
      const next = await pull({ cursor: lastCursor(items) }, { project_keys: ['WEB'] });
      found(next, `issue/${heron.id}`);
      assert.ok(!entitiesOf(next).some(({ id }) => id === `issue/${weir.id}`));
      peer.fault = ({ url }) =>
        url.pathname.endsWith('/project/OLDWEB')
          ? { status: 200, headers: {}, body: JSON.stringify({ id: web.id }) }
          : undefined;
      await check({ project_keys: ['OLDWEB'] });
    });

    it('offers the projects that the account may browse', async () => {
      const asked = { field: 'project_keys', query: '', limit: 50 };
      const options = await must(jira.options)(contextOf(jira, settings()), asked);
      assert.deepEqual(
        options.map(({ value, title }) => [value, title]),
        [
          ['OPS', 'Operations'],
          ['WEB', 'Website'],
        ],
      );
    });

    it('refuses an account that sees nothing, and so deletes nothing', async () => {
      const { ops, web, levelled } = company;
      for (const project of [ops, web]) project.browse = [];
      assert.ok(!company.world.canSee(company.world.me, levelled));
      const refused = { kind: 'config', message: /may not browse any project/ };
      await assert.rejects(check(), refused);
      await assert.rejects(pull(), refused);
      for (const project of [ops, web])
        project.browse = [{ type: 'user', value: company.world.me.accountId }];
      await assert.rejects(pull({}, { project_keys: ['HID'] }), {
        kind: 'config',
        message: /may not browse the projects HID/,
      });
      company.settings.gate.wrongIsAnonymous = true;
      const wrong = { ...settings(), credentials: { ...company.credentials, api_token: 'no' } };
      await assert.rejects(pullAll(jira, wrong), {
        kind: 'auth',
        message: /does not accept the e-mail address and API token/,
      });
    });

    it('keeps the records of a project that disappears before it is listed', async () => {
      const { web, peer } = company;
      peer.fault = ({ body }) => {
        if (body.includes(`project = ${web.id}`)) web.state = 'deleted';
        return undefined;
      };
      const items = await pull();
      assert.deepEqual(
        itemsOf(items, 'lost').map(({ partition }) => partition),
        [web.id],
      );
      assert.ok(itemsOf(items, 'listed').every(({ partition }) => partition !== web.id));
    });
  });

  describe('the sign-in', () => {
    it('by OAuth reads the site that was granted, and the one that was chosen of several', async () => {
      const { gate, weir } = company;
      const pullBy = async (config: object) => {
        const items: SourceItem[] = [];
        for await (const item of must(jira.pull)(byOAuth(config))) items.push(item);
        return items;
      };
      found(await pullBy({}), `issue/${weir.id}`);
      const other = gate.siteWith(['read:jira-work'], 'other', 'https://other.atlassian.net');
      gate.settings.sites.push(other);
      await assert.rejects(checkSettings(jira, byOAuth()), {
        kind: 'config',
        message:
          /several sites: choose one .*acme\.atlassian\.net, https:\/\/other\.atlassian\.net/,
      });
      found(await pullBy({ site: `${ATLASSIAN_SITE}/jira/for-you` }), `issue/${weir.id}`);
      await assert.rejects(checkSettings(jira, byOAuth({ site: 'https://third.atlassian.net' })), {
        kind: 'config',
        message: /has not granted https:\/\/third\.atlassian\.net, but/,
      });
      const asked = { field: 'site', query: '', limit: 9 };
      assert.deepEqual(await must(jira.options)(byOAuth(), asked), [
        { value: ATLASSIAN_SITE, title: 'acme' },
        { value: 'https://other.atlassian.net', title: 'other' },
      ]);
    });

    it('for another product grants no site', async () => {
      const { sites } = company.settings.gate;
      sites.splice(0, 1);
      await assert.rejects(checkSettings(jira, byOAuth()), {
        kind: 'config',
        message: /granted no site with jira/,
      });
    });

    it('names the scopes that are missing, and does without those that only tell who may see an issue', async () => {
      const { needs } = company.settings.gate;
      needs.set('/rest/api/3/project/search', 'read:project:jira');
      await assert.rejects(checkSettings(jira, byOAuth()), {
        kind: 'config',
        message: /lacks one of the scopes read:jira-work, .*scope does not match/,
      });
      needs.clear();
      needs.set('/rest/api/3/project/1', 'read:permission-scheme:jira');
      needs.set('/rest/api/3/users/', 'read:jira-user');
      for await (const item of must(jira.pull)(byOAuth()))
        if (item.kind === 'upsert') assert.deepEqual(item.entity.access?.viewers, []);
    });

    it('[ENT-25] by a token gives the groups of the given site, whatever its answers claim to be', async () => {
      const scope = (context: Parameters<NonNullable<typeof jira.groupScope>>[0]) =>
        must(jira.groupScope)(context);
      const { host } = new URL(company.peer.baseUrl);
      assert.equal(await scope(contextOf(jira, settings())), host);
      assert.equal(await scope(byOAuth({ site: ATLASSIAN_SITE })), new URL(ATLASSIAN_SITE).host);
    });

    it('by a token with scopes goes through the gateway', async () => {
      const site = `${company.peer.baseUrl}/ex/jira/${ATLASSIAN_CLOUD_ID}`;
      const credentials = { email: ATLASSIAN_EMAIL, api_token: ATLASSIAN_SCOPED_TOKEN };
      const account = await checkSettings(jira, contextOf(jira, { config: { site }, credentials }));
      assert.equal(account, ATLASSIAN_EMAIL);
      const elsewhere = site.replace(ATLASSIAN_CLOUD_ID, 'another');
      await assert.rejects(
        checkSettings(jira, contextOf(jira, { config: { site: elsewhere }, credentials })),
        { kind: 'config', message: /there is no Jira for this account/ },
      );
    });
  });

  describe('odd answers', () => {
    const oddly = (...odd: AtlassianOddity[]) => {
      company.settings.odd.clear();
      for (const one of odd) company.settings.odd.add(one);
      return pull();
    };
    const idsOf = (items: readonly SourceItem[]) =>
      items.flatMap((item) =>
        item.kind === 'upsert' ? [item.entity.id] : item.kind === 'stub' ? [item.id] : [],
      );

    it('are refused: a page that is not the last one and names no next one', async () => {
      company.peer.fault = ({ url }) =>
        url.pathname.endsWith('/search/jql') ? json(200, { issues: [], isLast: false }) : undefined;
      await assert.rejects(pull(), { name: 'SourceError' });
      company.peer.fault = ({ url }) =>
        url.pathname.endsWith('/search/jql') ? json(200, { issues: [], isLast: true }) : undefined;
      await pull();
    });

    it('delete no comment: an empty list of many', async () => {
      company.settings.mostComments = 0;
      const answerWith = (page: object) => {
        company.peer.fault = ({ url }) =>
          url.pathname.endsWith('/comment')
            ? json(200, { comments: [], startAt: 0, maxResults: 100, ...page })
            : undefined;
        return pull();
      };
      const end = `/${company.heron.id}`;
      const isIn = ({ partition }: { partition: string }) => partition.endsWith(end);
      const items = await answerWith({ total: 120 });
      assert.ok(itemsOf(items, 'lost').some(isIn));
      assert.ok(!itemsOf(items, 'listed').some(isIn));
      const empty = await answerWith({ total: 0 });
      assert.ok(itemsOf(empty, 'listed').some(isIn));
    });

    for (const odd of ['page without list', 'empty page', 'cursor repeats'] as const)
      it(`are refused: ${odd}`, async () => {
        await assert.rejects(oddly(odd), { name: 'SourceError' });
      });

    for (const odd of [
      'null texts',
      'unknown kinds',
      'lone surrogates',
      'numbers as texts',
      'totals lie',
      'year 0',
      'year 9999',
    ] as const)
      it(`lose no record: ${odd}`, async () => {
        company.settings.mostComments = 20;
        const right = await pull();
        const items = await oddly(odd);
        assert.deepEqual(idsOf(items).toSorted(), idsOf(right).toSorted());
        for (const { id, name, access } of entitiesOf(items)) {
          assert.ok(name !== '', id);
          // Accounts of an unknown kind are nobody's.
          if (odd !== 'unknown kinds') assert.deepEqual(access, found(right, id).access, id);
        }
        const { heron } = company;
        if (odd === 'unknown kinds')
          assert.equal(
            found(items, `issue/${heron.id}`).text,
            found(right, `issue/${heron.id}`).text,
          );
      });

    it('leave out an issue with too much text, and nothing else', async () => {
      const { heron } = company;
      heron.description = adf.doc(adf.paragraph('long '.repeat(2_100_000)));
      const items = await pull();
      assert.deepEqual(
        itemsOf(items, 'skip').map(({ id }) => id),
        [`issue/${heron.id}`],
      );
    });
  });
});
