/** Tests how the fake of Jira refuses and signs in, its faults, and how its company changes. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isAuthError, isRateLimitError } from 'jira.js';
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
import { askJira, type JiraAsking, jiraClient, refusedWith } from './jira-asking.ts';
import { type JiraCompany, openJiraCompany } from './jira-company.ts';
import type { JiraRow } from './jira-refusal.ts';

const HOUR = 3_600_000;
const authorization = `Basic ${Buffer.from(`${ATLASSIAN_EMAIL}:${ATLASSIAN_API_TOKEN}`).toString('base64')}`;

describe('the fake of Jira', () => {
  let company: JiraCompany;
  let asking: JiraAsking;
  beforeEach(async () => {
    company = await openJiraCompany();
    asking = askJira(company.peer.baseUrl);
  });
  afterEach(() => company.peer.close());
  const post = (path: string, body: object) =>
    fetch(`${company.peer.baseUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });

  it('refuses what Jira refuses, with its sentences', async () => {
    const { heron, web } = company;
    for (const project of ['HID', 'NONE', 'OLDER'])
      await assert.rejects(
        asking.keys(`project = ${project}`),
        refusedWith(400, /does not exist for the field/),
      );
    await assert.rejects(asking.keys('order by key'), refusedWith(400, /Unbounded/));
    await assert.rejects(
      asking.keys('project = OPS updated'),
      refusedWith(400, /Error in the JQL Query/),
    );
    await assert.rejects(
      asking.jira.projects.getProject({ projectIdOrKey: 'HID' }),
      refusedWith(404, /No project could be found/),
    );
    assert.deepEqual(await asking.keys('project = OLD'), []);
    company.forbidPart();
    await assert.rejects(asking.keys(`project = ${web.key}`), refusedWith(403, /permission/));
    assert.ok((await asking.keys(`key = ${heron.key}`)).length === 1);
    const gone = await fetch(`${company.peer.baseUrl}/rest/api/3/search?jql=a`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${ATLASSIAN_EMAIL}:${ATLASSIAN_API_TOKEN}`).toString('base64')}`,
      },
    });
    assert.equal(gone.status, 410);
    await assert.rejects(
      jiraClient(company.peer.baseUrl, { apiToken: 'wrong' }).myself.getCurrentUser(),
      isAuthError,
    );
    company.settings.gate.wrongIsAnonymous = true;
    const nobody = await jiraClient(company.peer.baseUrl, {
      apiToken: 'wrong',
    }).projects.searchProjects();
    assert.deepEqual([nobody.total, nobody.values], [0, []]);
    await assert.rejects(
      jiraClient(company.peer.baseUrl, { apiToken: 'wrong' }).myself.getCurrentUser(),
      isAuthError,
    );
    for (const refusal of company.refusals.rateLimited) {
      company.peer.fault = () => refusal;
      const wait = (thrown: any) => isRateLimitError(thrown) && thrown.retryAfterMs === HOUR;
      await assert.rejects(asking.projects(), wait);
    }
    company.peer.fault = () => undefined;
  });

  it('lets apps in at the gateway only, with tokens that rotate', async () => {
    const at = `/ex/jira/${ATLASSIAN_CLOUD_ID}`;
    const byToken = (token: string) => jiraClient(company.peer.baseUrl, { token, path: at });
    const { access_token, refresh_token } = company.gate.tokens();
    assert.equal((await byToken(access_token).myself.getCurrentUser()).displayName, 'Quarry');
    const sites = await fetch(`${company.peer.baseUrl}/oauth/token/accessible-resources`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    const listed = (await sites.json()) as JiraRow[];
    assert.deepEqual(
      listed.map(({ id }) => id),
      [ATLASSIAN_CLOUD_ID, ATLASSIAN_CLOUD_ID],
    );
    const grant = { grant_type: 'refresh_token', refresh_token, ...ATLASSIAN_CLIENT };
    const renewed: JiraRow = (await (await post('/oauth/token', grant)).json()) as JiraRow;
    await assert.rejects(byToken(access_token).myself.getCurrentUser(), isAuthError);
    await byToken(renewed.access_token).myself.getCurrentUser();
    const second = await post('/oauth/token', grant);
    assert.deepEqual(
      [second.status, ((await second.json()) as JiraRow).error],
      [403, 'invalid_grant'],
    );
    await jiraClient(company.peer.baseUrl, {
      apiToken: ATLASSIAN_SCOPED_TOKEN,
      path: at,
    }).myself.getCurrentUser();
    await assert.rejects(
      jiraClient(company.peer.baseUrl, {
        apiToken: ATLASSIAN_SCOPED_TOKEN,
      }).myself.getCurrentUser(),
      isAuthError,
    );
    const elsewhere = jiraClient(company.peer.baseUrl, {
      apiToken: ATLASSIAN_SCOPED_TOKEN,
      path: '/ex/jira/another-site',
    });
    await assert.rejects(elsewhere.myself.getCurrentUser(), refusedWith(404, /Not Found/));
    company.settings.gate.needs.set('/rest/api/3/group', 'read:group:jira');
    const refused = refusedWith(401, /scope does not match/);
    await assert.rejects(
      byToken(renewed.access_token).groups.getUsersFromGroup({ groupId: 'a' }),
      refused,
    );
  });

  it('gives odd answers, which the client reports or the contract would refuse', async () => {
    const path = '/rest/api/3/search/jql?jql=project%3DOPS&fields=*all';
    const oddly = async (...odd: AtlassianOddity[]): Promise<JiraRow> => {
      company.settings.odd.clear();
      for (const one of odd) company.settings.odd.add(one);
      const answer = await fetch(`${company.peer.baseUrl}${path}`, { headers: { authorization } });
      return (await answer.json()) as JiraRow;
    };
    const right = await oddly();
    assert.equal((await oddly('page without list')).issues, undefined);
    const empty = await oddly('empty page');
    assert.deepEqual([empty.issues, typeof empty.nextPageToken], [[], 'string']);
    assert.equal((await oddly('cursor repeats')).nextPageToken, 'the same token');
    const fieldsOf = async (odd: AtlassianOddity) => (await oddly(odd)).issues[0].fields;
    assert.equal((await fieldsOf('null texts')).summary, null);
    assert.equal((await fieldsOf('lone surrogates')).summary.at(-1), '\ud800');
    assert.match((await fieldsOf('year 0')).updated, /^0000-/);
    assert.match((await fieldsOf('year 9999')).created, /^9999-/);
    assert.match(JSON.stringify(await fieldsOf('unknown kinds')), /"type":"quarryUnknown"/);
    assert.equal(typeof (await oddly('numbers as texts')).issues[0].id, 'number');
    assert.equal((await fieldsOf('totals lie')).comment.total, 0);
    assert.ok(JSON.stringify(await oddly('huge text')).length > 30 * 2 ** 20);
    assert.deepEqual((await oddly()).issues, right.issues);
    company.settings.odd.add('null texts');
    await assert.rejects(asking.projects(), { name: 'SchemaMismatchError' });
  });

  it('may not show the newest changes in a search', async () => {
    const { heron, settings } = company;
    settings.unindexed.set(heron.id, { ...heron, summary: 'As it was' });
    const [before] = await asking.searched(`key = ${heron.key}`);
    assert.equal(must(before).fields.summary, 'As it was');
    settings.unindexed.set(heron.id, 'missing');
    assert.deepEqual(await asking.keys(`project = WEB AND key = ${heron.key}`), []);
    const values = { reconcileIssues: [Number(heron.id)] };
    const [now] = await asking.searched(`key = ${heron.key}`, values);
    assert.equal(must(now).fields.summary, heron.summary);
  });

  it('changes as the company does', async () => {
    const { expected } = company;
    // All files of a process share the counts, and a test before this one may have left a request without an answer.
    const asked = { ...openContract('jira').counts };
    const before = expected();
    for (let i = 0; i < 10; i++) company.edit();
    const changed = [...expected()].filter(([id, word]) => before.get(id) !== word);
    const kinds = new Set(changed.map(([id]) => id.split('/')[0]));
    assert.deepEqual([...kinds].toSorted(), ['comment', 'issue', 'project']);
    assert.deepEqual([...expected().keys()], [...before.keys()]);
    company.shuffle();
    assert.equal(expected().size, before.size + 3);
    for (let i = 0; i < 4; i++) company.remove();
    assert.ok(expected().size <= before.size - 1);
    company.removeMany();
    const left = expected().size;
    company.removePart();
    assert.ok(expected().size < left);
    assert.deepEqual(
      (await asking.projects()).map(({ key }) => key),
      ['OPS'],
    );
    await assert.rejects(asking.keys('project = WEB'), refusedWith(400, /does not exist/));
    company.forbidPart();
    for (let i = 0; i < 9; i++) company.edit();
    company.add();
    const text = JSON.stringify([
      await asking.searched('project = OPS'),
      await Promise.all(
        (await asking.searched('project = OPS')).map(({ id }) => asking.commentsOf(id)),
      ),
    ]);
    const shown = [...expected()].filter(([id]) => /^(issue|comment)/.test(id));
    assert.deepEqual(
      shown.filter(([, word]) => !text.includes(word)),
      [],
    );
    const { requests, answers } = openContract('jira').counts;
    assert.ok(requests > asked.requests);
    assert.equal(answers - asked.answers, requests - asked.requests);
  });
});
