/** Tests what an incremental pull of Outline asks for, and where an interrupted pull goes on. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { outline } from '../../sources/catalog/outline.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  type PullOptions,
  pullAll,
} from './harness.ts';
import { type OutlineCompany, openOutlineCompany } from './outline-company.ts';

describe('changes in outline', () => {
  let company: OutlineCompany;
  beforeEach(async () => {
    company = await openOutlineCompany();
  });
  afterEach(() => company.peer.close());

  const pull = (options: PullOptions = {}, config: object = {}) =>
    pullAll(
      outline,
      { config: { ...company.config, ...config }, credentials: company.credentials },
      options,
    );
  const idsOf = (items: readonly SourceItem[]) => entitiesOf(items).map(({ id }) => id);
  const removedIn = (items: readonly SourceItem[]) => itemsOf(items, 'remove').map(({ id }) => id);
  const listedIn = (items: readonly SourceItem[]) =>
    itemsOf(items, 'listed').map(({ partition }) => partition);
  const cursorOf = async () => lastCursor(await pull());
  const shown = async (id: string) => entitiesOf(await pull()).find((one) => one.id === id);

  it('are none when nothing has changed, but what has the time of the cursor', async () => {
    const cursor = await cursorOf();
    const before = company.peer.requests.length;
    const items = await pull({ cursor });
    assert.deepEqual(lastCursor(items), cursor);
    assert.equal(
      items.findIndex(({ kind }) => kind === 'checkpoint'),
      items.length - 1,
    );
    const newest = company.world.documents.filter(
      ({ updatedAt }) => updatedAt === (cursor as { documents: string }).documents,
    );
    for (const { id } of newest) assert.ok(idsOf(items).includes(id));
    assert.ok(idsOf(items).length < 8);
    assert.ok(company.peer.requests.length - before < 30);
  });

  it('come with a document of the time of the cursor that is newer than its listing', async () => {
    const cursor = (await cursorOf()) as { documents: string };
    const document = company.world.addDocument(company.lab);
    document.updatedAt = cursor.documents;
    assert.ok(idsOf(await pull({ cursor })).includes(document.id));
  });

  it('end with a cursor that does not go back when the newest records are gone', async () => {
    const { world, guide, letter } = company;
    const cursor = await cursorOf();
    for (const one of [guide, letter]) world.erase(one);
    world.drop(world.comments, world.comments.at(-1));
    assert.deepEqual(lastCursor(await pull({ cursor })), cursor);
    world.comments.length = 0;
    world.documents.length = 0;
    assert.deepEqual(lastCursor(await pull({ cursor })), cursor);
  });

  it('come once although the service answers with the page of another request', async () => {
    const { peer } = company;
    const all = idsOf(await pull());
    const from = peer.requests.length;
    let pages = 0;
    peer.fault = ({ url }, n) =>
      n > from && url.pathname.endsWith('/documents.list') && ++pages === 4 ? 'again' : undefined;
    assert.deepEqual(new Set(idsOf(await pull())), new Set(all));
    assert.ok(pages > 4);
  });

  it('tell of documents that are deleted, archived or no longer published, and of all in them', async () => {
    const { world, guide, chapter, letter } = company;
    const draft = world.addDocument(company.lab, { createdBy: world.people.ann });
    const cursor = await cursorOf();
    world.trash(guide);
    world.archive(letter);
    Object.assign(draft, { publishedAt: null });
    world.touch(draft);
    const items = await pull({ cursor });
    // The chapter is below the guide.
    for (const { id } of [guide, chapter, letter, draft]) {
      assert.ok(removedIn(items).includes(id), id);
      assert.ok(!idsOf(items).includes(id));
      for (const partition of [`comments/${id}`, `files/${id}`]) {
        assert.ok(listedIn(items).includes(partition));
        assert.ok(!itemsOf(items, 'upsert').some((one) => one.partition === partition));
      }
    }
  });

  it('are found without the lists of what is gone, which viewers may not read', async () => {
    const cursor = await cursorOf();
    company.settings.isForbidden = (method) => /archived|deleted/.test(method);
    const document = company.world.addDocument(company.lab);
    assert.ok(idsOf(await pull({ cursor })).includes(document.id));
  });

  it('of one comment list all comments of its document', async () => {
    const { world, guide } = company;
    const cursor = await cursorOf();
    const [first, second, third] = world.comments.filter(
      ({ documentId }) => documentId === guide.id,
    );
    world.drop(world.comments, must(first));
    world.write(must(second));
    const items = await pull({ cursor });
    assert.ok(idsOf(items).includes(must(third).id));
    assert.ok(!idsOf(items).includes(must(first).id));
    assert.ok(listedIn(items).includes(`comments/${guide.id}`));
    assert.ok(!removedIn(items).includes(guide.id));
  });

  it('of comments on a document that is not copied are left out', async () => {
    const { world, old } = company;
    const cursor = await cursorOf();
    const comment = world.addComment(old);
    assert.ok(!idsOf(await pull({ cursor })).includes(comment.id));
    assert.ok(!idsOf(await pull()).includes(comment.id));
  });

  it('of the permission of a collection bring all its documents again', async () => {
    const { handbook, guide, chapter, letter, vault, world } = company;
    const cursor = await cursorOf();
    const other = world.documents.find((one) => one.collectionId === vault.id && one !== letter);
    handbook.permission = null;
    const items = await pull({ cursor });
    const entities = new Map(entitiesOf(items).map((one) => [one.id, one]));
    for (const { id } of [handbook, guide])
      assert.deepEqual(entities.get(id)?.access?.viewers, ['user:gil@acme.test']);
    assert.ok(entities.has(chapter.id));
    assert.ok(!entities.has(must(other).id));
    assert.notDeepEqual(lastCursor(items), cursor);
    assert.ok(!idsOf(await pull({ cursor: lastCursor(items) })).includes(guide.id));
  });

  it('move a document with its id', async () => {
    const { world, guide, chapter, lab, vault } = company;
    const cursor = await cursorOf();
    world.move(guide, vault);
    const items = await pull({ cursor });
    const moved = must(entitiesOf(items).find(({ id }) => id === guide.id));
    assert.deepEqual(moved.breadcrumbs, [
      { id: vault.id, name: 'Vault', type: 'OutlineCollection' },
    ]);
    assert.ok(!moved.access?.viewers?.includes('group:everyone'));
    assert.deepEqual(
      entitiesOf(items)
        .find(({ id }) => id === chapter.id)
        ?.breadcrumbs?.map(({ name }) => name),
      ['Vault', 'Guide'],
    );
    const comment = must(world.comments.find(({ documentId }) => documentId === guide.id));
    const shownComment = must(entitiesOf(items).find(({ id }) => id === comment.id));
    assert.deepEqual(shownComment.access, moved.access);
    // A document that leaves the chosen collections is gone.
    const chosen = { collections: [vault.id] };
    const before = lastCursor(await pull({}, chosen));
    world.move(guide, lab);
    assert.ok(removedIn(await pull({ cursor: before }, chosen)).includes(guide.id));
  });

  it('list each part after its last record', async () => {
    const items = await pull();
    for (const [place, item] of items.entries()) {
      if (item.kind !== 'upsert' && item.kind !== 'stub') continue;
      const end = items.findIndex(
        (one) => one.kind === 'listed' && one.partition === item.partition,
      );
      assert.ok(end > place, item.partition);
    }
  });

  it('ask for no document that a listing has shown', async () => {
    await pull();
    const asked = company.peer.requests.filter(({ url }) => url.pathname.endsWith('.info'));
    const ids = asked.flatMap(({ body }) => (body ? [JSON.parse(body).id] : []));
    assert.deepEqual(ids, [company.old.id], 'only that one has comments and is not listed');
  });

  it('list no comments as complete when they are refused in the middle', async () => {
    company.settings.isForbidden = (method, { offset, limit }) =>
      method === 'comments.list' && limit > 1 && offset > 0;
    const items = await pull();
    assert.ok(itemsOf(items, 'upsert').some(({ partition }) => partition.startsWith('comments/')));
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition }) => partition),
      ['comments'],
    );
    assert.ok(!listedIn(items).some((partition) => partition.startsWith('comments')));
    assert.ok(listedIn(items).includes('documents'));
  });

  it('are only those of the chosen collections', async () => {
    const { world, vault, letter } = company;
    const config = { collections: [vault.id] };
    const items = await pull({}, config);
    const ofVault = world.documents.filter(
      (one) => one.collectionId === vault.id && world.isLive(one),
    );
    const comments = world.comments.filter(({ documentId }) => documentId === letter.id);
    assert.deepEqual(
      idsOf(items).toSorted(),
      [vault, ...ofVault, ...comments].map(({ id }) => id).toSorted(),
    );
    assert.deepEqual(Object.keys((lastCursor(items) as { collections: object }).collections), [
      vault.id,
    ]);
  });

  it('of a pull that goes on at a bookmark are those since its beginning', async () => {
    const items = await pull();
    const marks = itemsOf(items, 'bookmark');
    assert.ok(marks.length > 5);
    const all = new Set(idsOf(items));
    company.edit();
    for (const { position } of marks) {
      const at = items.findIndex((one) => one.kind === 'bookmark' && one.position === position);
      const rest = await pull({ bookmark: JSON.parse(JSON.stringify(position)) });
      assert.deepEqual(lastCursor(rest), lastCursor(items));
      const met = new Set([...idsOf(items.slice(0, at)), ...idsOf(rest)]);
      assert.deepEqual(met, all);
      const wanted = itemsOf(items.slice(at), 'upsert').map(({ entity }) => entity.id);
      for (const id of wanted) assert.ok(idsOf(rest).includes(id));
    }
    const last = await pull({ bookmark: must(marks.at(-1)).position });
    assert.ok(idsOf(last).length < all.size / 2, 'it goes on at its end');
  });

  it('shows a document, its comments, its files, and where they are', async () => {
    const { guide, chapter, handbook, world, plan, peer } = company;
    const above = [{ id: handbook.id, name: 'Handbook', type: 'OutlineCollection' }];
    const inGuide = [...above, { id: guide.id, name: 'Guide', type: 'OutlineDocument' }];
    const access = { viewers: ['group:everyone', 'user:gil@acme.test'], isPublic: false };
    assert.deepEqual(await shown(guide.id), {
      id: guide.id,
      type: 'OutlineDocument',
      name: 'Guide',
      text: world.textOf(guide),
      url: `https://acme.getoutline.example/doc/${guide.id}`,
      breadcrumbs: above,
      createdAt: new Date(guide.createdAt),
      updatedAt: new Date(guide.updatedAt),
      access,
      fields: { collection: 'Handbook', author: 'Bob@Acme.test', editor: 'Ann@Acme.test' },
    });
    assert.deepEqual((await shown(chapter.id))?.breadcrumbs, inGuide);
    const comment = must(world.comments.find(({ documentId }) => documentId === guide.id));
    comment.resolvedAt = comment.updatedAt;
    assert.deepEqual(await shown(comment.id), {
      id: comment.id,
      type: 'OutlineComment',
      name: 'Comment on Guide',
      text: `It is about ${world.words.get(comment.id)}.`,
      url: `https://acme.getoutline.example/doc/${guide.id}?commentId=${comment.id}`,
      breadcrumbs: inGuide,
      createdAt: new Date(comment.createdAt),
      updatedAt: new Date(comment.updatedAt),
      access,
      fields: {
        collection: 'Handbook',
        document: 'Guide',
        author: 'Ann@Acme.test',
        resolved: true,
      },
    });
    const context = contextOf(outline, {
      config: company.config,
      credentials: company.credentials,
    });
    const stubs = itemsOf(await pull(), 'stub').filter(({ id }) => id === `${guide.id}/${plan}`);
    assert.equal(stubs.length, 1);
    for await (const read of outline.hydrate!(context, stubs)) {
      assert.ok(read.kind === 'upsert');
      assert.equal(read.entity.name, 'plan_b.txt');
      assert.equal(read.entity.file?.size, world.attachments.get(plan)?.length);
      assert.deepEqual(read.entity.breadcrumbs, inGuide);
    }
    const signed = peer.requests.find(({ url }) => url.pathname.startsWith('/signed/'));
    assert.ok(signed);
  });

  it('takes files and not pictures, each once', async () => {
    const { guide, world, plan } = company;
    guide.said = `![a picture](/api/attachments.redirect?id=${plan}1) and a link to
[the same plan 12](https://wiki.example/api/attachments.redirect?id=${plan}) and [text](/doc/other)`;
    const ids = itemsOf(await pull(), 'stub').map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => id.startsWith(guide.id)),
      [`${guide.id}/${plan}`],
    );
    guide.title = '';
    assert.equal((await shown(guide.id))?.name, 'Untitled');
    world.touch(guide);
  });

  it('finds the files of a document in linear time, even in a text that is made to be slow', async () => {
    const { guide, world, plan } = company;
    guide.said = `${'['.repeat(200_000)}[the plan 12](/api/attachments.redirect?id=${plan})`;
    const ids = itemsOf(await pull(), 'stub').map(({ id }) => id);
    assert.ok(ids.includes(`${guide.id}/${plan}`));
    guide.said = 'Nothing';
    world.touch(guide);
  });

  it('offers the collections, and names the account', async () => {
    const context = contextOf(outline, {
      config: company.config,
      credentials: company.credentials,
    });
    const options = await outline.options!(context, { field: 'collections', query: '', limit: 9 });
    assert.deepEqual(
      options.map(({ title, value }) => [title, value]),
      company.world.collections.map(({ name, id }) => [name, id]),
    );
    assert.equal(await outline.account!(context), 'Ann@Acme.test in Acme');
    const { authorizeUrl, tokenUrl } = must(outline.auth.oauth);
    const at = { url: 'https://wiki.example/' };
    const addressOf = (one: typeof tokenUrl) => (typeof one === 'function' ? one(at) : one);
    assert.equal(addressOf(authorizeUrl), 'https://wiki.example/oauth/authorize');
    assert.equal(addressOf(tokenUrl), 'https://wiki.example/oauth/token');
  });
});
