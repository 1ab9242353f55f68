/** Tests how the source of Intercom asks for what has changed. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { intercom } from '../../sources/catalog/intercom.ts';
import { apiOf, REGIONS, siteOf } from '../../sources/intercom/regions.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import {
  contextOf,
  itemsOf,
  lastCursor,
  type PullOptions,
  pullAll,
  pullOf,
  testSource,
} from './harness.ts';
import { type IntercomCompany, openIntercomCompany } from './intercom-company.ts';
import { refusedBy, UNAUTHORIZED } from './intercom-peer.ts';

testSource(intercom, async () => {
  const { peer, config, credentials } = await openIntercomCompany();
  return {
    config,
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'token',
        credentials: { access_token: 'no-token' },
        kind: 'auth',
        says: /Access Token Invalid/,
      },
    ],
  };
});

describe('the pull of Intercom', () => {
  let company: IntercomCompany;
  beforeEach(async () => {
    company = await openIntercomCompany();
  });
  afterEach(() => company.peer.close());

  const settings = (config: object = {}) => ({
    config,
    credentials: company.credentials,
    operatorBaseUrl: company.peer.baseUrl,
  });
  const pull = (options: PullOptions = {}, config = {}) =>
    pullAll(intercom, settings(config), options);
  const idsOf = (items: Awaited<ReturnType<typeof pull>>) =>
    [
      ...itemsOf(items, 'stub').map(({ id }) => id),
      ...itemsOf(items, 'upsert').map(({ entity }) => entity.id),
    ].filter((id) => id.startsWith('conversation/') || id.startsWith('ticket/'));
  /** Returns the bodies of the searches with this part of the path, since the request with the number `from`. */
  const searches = (part: string, from = 0) =>
    company.peer.requests
      .slice(from)
      .filter(({ url }) => url.pathname === `/${part}/search`)
      .map(({ body }) => JSON.parse(body));

  it('asks a quiet workspace for its lists only, and for no record', async () => {
    const first = await pull();
    const from = company.peer.requests.length;
    const items = await pull({ cursor: lastCursor(first) });
    const paths = company.peer.requests.slice(from).map(({ url }) => url.pathname);
    assert.deepEqual(idsOf(items), []);
    assert.deepEqual([...new Set(paths)].toSorted(), [
      '/admins',
      '/articles',
      '/conversations/search',
      '/help_center/collections',
      '/tickets/search',
    ]);
    assert.ok(itemsOf(items, 'stub').every(({ isAgain }) => isAgain !== true));
  });

  it('forgets a conversation or an article that it has listed and that is gone, and keeps it when the plan refuses it', async () => {
    const { peer, world } = company;
    world.addArticle();
    const all = itemsOf(await pull(), 'stub');
    const stubs = ['conversation/', 'article/'].map((kind) =>
      must(all.find(({ id }) => id.startsWith(kind))),
    );
    const answers = async (status: number, code: string) => {
      const error = json(status, { type: 'error.list', errors: [{ code, message: 'No.' }] });
      peer.fault = ({ method }) => (method === 'GET' ? error : undefined);
      const left: unknown[] = [];
      for await (const item of must(intercom.hydrate)(contextOf(intercom, settings()), stubs))
        if (item.kind !== 'upsert') left.push([item.kind, item.reason, item.removes]);
      return left;
    };
    assert.deepEqual(
      await answers(404, 'not_found'),
      stubs.map(() => ['skip', 'deleted while they were read', 'record']),
    );
    const refused = await answers(403, 'api_plan_restricted');
    assert.deepEqual(
      refused.map((one) => (one as unknown[])[0]),
      ['fail', 'fail'],
    );
  });

  it('takes a list for ended only where its answers agree', async () => {
    const { house, peer, world } = company;
    Object.assign(house, { largestPage: 150, totalPages: 1 });
    for (let i = 0; i < 60; i++) world.addArticle();
    const ids = itemsOf(await pull(), 'stub').map(({ id }) => id);
    for (const { id } of world.articles.values()) assert.ok(ids.includes(`article/${id}`), id);

    const answerWith = (next: unknown) => {
      peer.fault = ({ url }) =>
        url.pathname === '/conversations/search'
          ? json(200, { conversations: [], pages: { next } })
          : undefined;
    };
    for (const next of ['https://api.intercom.io/next', { starting_after: { id: 1 } }, [1]]) {
      answerWith(next);
      await assert.rejects(pull(), { name: 'SourceError' });
    }
    // The document allows a last page that names no next one in this way.
    for (const next of [null, undefined, { per_page: 2, starting_after: null }]) {
      answerWith(next);
      await pull();
    }
    const from = peer.requests.length;
    peer.fault = ({ url, body }) =>
      url.pathname === '/conversations/search' && !body.includes('starting_after')
        ? json(200, { conversations: [], pages: { next: { starting_after: 7 } } })
        : undefined;
    await pull();
    const asked = searches('conversations', from).map(
      ({ pagination }) => pagination.starting_after,
    );
    assert.deepEqual(asked.slice(0, 2), [undefined, '7']);
  });

  it('finds a record that the search shows only some minutes after its change', async () => {
    const cursor = lastCursor(await pull());
    const { world } = company;
    const tenMinutesBefore = world.now() - 600;
    const late = world.addConversation();
    const ticket = world.addTicket();
    late.updated_at = ticket.updated_at = tenMinutesBefore;
    assert.deepEqual(idsOf(await pull({ cursor })), [
      `conversation/${late.id}`,
      `ticket/${ticket.id}`,
    ]);
  });

  it('reads a record again that has changed within the second of the pull before', async () => {
    const { world } = company;
    const cursor = lastCursor(await pull());
    const [one, other] = [...world.conversations.values()];
    const start = world.now();
    world.change(must(one), start);
    world.change(must(other), start - 1);
    const stubs = itemsOf(await pull({ cursor }), 'stub');
    const isAgain = (id: string) =>
      must(stubs.find((one) => one.id === `conversation/${id}`)).isAgain ?? false;
    assert.deepEqual([isAgain(must(one).id), isAgain(must(other).id)], [true, false]);
  });

  it('reads an article again that has changed within the second of the pull before', async () => {
    const { world } = company;
    const cursor = lastCursor(await pull());
    const [one] = [...world.articles.values()];
    world.change(must(one), world.now());
    const again = itemsOf(await pull({ cursor }), 'stub').filter(({ isAgain }) => isAgain);
    assert.deepEqual(
      again.map(({ id }) => id),
      [`article/${must(one).id}`],
    );
  });

  it('asks for records of one second over the border of a page', async () => {
    const { world } = company;
    const cursor = lastCursor(await pull());
    const at = world.tick();
    const ids = Array.from({ length: 5 }, () => {
      const one = world.addConversation();
      one.updated_at = at;
      return `conversation/${one.id}`;
    });
    assert.deepEqual(idsOf(await pull({ cursor })), ids);
  });

  it('gives a conversation another version when only its parts are more, or its assignee is another', async () => {
    const [one] = [...company.world.conversations.values()];
    const versionOf = async () =>
      must(itemsOf(await pull(), 'stub').find(({ id }) => id === `conversation/${must(one).id}`))
        .version;
    const versions = [await versionOf()];
    must(one).parts.push({ part_type: 'comment', body: '<p>And now?</p>' });
    versions.push(await versionOf());
    must(one).admin_assignee_id = null;
    versions.push(await versionOf());
    assert.equal(new Set(versions).size, 3);
  });

  it('gives the articles in a renamed collection another version', async () => {
    const { world } = company;
    const versions = async () =>
      new Map(itemsOf(await pull(), 'stub').map(({ id, version }) => [id, version]));
    const before = await versions();
    must([...world.collections.values()][0]).name = 'The new handbook';
    const after = await versions();
    const changed = [...after].filter(([id, version]) => before.get(id) !== version);
    const inside = [...world.articles.values()].filter(({ parent }) => parent !== null);
    assert.deepEqual(
      changed.map(([id]) => id).toSorted(),
      inside.map(({ id }) => `article/${id}`).toSorted(),
    );
  });

  it('reads the help center again when its pages shift meanwhile, also when as many records are left', async () => {
    const { world } = company;
    const { articles } = world;
    for (let i = 0; i < 2; i++) world.addArticle();
    let shifts = 0;
    company.peer.fault = ({ url }) => {
      if (url.pathname !== '/articles' || url.searchParams.get('page') !== '2' || shifts === 2)
        return undefined;
      articles.delete(must([...articles.keys()].at(-1)));
      if (++shifts === 2) world.addArticle();
      return undefined;
    };
    const listed = itemsOf(await pull(), 'stub').filter(({ type }) => type === 'IntercomArticle');
    assert.deepEqual(
      listed.map(({ id }) => id).toSorted(),
      [...articles.keys()].map((id) => `article/${id}`),
    );
    assert.equal(shifts, 2);
  });

  it('goes on at its bookmark, and asks for what has changed since the first attempt began', async () => {
    const { world } = company;
    const positions: unknown[] = [];
    for await (const item of pullOf(intercom, settings()))
      if (item.kind === 'bookmark' && positions.push(item.position) === 1) break;
    const start = world.now();
    world.tick();
    const from = company.peer.requests.length;
    const items = await pull({ bookmark: positions[0] });
    assert.notEqual(searches('conversations', from)[0].pagination.starting_after, undefined);
    assert.equal(searches('tickets', from)[0].pagination.starting_after, undefined);
    assert.deepEqual(idsOf(items).length, 4, 'one conversation and three tickets are left');
    assert.deepEqual(lastCursor(items), {
      conversations: start,
      tickets: start,
      help_center: start,
    });
  });

  it('begins no part again that is done', async () => {
    const positions = itemsOf(await pull(), 'bookmark').map(({ position }) => position);
    const from = company.peer.requests.length;
    const items = await pull({ bookmark: positions.at(-1) });
    assert.deepEqual(
      [idsOf(items), searches('conversations', from), searches('tickets', from)],
      [[], [], []],
    );
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      ['help-center'],
    );
  });

  it('bookmarks nothing in an incremental pull, which begins again as a whole', async () => {
    const cursor = { conversations: 0, tickets: 0, help_center: 0 };
    const items = await pull({ cursor });
    assert.deepEqual(itemsOf(items, 'bookmark'), []);
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      ['help-center'],
    );
  });

  it('misses no change of a part that could not be read meanwhile', async () => {
    const { world, house } = company;
    const cursor = lastCursor(await pull());
    house.forbidden.add('tickets').add('articles');
    world.change(must([...world.tickets.values()][0]));
    world.addConversation();
    const items = await pull({ cursor });
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition, error }) => [
        partition,
        /Active subscription needed/.test(error.message),
      ]),
      [
        ['tickets', true],
        ['help-center', true],
      ],
    );
    house.forbidden.clear();
    const again = await pull({ cursor: lastCursor(items) });
    assert.ok(idsOf(again).includes(`ticket/${must([...world.tickets.keys()][0])}`));
    assert.equal(
      (lastCursor(items) as { help_center: number }).help_center,
      (cursor as { help_center: number }).help_center,
    );
  });

  it('reads a part whole that no pull could read so far', async () => {
    const { house } = company;
    house.forbidden.add('tickets');
    const items = await pull();
    house.forbidden.clear();
    const again = await pull({ cursor: lastCursor(items) });
    assert.equal(idsOf(again).filter((id) => id.startsWith('ticket/')).length, 3);
  });

  it('leaves out closed conversations when it is asked to, and takes those out that were closed', async () => {
    const { world } = company;
    const [closed, open] = [...world.conversations.values()];
    must(closed).state = 'closed';
    must(open).state = 'snoozed';
    const config = { exclude_closed_conversations: true };
    const items = await pull({}, config);
    assert.deepEqual(
      itemsOf(items, 'remove').map(({ id }) => id),
      [`conversation/${must(closed).id}`],
    );
    assert.ok(idsOf(items).includes(`conversation/${must(open).id}`));
    assert.ok(!idsOf(items).includes(`conversation/${must(closed).id}`));
    assert.ok(idsOf(await pull()).includes(`conversation/${must(closed).id}`));
  });

  it('shows no names when the app may not read teammates', async () => {
    company.house.forbidden.add('admins');
    const tickets = itemsOf(await pull(), 'upsert').filter(
      ({ partition }) => partition === 'tickets',
    );
    assert.deepEqual(
      tickets.map(({ entity }) => entity.fields.assignee),
      [null, null, null],
    );
  });

  it('waits for no limit when a refusal only tells that there is one', async () => {
    const LEFT = { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '99999999999' };
    company.peer.fault = ({ url }) =>
      url.pathname.startsWith('/tickets') ? refusedBy(403, 'forbidden', 'No', LEFT) : undefined;
    assert.deepEqual(
      itemsOf(await pull(), 'lost').map(({ partition }) => partition),
      ['tickets'],
    );
  });

  it('names the workspace when a token has no person', async () => {
    company.peer.fault = () => json(200, { email: null, app: { name: 'Acme' } });
    const account = must(intercom.account);
    assert.equal(await account(contextOf(intercom, settings())), 'Acme');
  });

  it('ends with the sign-in when the token is refused', async () => {
    company.peer.fault = () => UNAUTHORIZED;
    await assert.rejects(pull(), { kind: 'auth' });
  });

  it('has addresses of each region', () => {
    assert.deepEqual(REGIONS.map(apiOf), [
      'https://api.intercom.io',
      'https://api.eu.intercom.io',
      'https://api.au.intercom.io',
    ]);
    assert.deepEqual(REGIONS.map(siteOf), [
      'https://app.intercom.com',
      'https://app.eu.intercom.com',
      'https://app.au.intercom.com',
    ]);
  });
});
