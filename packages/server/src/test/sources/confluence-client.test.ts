/** Tests the fake of Confluence by confluence.js: the client lists, pages and reads everything, and has a schema of each answer. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isNotFoundError } from 'confluence.js';
import { must } from '../../util.ts';
import { askConfluence, type ConfluenceAsking } from './confluence-asking.ts';
import { type ConfluenceCompany, openConfluenceCompany } from './confluence-company.ts';
import type { ConfluenceRow } from './confluence-paging.ts';

describe('the fake of Confluence, asked by confluence.js', () => {
  let company: ConfluenceCompany;
  let asking: ConfluenceAsking;
  let v1: ConfluenceAsking['v1'];
  let v2: ConfluenceAsking['v2'];
  beforeEach(async () => {
    company = await openConfluenceCompany();
    asking = askConfluence(company.peer.baseUrl);
    ({ v1, v2 } = asking);
  });
  afterEach(() => company.peer.close());

  const spaces = () =>
    asking.all((at) => v2.space.getSpaces({ descriptionFormat: 'plain', ...at }));
  const pages = (values: ConfluenceRow = {}) =>
    asking.all((at) => v2.page.getPages({ ...values, ...at }));
  const titles = async (values: ConfluenceRow = {}) =>
    (await pages(values)).map(({ title }) => title);
  const ids = (found: readonly ConfluenceRow[]) => found.map(({ id }) => id);
  async function textOf({ pageId, blogPostId, id }: ConfluenceRow): Promise<string> {
    const file = await v1.contentAttachments.downloadAttatchment({
      id: pageId ?? blogPostId,
      attachmentId: id,
    });
    return Buffer.from(file as Uint8Array).toString();
  }

  for (const bodyFormat of ['storage', 'atlas_doc_format'] as const)
    it(`shows every word of the company as ${bodyFormat}, and nothing else`, async () => {
      const shown: unknown[] = [await spaces(), await pages({ bodyFormat })];
      shown.push(await asking.all((at) => v2.blogPost.getBlogPosts({ bodyFormat, ...at })));
      shown.push(await asking.all((at) => v2.comment.getFooterComments({ bodyFormat, ...at })));
      shown.push(await asking.all((at) => v2.comment.getInlineComments({ bodyFormat, ...at })));
      for (const file of await asking.all((at) => v2.attachment.getAttachments(at)))
        shown.push(await textOf(file));
      const text = JSON.stringify(shown);
      const missing = [...company.expected()].filter(([, word]) => !text.includes(word));
      assert.deepEqual(missing, []);
      assert.doesNotMatch(text, /Nobody else/);
    });

  it('lists spaces of all kinds that the account may read, and pages by status and order', async () => {
    const { ops, web, personal, attic, archived, trashed } = company;
    assert.deepEqual(
      ids(await spaces()),
      [ops, web, personal, attic].map(({ id }) => id),
    );
    const some = await v2.space.getSpaces({
      type: 'global',
      status: 'current',
      keys: ['OPS', 'OLD'],
    });
    assert.deepEqual(
      some.results?.map(({ key }) => key),
      ['OPS'],
    );
    assert.ok((await titles()).includes(archived.title));
    assert.deepEqual(await titles({ status: ['archived'] }), [archived.title]);
    assert.deepEqual(await titles({ status: ['trashed'] }), [trashed.title]);
    const here = await titles({ spaceId: [Number(web.id), Number(personal.id)] });
    const inSpaces = await Promise.all(
      [web, personal].map(({ id }) =>
        asking.all((at) => v2.page.getPagesInSpace({ id: Number(id), ...at })),
      ),
    );
    assert.deepEqual(
      here.toSorted(),
      inSpaces
        .flat()
        .map(({ title }) => title)
        .toSorted(),
    );
    const roots = await v2.page.getPagesInSpace({ id: Number(ops.id), depth: 'root' });
    assert.deepEqual(
      roots.results?.map(({ parentId }) => parentId),
      [null, null],
    );
    const draft = must(
      [...company.world.contents.values()].find(({ status }) => status === 'draft'),
    );
    await assert.rejects(v2.page.getPageById({ id: Number(draft.id) }), isNotFoundError);
    const timesOf = async (sort: string) =>
      (await pages({ sort })).map(({ version }) => Date.parse(version.createdAt));
    const times = await timesOf('modified-date');
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.deepEqual(await timesOf('-modified-date'), times.toReversed());
    assert.deepEqual(await titles({ sort: 'title' }), (await titles()).toSorted());
  });

  it('keeps its pages while people write, and forgets cursors', async () => {
    const before = await pages({ sort: 'modified-date' });
    const read = (values: ConfluenceRow = {}) =>
      v2.page.getPages({ sort: 'modified-date', ...values });
    const first: ConfluenceRow = await read();
    const [, cursor = ''] = /cursor=([^&]*)/.exec(first._links.next) ?? [];
    company.world.touch(must(company.world.contents.get(first.results[0].id)));
    const second: ConfluenceRow = await read({ cursor });
    assert.deepEqual(ids(second.results), ids(before.slice(3, 6)));
    company.settings.paging = 'numbers';
    assert.deepEqual(ids((await read({ cursor })).results ?? []), ids(before.slice(4, 7)));
    company.forgetCursors();
    await assert.rejects(read({ cursor }), /Expected type is Cursor/);
  });

  it('moves pages without a new version, and moves what is below a page that is trashed', async () => {
    const { handbook, guide, stones, ops, web } = company;
    const line = async (id: string) =>
      (await v2.ancestors.getPageAncestors({ id: Number(id) })).results?.map((one) => one.id);
    assert.deepEqual(await line(stones.id), [handbook.id, guide.id]);
    const shown = (id: string) => v2.page.getPageById({ id: Number(id) });
    const before = await shown(guide.id);
    company.move(guide);
    const after = await shown(guide.id);
    assert.deepEqual([before.spaceId, after.spaceId], [ops.id, web.id]);
    assert.deepEqual([after.parentId, after.version], [null, before.version]);
    assert.equal((await shown(stones.id)).spaceId, web.id);
    company.trash(guide);
    assert.equal((await shown(guide.id)).status, 'trashed');
    assert.deepEqual(await line(stones.id), []);
    assert.ok(!(await titles()).includes(guide.title));
    company.world.purge(guide);
    await assert.rejects(shown(guide.id), isNotFoundError);
  });

  it('shows comments with their answers, and goes on without them', async () => {
    const { handbook, question, remark } = company;
    const id = Number(handbook.id);
    const footer = await asking.all((at) => v2.comment.getPageFooterComments({ id, ...at }));
    assert.ok(ids(footer).includes(question.id));
    const answers = (comment: { id: string }) =>
      asking.all((at) => v2.comment.getFooterCommentChildren({ id: Number(comment.id), ...at }));
    const [answer] = await answers(question);
    assert.deepEqual([answer.parentCommentId, answer.pageId], [question.id, undefined]);
    assert.ok(!ids(footer).includes(answer.id));
    const inline = await asking.all((at) =>
      v2.comment.getPageInlineComments({ id, resolutionStatus: ['resolved'], ...at }),
    );
    assert.deepEqual(ids(inline), [remark.id]);
    assert.equal(inline[0].properties.inlineOriginalSelection, 'weir');
    company.removeComment(question);
    await assert.rejects(answers(question), isNotFoundError);
    await assert.rejects(answers(answer), isNotFoundError);
  });

  it('searches what has changed, by minutes in the time zone of the user', async () => {
    const { handbook, attic, restricted, archived, settings } = company;
    handbook.updatedAt = Date.parse('2027-02-03T20:15:00Z');
    const found = async (cql: string, values: ConfluenceRow = {}) =>
      (await asking.searched(cql, values)).map(({ content }) => content.id);
    const has = async (clause: string) =>
      (await found(`id = ${handbook.id} and ${clause}`)).length > 0;
    assert.equal(await has('lastmodified >= "2027-02-04 01:45"'), true);
    assert.equal(await has('lastmodified > "2027-02-04 01:45"'), false);
    assert.equal(await has('lastmodified >= "2027/02/04 01:46"'), false);
    const all = await asking.searched(
      'type in (page, blogpost, comment, attachment) order by lastmodified asc',
      {
        expand: ['content.version'],
      },
    );
    const times = all.map(({ lastModified }) => Date.parse(lastModified));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(all.map(({ content }) => content.id)).size, all.length);
    assert.deepEqual([...new Set(all.map(({ content }) => content.type))].toSorted(), [
      'attachment',
      'blogpost',
      'comment',
      'page',
    ]);
    assert.equal(all.at(-1).content.version.number, handbook.version);
    const everything = await found('type = page');
    assert.ok(everything.includes(restricted.id) && !everything.includes(archived.id));
    const old = `space = ${attic.key} and type = page`;
    assert.deepEqual(
      [await found(old), (await found(old, { includeArchivedSpaces: true })).length],
      [[], 1],
    );
    settings.unindexed.add(handbook.id);
    assert.equal(await has('type = page'), false);
    await assert.rejects(found('lastmodified >= "yesterday"'), /is invalid/);
  });

  it('shows who may read: spaces, groups and restrictions, which hold for what is below', async () => {
    const { web, restricted, below, world } = company;
    const { results = [] } = await v2.spacePermissions.getSpacePermissionsAssignments({
      id: Number(web.id),
    });
    assert.deepEqual(
      results.map(({ principal, operation }) => [principal?.type, operation?.key]),
      [
        ['group', 'read'],
        ['user', 'read'],
      ],
    );
    const read = await v1.contentRestrictions.getRestrictionsForOperation({
      id: restricted.id,
      operationKey: 'read',
      expand: ['restrictions.user', 'restrictions.group'],
    });
    const group = must(read.restrictions?.group?.results[0]);
    assert.deepEqual(
      read.restrictions?.user?.results.map(({ accountId }) => accountId),
      [world.me.accountId],
    );
    const { results: members } = await v1.group.getGroupMembersByGroupId({ groupId: group.id });
    assert.deepEqual(
      members.map(({ email }) => email),
      ['ann@acme.example', '', 'cid@acme.example'],
    );
    const people = await v2.user.createBulkUserLookup({
      body: { accountIds: [world.gus.accountId] },
    });
    assert.deepEqual(
      [people.results?.[0]?.displayName, people.results?.[0]?.email],
      ['Gus', undefined],
    );
    const both = await v1.contentRestrictions.getRestrictions({ id: below.id });
    assert.deepEqual(
      both.results.map(({ operation }) => operation),
      ['read', 'update'],
    );
    company.restrict(restricted);
    for (const { id } of [restricted, below])
      await assert.rejects(v2.page.getPageById({ id: Number(id) }), isNotFoundError);
    assert.ok(!(await titles()).includes(below.title));
  });
});
