/** Tests that a pull of Notion misses nothing of a list that changes while it is read. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { notion } from '../../sources/catalog/notion.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { entitiesOf, itemsOf, lastCursor, type PullOptions, pullAll } from './harness.ts';
import { type NotionCompany, openNotionCompany } from './notion-company.ts';
import { block } from './notion-content.ts';
import type { NotionNode } from './notion-world.ts';

let company: NotionCompany;
let page: NotionNode;
let blocks: NotionNode[];

const settings = () => ({
  config: {},
  credentials: company.credentials,
  operatorBaseUrl: company.peer.baseUrl,
});
const pull = (options: PullOptions = {}) => pullAll(notion, settings(), options);
const pathOf = { blocks: () => `/v1/blocks/${page.id}/children`, comments: () => '/v1/comments' };
/** Calls `happens` when the pull asks for a list of the page, with the number of the request, before it is answered. */
function whenAsked(list: keyof typeof pathOf, happens: (request: number) => void): void {
  let requests = 0;
  company.peer.fault = ({ url }) => {
    const isOfPage = list === 'blocks' || url.searchParams.get('block_id') === page.id;
    if (isOfPage && url.pathname === pathOf[list]()) happens(++requests);
    return undefined;
  };
}
const ofPage = (items: readonly SourceItem[]) =>
  must(entitiesOf(items).find(({ id }) => id === page.id));

describe('a list of notion that changes while it is read', () => {
  beforeEach(async () => {
    company = await openNotionCompany();
    page = company.addPage('Long page', null);
    blocks = ['one', 'two', 'three', 'four', 'five'].map((word) =>
      company.world.addBlock(page.id, block.paragraph(`Block ${word}.`)),
    );
    company.settings.largestPage = 2;
  });
  afterEach(() => company.peer.close());

  it('loses no block and no file when an earlier block is removed', async () => {
    const file = company.addFile(page, 'plan.md');
    whenAsked('blocks', (request) => {
      // The file would be the first of the fourth answer.
      if (request === 4) company.world.removeBlock(must(blocks[0]));
    });
    const items = await pull();
    assert.ok(itemsOf(items, 'stub').some(({ id }) => id === file.id));
    const { text } = ofPage(items);
    assert.match(text ?? '', /Block two\.\n\nBlock three\.\n\nBlock four\.\n\nBlock five\./);
    assert.doesNotMatch(text ?? '', /Block one/);
  });

  it('loses no comment when an earlier one is removed', async () => {
    const comments = [1, 2, 3].map(() => company.addComment(page));
    whenAsked('comments', (request) => {
      if (request === 2) company.removeComment(must(comments[0]));
    });
    const found = entitiesOf(await pull()).map(({ id }) => id);
    assert.deepEqual(
      comments.map((id) => found.includes(id)),
      [false, true, true],
    );
  });

  it('fails only for this page when it never stays the same, and keeps what lies below it', async () => {
    const first = await pull();
    for (const list of ['blocks', 'comments'] as const) {
      if (list === 'comments') for (let i = 0; i < 3; i++) company.addComment(page);
      company.world.touch(page);
      whenAsked(list, (request) => {
        assert.ok(request < 100, 'it stops asking');
        if (list === 'blocks') company.world.addBlock(page.id, block.divider());
        else company.addComment(page);
        const { id } =
          list === 'blocks'
            ? must(company.world.childrenOf(page.id)[0])
            : must([...company.world.comments.values()].find(({ on }) => on === page.id));
        if (list === 'blocks') company.world.removeBlock(must(company.world.nodes.get(id)));
        else company.removeComment(id);
      });
      const items = await pull({ lastCursor: lastCursor(first) });
      const failed = itemsOf(items, 'fail');
      assert.deepEqual(
        failed.map(({ id }) => id),
        [page.id],
      );
      assert.match(String(failed[0]?.reason), /changes while it is read/);
      assert.ok(itemsOf(items, 'lost').some(({ partition }) => partition === page.id));
      assert.ok(itemsOf(items, 'listed').some(({ partition }) => partition === ''));
      company.peer.fault = () => undefined;
      assert.equal(ofPage(await pull({ cursor: lastCursor(items) })).name, 'Long page');
    }
  });

  it('costs one request for each answer, and one more for each but the last', async () => {
    let requests = 0;
    whenAsked('blocks', (request) => {
      requests = request;
    });
    await pull();
    // The page has a word besides these blocks: six blocks in three answers.
    assert.equal(requests, 3 + 2);
    company.settings.largestPage = 100;
    whenAsked('blocks', (request) => {
      requests = request;
    });
    await pull();
    assert.equal(requests, 1);
  });
});
