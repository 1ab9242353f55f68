/** Tests the fake of Jira by jira.js: the client lists, pages and reads everything in it, and has a schema of each answer. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isNotFoundError } from 'jira.js';
import { must } from '../../util.ts';
import { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL } from './atlassian-gate.ts';
import { askJira, type JiraAsking, refusedWith } from './jira-asking.ts';
import { type JiraCompany, openJiraCompany } from './jira-company.ts';
import type { JiraRow } from './jira-refusal.ts';

describe('the fake of Jira, asked by jira.js', () => {
  let company: JiraCompany;
  let asking: JiraAsking;
  let jira: JiraAsking['jira'];
  const searched = (jql: string, values?: JiraRow) => asking.searched(jql, values);
  const keys = (jql: string) => asking.keys(jql);
  beforeEach(async () => {
    company = await openJiraCompany();
    asking = askJira(company.peer.baseUrl);
    jira = asking.jira;
  });
  afterEach(() => company.peer.close());

  async function textOf(id: string): Promise<string> {
    const content = await jira.issueAttachments.getAttachmentContent({ id });
    return Buffer.from(content as Uint8Array).toString();
  }

  it('shows every word of the company in projects, issues, comments and files, and nothing else', async () => {
    const shown: unknown[] = [await asking.projects()];
    for (const issue of await searched('project in (OPS, WEB) ORDER BY created ASC')) {
      shown.push(issue.fields, await asking.commentsOf(issue.id));
      for (const { id } of issue.fields.attachment) shown.push(await textOf(id));
    }
    const text = JSON.stringify(shown);
    const missing = [...company.expected()].filter(([, word]) => !text.includes(word));
    assert.deepEqual(missing, []);
    assert.doesNotMatch(text, /Nobody else/);
    const listed = (await asking.projects()).map(({ key }) => key);
    assert.deepEqual(listed, ['OPS', 'WEB']);
    const archived = await jira.projects.searchProjects({ status: ['archived'] });
    assert.deepEqual(
      archived.values.map(({ key }) => key),
      ['OLD'],
    );
  });

  it('asks for times in the time zone of the user, in minutes', async () => {
    const { timeZone } = await jira.myself.getCurrentUser();
    assert.equal(timeZone, 'Asia/Kolkata');
    const issue = company.heron;
    issue.updatedAt = Date.parse('2026-02-03T20:15:42.123Z');
    const [shown] = await searched(`key = ${issue.key}`);
    assert.equal(new Date(must(shown).fields.updated).getTime(), issue.updatedAt);
    const has = async (clause: string) =>
      (await keys(`key = ${issue.key} AND ${clause}`)).length > 0;
    assert.equal(await has('updated >= "2026-02-04 01:45"'), true);
    assert.equal(await has('updated >= "2026/02/04 01:46"'), false);
    assert.equal(await has('updated <= "2026-02-04 01:45"'), false);
    assert.equal(await has('updated > "2026-02-04"'), true);
    issue.updatedAt = Date.parse('2026-02-03T20:15:00Z');
    assert.equal(await has('updated >= "2026-02-04 01:45"'), true);
    assert.equal(await has('updated > "2026-02-04 01:45"'), false);
    company.world.me.timeZone = 'UTC';
    assert.equal(await has('updated >= "2026-02-03 20:16"'), false);
    assert.equal(await has('updated >= "2026-02-03 20:15"'), true);
    assert.equal(await has('NOT (updated < -30d OR created < -1h)'), false);
    const refused = refusedWith(400, /Date value .* is invalid/);
    await assert.rejects(keys('updated >= "2026-02-03 20:15:42"'), refused);
  });

  it('orders and pages by tokens, which die, while issues change', async () => {
    const ascending = await searched('project = OPS ORDER BY updated ASC');
    const times = ascending.map(({ fields }) => Date.parse(fields.updated));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(ascending.length > company.settings.largestPage * 2);
    assert.equal(new Set(ascending.map(({ id }) => id)).size, ascending.length);
    const newest = (await searched('project = OPS ORDER BY updated DESC')).map(({ id }) => id);
    assert.deepEqual(
      newest.toReversed(),
      ascending.map(({ id }) => id),
    );
    const byKey = await keys('project = OPS AND key > OPS-2 ORDER BY key DESC');
    const numbers = byKey.map((key) => Number(key.slice(4)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => b - a),
    );
    assert.ok(Math.min(...numbers) === 3);

    const jql = 'project = OPS ORDER BY updated ASC';
    const first = await jira.issueSearch.searchAndReconsileIssuesUsingJql({ jql, maxResults: 2 });
    assert.deepEqual(Object.keys(must(first.issues?.[0])), ['id']);
    const again = { jql, maxResults: 2, nextPageToken: must(first.nextPageToken) };
    const moved = must(company.world.issues.get(must(first.issues?.[0]?.id)));
    company.world.touch(moved);
    const idsOf = async () =>
      (await jira.issueSearch.searchAndReconsileIssuesUsingJql(again)).issues?.map(({ id }) => id);
    assert.deepEqual(
      await idsOf(),
      ascending.slice(2, 4).map(({ id }) => id),
    );
    company.settings.paging = 'numbers';
    assert.deepEqual(
      await idsOf(),
      ascending.slice(3, 5).map(({ id }) => id),
    );
    company.forgetCursors();
    await assert.rejects(idsOf(), refusedWith(400, /다음 페이지/));
  });

  it('keeps the id of an issue that moves, with its subtasks, and finds it by its earlier key', async () => {
    const { weir, stones, web } = company;
    const before = weir.key;
    company.move(weir);
    assert.match(weir.key, /^WEB-/);
    const shown: JiraRow = await jira.issues.getIssue({
      issueIdOrKey: before,
      expand: 'changelog',
    });
    assert.deepEqual([shown.id, shown.key, shown.fields.project.id], [weir.id, weir.key, web.id]);
    assert.deepEqual(shown.fields.subtasks[0].key, stones.key);
    assert.match(shown.fields.subtasks[0].key, /^WEB-/);
    assert.equal(shown.changelog.histories[0].items[0].fromString, before);
    assert.equal(shown.fields.issuelinks[0].outwardIssue.key, company.heron.key);
    assert.ok(!(await keys('project = OPS')).includes(weir.key));
    company.deleteIssue(weir);
    for (const id of [weir.id, stones.id])
      await assert.rejects(jira.issues.getIssue({ issueIdOrKey: id }), isNotFoundError);
  });

  it('shows who may read: roles, groups, permissions and security levels', async () => {
    const { ops, web, world } = company;
    const { permissions = [] } = await jira.projectPermissionSchemes.getAssignedPermissionScheme({
      projectKeyOrId: web.key,
      expand: 'permissions',
    });
    const browse = permissions.filter(({ permission }) => permission === 'BROWSE_PROJECTS');
    assert.deepEqual(
      browse.map(({ holder }) => holder?.type),
      ['projectRole', 'user'],
    );
    const role: JiraRow = await jira.projectRoles.getProjectRole({
      projectIdOrKey: web.id,
      id: Number(browse[0]?.holder?.value),
    });
    const [group, user] = role.actors;
    assert.equal(user.actorUser.accountId, world.bob.accountId);
    const { groupId } = group.actorGroup;
    const members = await asking.numbered((startAt) =>
      jira.groups.getUsersFromGroup({ groupId, startAt }),
    );
    assert.deepEqual(
      members.map(({ displayName, emailAddress }) => [displayName, emailAddress]),
      [
        ['Ann', 'ann@acme.example'],
        ['Gus', undefined],
      ],
    );
    const scheme = await jira.projectPermissionSchemes.getProjectIssueSecurityScheme({
      projectKeyOrId: ops.key,
    });
    const levels = await asking.numbered((startAt) =>
      jira.issueSecurityLevel.getIssueSecurityLevelMembers({
        issueSecuritySchemeId: must(scheme.id),
        startAt,
      }),
    );
    assert.deepEqual(
      levels.map(({ holder }) => holder.type),
      ['group', 'reporter', 'projectRole', 'user'],
    );
    const [levelled] = await searched(`key = ${company.levelled.key}`);
    assert.equal(must(levelled).fields.security.name, 'Readers');
    const { comment } = must((await searched(`key = ${company.weir.key}`))[0]).fields;
    const listed = await asking.commentsOf(company.weir.id);
    assert.deepEqual([comment.comments.length, comment.total], [2, listed.length]);
    assert.ok(listed.length > company.settings.largestPage);
    const [visible] = (await asking.commentsOf(company.weir.id)).filter(
      ({ visibility }) => visibility,
    );
    assert.deepEqual(visible.visibility, {
      type: 'group',
      value: world.staff.name,
      identifier: world.staff.id,
    });
    company.settings.isAdministrator = false;
    await assert.rejects(jira.groups.getUsersFromGroup({ groupId }), refusedWith(403, /administ/i));
    const { permissions: mine }: JiraRow = await jira.permissions.getMyPermissions({
      permissions: 'BROWSE_PROJECTS,ADMINISTER',
    });
    assert.deepEqual(
      [mine.BROWSE_PROJECTS.havePermission, mine.ADMINISTER.havePermission],
      [true, false],
    );
  });

  it('gives files by a redirect to another host, by an address that ends', async () => {
    const { id } = company.plan;
    const authorization = `Basic ${Buffer.from(`${ATLASSIAN_EMAIL}:${ATLASSIAN_API_TOKEN}`).toString('base64')}`;
    const path = `${company.peer.baseUrl}/rest/api/3/attachment/content/${id}`;
    const redirect = await fetch(path, { headers: { authorization }, redirect: 'manual' });
    const location = must(redirect.headers.get('location'));
    assert.deepEqual([redirect.status, new URL(location).origin], [303, company.store.baseUrl]);
    assert.equal((await fetch(location, { headers: { authorization } })).status, 403);
    assert.match(await (await fetch(location)).text(), /It is about/);
    company.endFileAddresses();
    assert.equal((await fetch(location)).status, 403);
    const meta = await jira.issueAttachments.getAttachment({ id });
    assert.deepEqual([meta.filename, meta.mimeType], ['plan.md', 'text/markdown']);
    company.removeAttachment(id);
    await assert.rejects(jira.issueAttachments.getAttachment({ id }), isNotFoundError);
  });
});
