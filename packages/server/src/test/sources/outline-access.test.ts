/** Tests who may find what, and the forms of records that the company of the shared suite does not have. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { outline } from '../../sources/catalog/outline.ts';
import { must } from '../../util.ts';
import { contextOf, entitiesOf, itemsOf, membershipsOf, pullAll } from './harness.ts';
import { type OutlineCompany, openOutlineCompany } from './outline-company.ts';

const EVERYONE = 'group:everyone';

describe('who may see a record of outline', () => {
  let company: OutlineCompany;
  beforeEach(async () => {
    company = await openOutlineCompany();
  });
  afterEach(() => company.peer.close());

  const settings = () => ({ config: company.config, credentials: company.credentials });
  const pull = () => pullAll(outline, settings());
  async function viewersOf(...ids: string[]) {
    const entities = entitiesOf(await pull());
    return ids.map((id) => must(entities.find((one) => one.id === id)?.access).viewers);
  }
  const groups = () => membershipsOf(outline, settings());
  const groupOf = ({ id }: { id: string }) => `group:${id}`;

  it('is everybody but guests in a collection with a permission, and its members', async () => {
    const { handbook, guide, lab } = company;
    const viewers = [EVERYONE, 'user:gil@acme.test'];
    assert.deepEqual(await viewersOf(handbook.id, guide.id, lab.id), [
      viewers,
      viewers,
      [EVERYONE],
    ]);
  });

  it('is the people and the groups that are members of a private collection', async () => {
    const { vault, letter, world } = company;
    const comment = must(world.comments.find(({ documentId }) => documentId === letter.id));
    const viewers = [groupOf(world.people.crew), 'user:bob@acme.test'].toSorted();
    assert.deepEqual(await viewersOf(vault.id, letter.id, comment.id), [viewers, viewers, viewers]);
    const [file] = itemsOf(await pull(), 'stub').filter(({ id }) => id.startsWith(letter.id));
    const context = contextOf(outline, settings());
    for await (const read of outline.hydrate!(context, [must(file)]))
      assert.deepEqual(read.kind === 'upsert' && read.entity.access?.viewers, viewers);
  });

  it('is a part of the version of a file, which is read again only when that has changed', async () => {
    const { guide, handbook, lab, plan, world } = company;
    const versionOf = async () =>
      itemsOf(await pull(), 'stub').find(({ id }) => id === `${guide.id}/${plan}`)?.version;
    const first = must(await versionOf());
    world.write(guide);
    assert.equal(await versionOf(), first);
    world.move(guide, lab);
    const moved = must(await versionOf());
    assert.notEqual(moved, first);
    world.move(guide, handbook);
    assert.equal(await versionOf(), first);
    handbook.permission = null;
    assert.ok(![first, moved].includes(must(await versionOf())));
  });

  it('is the members of a document beside those of its collection', async () => {
    const { chapter, letter, world } = company;
    world.join(letter, world.people.vic);
    world.join(letter, world.people.crew);
    const [ofChapter, ofLetter] = await viewersOf(chapter.id, letter.id);
    assert.deepEqual(ofChapter, [EVERYONE, 'user:gil@acme.test', 'user:vic@acme.test']);
    const crew = groupOf(world.people.crew);
    assert.deepEqual(ofLetter, [crew, 'user:bob@acme.test', 'user:vic@acme.test']);
  });

  it('is only the members of a document whose collection the account does not see', async () => {
    const { letter, vault, world } = company;
    world.join(letter, world.people.ann);
    world.drop(world.collections, vault);
    assert.deepEqual(await viewersOf(letter.id), [['user:ann@acme.test']]);
    const shown = entitiesOf(await pull()).find(({ id }) => id === letter.id);
    assert.deepEqual([shown?.breadcrumbs, shown?.fields.collection], [[], null]);
  });

  it('names nobody who is suspended', async () => {
    const { vault, letter, world } = company;
    world.join(vault, world.people.sue);
    world.join(letter, world.people.sue);
    const [viewers] = await viewersOf(letter.id);
    assert.ok(!viewers?.includes('user:sue@acme.test'));
  });

  it('is nobody whose address is hidden', async () => {
    const { letter, world, settings: peer } = company;
    peer.hidesAddresses = true;
    assert.deepEqual(await viewersOf(letter.id), [[groupOf(world.people.crew)]]);
    assert.deepEqual((await groups()).memberships, []);
    const shown = entitiesOf(await pull()).find(({ id }) => id === letter.id);
    assert.deepEqual([shown?.fields.author, shown?.fields.editor], ['Vic', 'Ann']);
  });

  it('leaves out members that the account may not read', async () => {
    const { guide, letter, world, settings: peer } = company;
    peer.isForbidden = (method) => /memberships$/.test(method);
    assert.deepEqual(await viewersOf(guide.id, letter.id), [[EVERYONE], []]);
    const { memberships, skipped } = await groups();
    assert.deepEqual(new Set(memberships.map(({ group }) => group)), new Set([EVERYONE]));
    assert.deepEqual(
      skipped.map(({ id }) => id),
      world.groups.map(({ id }) => id),
    );
  });

  it('knows the active members of the workspace and of its groups', async () => {
    const { world } = company;
    // More people than a page has.
    world.people.crew.users.push(world.people.vic, world.people.gil, world.people.ann);
    const crew = groupOf(world.people.crew);
    const memberships = (await groups()).memberships.map(
      ({ group, member }) => `${group} ${member}`,
    );
    assert.deepEqual(
      memberships.toSorted(),
      [
        ...['ann', 'bob', 'vic'].map((name) => `${EVERYONE} user:${name}@acme.test`),
        ...['ann', 'bob', 'gil', 'vic'].map((name) => `${crew} user:${name}@acme.test`),
      ].toSorted(),
    );
    const { host } = new URL(company.peer.baseUrl);
    const scope = await outline.groupScope!(contextOf(outline, settings()));
    assert.equal(scope, `${world.team.id}@${host}`);
  });

  it('is all members, of however many pages', async () => {
    const { lab, world } = company;
    lab.permission = null;
    for (const who of Object.values(world.people)) world.join(lab, who);
    const [viewers] = await viewersOf(lab.id);
    const names = ['ann', 'bob', 'gil', 'vic'].map((name) => `user:${name}@acme.test`);
    assert.deepEqual(viewers, [groupOf(world.people.crew), ...names].toSorted());
  });
});
