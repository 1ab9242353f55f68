/** Tests how the fake of Confluence refuses and signs in, its files and faults, and how its company changes. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  isAuthError,
  isForbiddenError,
  isNotFoundError,
  isRateLimitError,
  isScopeError,
} from 'confluence.js';
import { must } from '../../util.ts';
import { openContract } from '../contracts/open-contract.ts';
import {
  ATLASSIAN_API_TOKEN,
  ATLASSIAN_CLIENT,
  ATLASSIAN_CLOUD_ID,
  ATLASSIAN_EMAIL,
  ATLASSIAN_SCOPED_TOKEN,
} from './atlassian-gate.ts';
import type { AtlassianOddity } from './atlassian-oddities.ts';
import { askConfluence, type ConfluenceAsking } from './confluence-asking.ts';
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import type { ConfluenceRow } from './confluence-paging.ts';

const HOUR = 3_600_000;
const authorization = `Basic ${Buffer.from(`${ATLASSIAN_EMAIL}:${ATLASSIAN_API_TOKEN}`).toString('base64')}`;

describe('the fake of Confluence', () => {
  let company: ConfluenceCompany;
  let asking: ConfluenceAsking;
  beforeEach(async () => {
    company = await openConfluenceCompany();
    asking = askConfluence(company.peer.baseUrl);
  });
  afterEach(() => company.peer.close());
  const get = (path: string, headers: Record<string, string> = { authorization }) =>
    fetch(`${company.peer.baseUrl}${path}`, { headers, redirect: 'manual' });
  const pagesIn = ({ id }: { id: string }) =>
    asking.all((at) => asking.v2.page.getPagesInSpace({ id: Number(id), ...at }));

  it('tells the next page in the answer and in a header, by a cursor that stands in front', async () => {
    const answer = await get('/wiki/api/v2/pages?limit=2&status=current');
    const { _links } = (await answer.json()) as ConfluenceRow;
    assert.match(_links.next, /^\/wiki\/api\/v2\/pages\?cursor=[\w=-]+&limit=2&status=current$/);
    const link = `<${_links.next}>; rel="next", <${_links.base}>; rel="base"`;
    assert.equal(answer.headers.get('link'), link);
    const next = (await (await get(_links.next)).json()) as ConfluenceRow;
    assert.equal(next.results.length, 2);
    assert.equal((await get('/wiki/api/v2/pages?limit=251')).status, 400);
  });

  it('gives files by a redirect to another host, by an address that ends', async () => {
    const { plan, handbook } = company;
    const { downloadLink } = await asking.v2.attachment.getAttachmentById({ id: plan.id });
    const byApi = `/wiki/rest/api/content/${handbook.id}/child/attachment/${plan.id}/download`;
    for (const path of [`/wiki${downloadLink}`, byApi]) {
      const redirect = await get(path);
      const location = must(redirect.headers.get('location'));
      assert.deepEqual([redirect.status, new URL(location).origin], [302, company.store.baseUrl]);
      assert.equal((await fetch(location, { headers: { authorization } })).status, 403);
      assert.match(await (await fetch(location)).text(), /It is about/);
      company.endFileAddresses();
      assert.equal((await fetch(location)).status, 403);
    }
    company.removeAttachment(plan);
    assert.equal((await get(`/wiki${downloadLink}`)).status, 404);
    const listed = await asking.v2.attachment.getPageAttachments({ id: Number(handbook.id) });
    assert.deepEqual(listed.results, []);
  });

  it('refuses what Confluence refuses, in the form of each version', async () => {
    const { web, hidden, peer, settings, refusals } = company;
    await assert.rejects(pagesIn(hidden), isNotFoundError);
    company.forbidPart();
    await assert.rejects(pagesIn(web), isForbiddenError);
    const byFilter = { spaceId: [Number(web.id)] };
    await assert.rejects(asking.v2.page.getPages(byFilter), isForbiddenError);
    assert.equal((await get('/wiki/rest/api/content?limit=2')).status, 410);
    const wrong = askConfluence(peer.baseUrl, { apiToken: 'wrong' });
    await assert.rejects(wrong.v2.space.getSpaces(), isAuthError);
    settings.gate.wrongIsAnonymous = true;
    await assert.rejects(wrong.v2.space.getSpaces(), isForbiddenError);
    for (const refusal of refusals.rateLimited) {
      peer.fault = () => refusal;
      const wait = (thrown: any) => isRateLimitError(thrown) && thrown.retryAfterMs === HOUR;
      await assert.rejects(asking.v2.space.getSpaces(), wait);
    }
  });

  it('lets apps in at the gateway only, with tokens that rotate', async () => {
    const { peer, gate, plan, handbook } = company;
    const path = `/ex/confluence/${ATLASSIAN_CLOUD_ID}`;
    const { access_token: token, refresh_token } = gate.tokens();
    const app = askConfluence(peer.baseUrl, { token, path });
    assert.equal((await app.v1.users.getCurrentUser()).displayName, 'Quarry');
    const first = await app.v2.space.getSpaces({ limit: 1 });
    assert.match(must(first._links?.next), /^\/wiki\/api\/v2\/spaces\?/);
    await assert.rejects(
      askConfluence(peer.baseUrl, { token }).v1.users.getCurrentUser(),
      isAuthError,
    );
    const headers = { authorization: `Bearer ${token}` };
    const file = `${path}/wiki/download/attachments/${handbook.id}/${plan.name}?version=2&api=v2`;
    assert.equal((await get(file, headers)).status, 401);
    const listed = (await (
      await get('/oauth/token/accessible-resources', headers)
    ).json()) as ConfluenceRow[];
    assert.ok(listed.every(({ id }) => id === ATLASSIAN_CLOUD_ID));
    const scoped = askConfluence(peer.baseUrl, { apiToken: ATLASSIAN_SCOPED_TOKEN, path });
    await scoped.v2.space.getSpaces();
    gate.settings.needs.set('/wiki/rest/api/group', 'read:group:confluence');
    await assert.rejects(app.v1.group.getGroups(), isScopeError);
    const body = JSON.stringify({
      grant_type: 'refresh_token',
      refresh_token,
      ...ATLASSIAN_CLIENT,
    });
    const renew = () =>
      fetch(`${peer.baseUrl}/oauth/token`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
    assert.deepEqual([(await renew()).status, (await renew()).status], [200, 403]);
    gate.settings.acceptsReplaced = true;
    assert.equal((await renew()).status, 200);
    await assert.rejects(app.v1.users.getCurrentUser(), isAuthError);
  });

  it('gives odd answers, which the contract would refuse', async () => {
    const oddly = async (...odd: AtlassianOddity[]): Promise<ConfluenceRow> => {
      company.settings.odd.clear();
      for (const one of odd) company.settings.odd.add(one);
      return (await (await get('/wiki/api/v2/pages?body-format=storage')).json()) as ConfluenceRow;
    };
    const right = await oddly();
    assert.equal((await oddly('page without list')).results, undefined);
    const empty = await oddly('empty page');
    assert.deepEqual([empty.results, typeof empty._links.next], [[], 'string']);
    assert.match((await oddly('cursor repeats'))._links.next, /cursor=the-same&/);
    const firstOf = async (odd: AtlassianOddity) => (await oddly(odd)).results[0];
    assert.equal((await firstOf('null texts')).title, null);
    assert.equal((await firstOf('lone surrogates')).title.at(-1), '\ud800');
    assert.match((await firstOf('year 0')).createdAt, /^0000-/);
    assert.match((await firstOf('year 9999')).version.createdAt, /^9999-/);
    const unknown = await firstOf('unknown kinds');
    assert.match(unknown.body.storage.value, /<ac:unknown/);
    assert.equal(unknown.status, 'never-heard-of');
    assert.equal(typeof (await firstOf('numbers as texts')).id, 'number');
    assert.ok(JSON.stringify(await oddly('huge text')).length > 30 * 2 ** 20);
    assert.deepEqual((await oddly()).results, right.results);
    company.settings.odd.add('totals lie');
    const search = await get('/wiki/rest/api/search?cql=type%3Dpage');
    assert.equal(((await search.json()) as ConfluenceRow).totalSize, 0);
  });

  it('changes as the company does', async () => {
    // All files of a process share the counts, and a test before this one may have left a request without an answer.
    const contracts = [openContract('confluence'), openContract('confluence-v1')];
    const asked = contracts.map(({ counts }) => ({ ...counts }));
    const { expected, web } = company;
    const before = expected();
    for (let i = 0; i < 12; i++) company.edit();
    const changed = [...expected()].filter(([id, word]) => before.get(id) !== word);
    assert.deepEqual([...new Set(changed.map(([id]) => id.split('/')[0]))].toSorted(), [
      'attachment',
      'blogpost',
      'footer',
      'inline',
      'page',
      'space',
    ]);
    assert.deepEqual([...expected().keys()], [...before.keys()]);
    company.shuffle();
    assert.equal(expected().size, before.size + 4);
    for (let i = 0; i < 5; i++) company.remove();
    assert.equal(expected().size, before.size - 1);
    company.removeMany();
    assert.ok(expected().size < before.size - 5);
    company.removePart();
    await assert.rejects(pagesIn(web), isNotFoundError);
    company.forbidPart();
    for (let i = 0; i < 9; i++) company.edit();
    company.add();
    const shown: unknown[] = [];
    for (const bodyFormat of ['storage', 'atlas_doc_format'] as const)
      shown.push(
        await asking.all((at) => asking.v2.page.getPages({ bodyFormat, ...at })),
        await asking.all((at) => asking.v2.blogPost.getBlogPosts({ bodyFormat, ...at })),
        await asking.all((at) => asking.v2.comment.getFooterComments({ bodyFormat, ...at })),
      );
    const text = JSON.stringify(shown);
    const wanted = [...expected()].filter(([id]) => /^(page|blogpost|footer)/.test(id));
    assert.deepEqual(
      wanted.filter(([, word]) => !text.includes(word)),
      [],
    );
    for (const [i, { counts }] of contracts.entries()) {
      const { requests, answers } = must(asked[i]);
      assert.ok(counts.requests > 0);
      assert.equal(counts.answers - answers, counts.requests - requests);
    }
  });
});
