/** Tests what the source of Notion makes of pages, databases, comments and files. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Entity } from '../../model/entity.ts';
import { notion } from '../../sources/catalog/notion.ts';
import type { SourceItem } from '../../sources/items.ts';
import { NotionBlock } from '../../sources/notion/answer.ts';
import { markdownOf } from '../../sources/notion/blocks.ts';
import type { BlockTree } from '../../sources/notion/tree.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import { contextOf, entitiesOf, itemsOf, type PullOptions, pullAll } from './harness.ts';
import { type NotionCompany, openNotionCompany } from './notion-company.ts';
import { block, mention, text } from './notion-content.ts';
import { makeNotionShapes } from './notion-shapes.ts';

/** Makes a tree of blocks as Notion answers with them. */
const tree = (
  content: { readonly type: string; readonly [key: string]: unknown },
  ...children: BlockTree[]
): BlockTree => ({
  block: NotionBlock.parse({
    id: 'block',
    has_children: children.length > 0,
    parent: null,
    ...content,
  }),
  children,
});
const markdown = (...trees: BlockTree[]) => markdownOf(trees, new Map());
const rich = (...given: unknown[]) => ({ rich_text: given });

describe('blocks of notion', () => {
  it('become headings, paragraphs, quotes, callouts, code, equations and tables', () => {
    const heading = (level: number, words: string) =>
      tree({ type: `heading_${level}`, [`heading_${level}`]: rich(text(words)) });
    assert.equal(
      markdown(
        heading(1, 'One'),
        heading(2, 'Two\nlines'),
        heading(3, 'Three'),
        heading(4, 'Four'),
        tree(block.paragraph('First line\nsecond line'), tree(block.paragraph('below'))),
        tree(block.paragraph('# not a heading')),
        tree(block.quote('A saying'), tree(block.paragraph('of many words'))),
        tree(block.callout('Mind the weir')),
        tree(block.code('if (a) {\n  b();\n}')),
        tree({ type: 'code', code: { ...rich(text('x')), language: 'plain text' } }),
        tree(block.equation('a^2')),
        tree(block.divider()),
        tree(
          block.table(2),
          tree(block.row('What', 'Word')),
          tree(block.row('a|b', [text('two\nlines')])),
        ),
      ),
      `# One

## Two lines

### Three

#### Four

First line
second line

below

\\# not a heading

> A saying

> of many words

> 💡 Mind the weir

\`\`\`typescript
if (a) {
  b();
}
\`\`\`

\`\`\`
x
\`\`\`

$$
a^2
$$

| What | Word |
| --- | --- |
| a\\|b | two lines |`,
    );
  });

  it('become nested lists, with numbers and ticks', () => {
    assert.equal(
      markdown(
        tree(
          block.bullet('a'),
          tree(block.bullet('b'), tree(block.toDo('c', true))),
          tree(block.toDo('d', false)),
        ),
        tree(block.number('one'), tree(block.number('inner'))),
        tree(block.number('two')),
        tree(block.paragraph('between')),
        tree(block.number('one again')),
        tree({
          type: 'numbered_list_item',
          numbered_list_item: { ...rich(text('two')), list_start_index: 9 },
        }),
      ),
      `- a
  - b
    - [x] c
  - [ ] d
1. one
   1. inner
2. two

between

1. one again
2. two`,
    );
  });

  it('show what lies in toggles, columns, synced blocks, tabs and headings that fold', () => {
    const inner = (words: string) => tree(block.paragraph(words));
    assert.equal(
      markdown(
        tree(block.toggle('More'), inner('inside')),
        tree(
          block.columns(),
          tree(block.column(), inner('left')),
          tree(block.column(), inner('right')),
        ),
        tree(block.synced(null), inner('twice')),
        tree({ type: 'tab', tab: {} } as never, inner('in a tab')),
        tree(block.heading('Folded'), inner('below it')),
      ),
      ['More', 'inside', 'left', 'right', 'twice', 'in a tab', '## Folded', 'below it'].join(
        '\n\n',
      ),
    );
  });

  it('name people, pages and days, and keep links, code and equations in a line', () => {
    const person = {
      object: 'user',
      id: 'u',
      name: 'Ann',
      avatar_url: null,
      type: 'person',
    } as const;
    const unnamed = { ...mention.user({ ...person, person: {} }), plain_text: '' };
    const span = {
      ...mention.date('2026-05-01'),
      plain_text: '',
      mention: { type: 'date', date: { start: '2026-05-01', end: '2026-05-03', time_zone: null } },
    };
    const line = [
      mention.user({ ...person, person: {} }),
      text(' or '),
      unnamed,
      text(' reads '),
      mention.page('p', 'The guide'),
      text(' on '),
      span,
      text(' with '),
      text(' code ', { code: true }),
      text(' at '),
      text('home ', {}, 'https://acme.example/a(b)'),
      text('or '),
      text('there', {}, '/relative'),
    ] as never;
    assert.equal(
      markdown(tree(block.paragraph(line))),
      '@Ann or @Ann reads The guide on 2026-05-01 → 2026-05-03 with `code` at [home](https://acme.example/a%28b%29) or there',
    );
  });

  it('show captions and addresses of what lies elsewhere, and no address that ends', () => {
    const hosted = {
      url: 'https://store.example/1/plan%20b.pdf?X-Amz-Signature=abc',
      expiry_time: '',
    };
    const found = markdown(
      tree(block.bookmark('https://acme.example/weir')),
      tree(block.externalImage('https://acme.example/heron.png')),
      tree(block.pdf(hosted)),
      tree(block.file('rules.md', hosted)),
    );
    assert.equal(
      found,
      `[A page of others](https://acme.example/weir)

[A heron](https://acme.example/heron.png)

plan b.pdf

rules.md`,
    );
  });

  it('of an unknown type show their words, and odd values are empty', () => {
    assert.equal(
      markdown(
        tree({ type: 'poll', poll: rich(text('Which weir?')) }, tree(block.bullet('This'))),
        tree({ type: 'paragraph', paragraph: null } as never),
        tree({ type: 'paragraph' } as never),
        tree({ type: '__proto__' } as never),
        tree({
          type: 'paragraph',
          paragraph: { rich_text: [null, { plain_text: 7 }, 'x'] },
        } as never),
        tree({ type: 'code', code: { ...rich(text('a```b')), language: 'C++\n```' } } as never),
        tree({ type: 'to_do', to_do: { ...rich(text('c')), checked: 'no' } } as never),
      ),
      'Which weir?\n\n- This\n\n7\n\n````\na```b\n````\n\n- [ ] c',
    );
  });
});

describe('notion', () => {
  let company: NotionCompany;
  beforeEach(async () => {
    company = await openNotionCompany();
  });
  afterEach(() => company.peer.close());

  const settings = () => ({
    config: {},
    credentials: company.credentials,
    operatorBaseUrl: company.peer.baseUrl,
  });
  const pull = (options: PullOptions = {}) => pullAll(notion, settings(), options);
  const hydrated = async (items: readonly SourceItem[]) => {
    const all: SourceItem[] = [];
    const stubs = itemsOf(items, 'stub');
    for await (const item of must(notion.hydrate)(contextOf(notion, settings()), stubs))
      all.push(item);
    return all;
  };
  const find = (items: readonly SourceItem[], id: string): Entity =>
    must(
      entitiesOf(items).find((one) => one.id === id),
      `there is no ${id}`,
    );
  const crumbs = (entity: Entity) => entity.breadcrumbs?.map(({ name, type }) => `${type} ${name}`);
  const text26 = (words: string) => [text(words)];

  it('shows a page with its place, its people and everything in it', async () => {
    const { handbook, deep } = company;
    const items = await pull();
    const page = find(items, deep.id);
    assert.deepEqual(crumbs(page), ['NotionPage Handbook', 'NotionPage Guide of the weir']);
    const { type, name, url, fields } = page;
    assert.deepEqual(
      [type, name, url, fields],
      [
        'NotionPage',
        'Stones',
        `https://www.notion.so/${deep.id.replaceAll('-', '')}`,
        {
          database: null,
          properties: {},
          created_by: 'ann@acme.example',
          last_edited_by: 'ann@acme.example',
        },
      ],
    );
    const whole = find(items, handbook.id);
    assert.deepEqual(crumbs(whole), []);
    for (const part of [
      '## How we work',
      '@Ann and Guide of the weir on 2026-05-01 with $E=mc^2$ at [home](https://acme.example/)',
      '- A point\n1. A step\n- [x] A task',
      '> A saying',
      'This stands in two pages.',
      // It links to this page, and the pages below it are named.
      'Stones',
      'Guide of the weir',
      'Tasks',
    ])
      assert.ok(whole.text.includes(part), `${part} is not in:\n${whole.text}`);
    assert.doesNotMatch(whole.text, /X-Amz/);
  });

  it('shows a row with properties of every kind', async () => {
    const { tasks, firstRow, world } = company;
    const row = [...world.nodes.values()].find(({ title }) => title === 'Task 0');
    const entity = find(await pull(), must(row).id);
    assert.deepEqual(crumbs(entity), ['NotionPage Handbook', 'NotionDatabase Tasks']);
    const {
      Notes,
      Created,
      Edited,
      Number: number,
      ...properties
    } = entity.fields.properties as Record<string, unknown>;
    assert.match(String(Notes), /^It is about \w+\.$/);
    assert.ok([Created, Edited].every((time) => String(time).endsWith(':00.000Z')));
    assert.match(String(number), /^ACME-\d+$/);
    assert.deepEqual(properties, {
      Priority: 'High',
      Tags: ['weir', 'heron'],
      State: 'In progress',
      Owners: ['ann@acme.example'],
      Due: '2026-05-01',
      'Due (end)': '2026-05-03',
      Depends: ['Mend the weir'],
      Effort: 2.5,
      Total: 5,
      Label: 'Task 0!',
      Done: false,
      Link: 'https://acme.example/weir',
      Mail: 'weir@acme.example',
      Phone: null,
      Papers: ['plan.md'],
      'Created by': 'ann@acme.example',
      'Edited by': 'ann@acme.example',
    });
    assert.equal(entity.fields.database, 'Tasks');
    for (const line of [
      '- Tags: weir, heron',
      '- Due: 2026-05-01 → 2026-05-03',
      '- Depends: Mend the weir',
      '- Done: no',
    ])
      assert.ok(entity.text.includes(line), line);
    assert.doesNotMatch(entity.text, /Phone|Name/);
    const source = find(await pull(), tasks.id);
    assert.deepEqual([source.type, source.name], ['NotionDatabase', 'Tasks']);
    assert.deepEqual(crumbs(source), ['NotionPage Handbook']);
    assert.match(source.text, /^It is about \w+\.\n\n- Name\n- Notes\n- Priority: High, Low\n/);
    assert.ok(entity.id !== firstRow.id);
  });

  it('reads formulas, rollups and values that it does not know', async () => {
    const { attic, world } = company;
    const shown = makeNotionShapes(world).page(attic, () => ({ url: '', expiry_time: '' }));
    const rollup = (inner: object) => ({ id: 'r', type: 'rollup', rollup: inner });
    const properties = {
      ...shown.properties,
      Part: { id: 'x', type: 'formula', formula: { type: 'boolean', boolean: true } },
      When: { id: 'x', type: 'formula', formula: { type: 'date', date: { start: '2026-01-02' } } },
      Names: rollup({
        type: 'array',
        array: [
          { type: 'title', title: text26('Weir') },
          { type: 'select', select: { name: 'High' } },
          null,
          { type: 'number', number: 3 },
        ],
      }),
      Last: rollup({ type: 'date', date: { start: '2026-01-01', end: null } }),
      Odd: rollup({ type: 'unsupported', unsupported: {} }),
      Place: {
        id: 'x',
        type: 'place',
        place: { lat: 1, lon: 2, name: 'Weir', address: 'River 1' },
      },
      Checked: { id: 'x', type: 'verification', verification: { state: 'verified' } },
      Group: {
        id: 'x',
        type: 'people',
        people: [{ object: 'group', id: 'g', name: 'Crew' }, null],
      },
      New: { id: 'x', type: 'mood', mood: 'calm' },
      Button: { id: 'x', type: 'button', button: {} },
      Number: { id: 'x', type: 'number', number: 'seven' },
      Nothing: null,
      Empty: { id: 'x', type: 'select', select: null },
      __proto__x: { id: 'x', type: 'checkbox', checkbox: true },
    };
    company.peer.fault = ({ url }) =>
      url.pathname === '/v1/search'
        ? json(200, { results: [{ ...shown, properties }], has_more: false, next_cursor: null })
        : undefined;
    assert.deepEqual(find(await pull(), attic.id).fields.properties, {
      Part: true,
      When: '2026-01-02',
      Names: ['Weir', 'High', '3'],
      Last: '2026-01-01',
      Odd: null,
      Place: 'Weir, River 1',
      Checked: 'verified',
      Group: ['Crew'],
      New: 'calm',
      Number: 'seven',
      Empty: null,
      __proto__x: true,
    });
  });

  it('asks for all values of a property of which the page has only 25', async () => {
    const { old, firstRow, deep, world } = company;
    const others = Array.from({ length: 29 }, (_, i) => world.addPage(`Other ${i}`, deep.id).id);
    const row = company.addRow(old, 'Many', [firstRow.id, ...others]);
    const depends = (find(await pull(), row.id).fields.properties as { readonly Depends: string[] })
      .Depends;
    assert.equal(depends.length, 30);
    // The names of so many would cost too many requests.
    assert.deepEqual(depends.slice(0, 2), ['Mend the weir', 'Other 0']);
    assert.deepEqual(depends.slice(25), others.slice(24));
  });

  it('shows comments of pages below their page, with the people in them', async () => {
    const { deep, world } = company;
    const items = await pull();
    const comments = entitiesOf(items).filter(({ type }) => type === 'NotionComment');
    const own = [...world.comments.values()].find(({ on }) => on === deep.id);
    const comment = find(
      comments.map((entity) => ({ kind: 'upsert', entity }) as SourceItem),
      must(own).id,
    );
    assert.match(comment.text, /^@Bob: It is about \w+\.$/);
    assert.equal(comment.name, 'Comment on Stones');
    assert.deepEqual(crumbs(comment)?.at(-1), 'NotionPage Stones');
    assert.deepEqual(comment.fields, { page: 'Stones', author: 'ann@acme.example' });
    assert.equal(comments.length, 4, 'a comment on a block is not copied');
  });

  it('reads files of blocks and properties by fresh addresses', async () => {
    const { firstRow, handbookFile } = company;
    const items = await pull();
    company.endFileAddresses();
    const files = await hydrated(items);
    const file = find(files, handbookFile.id);
    assert.deepEqual(
      [file.type, file.name, file.fields],
      ['NotionFile', 'rules.md', { page: 'Handbook' }],
    );
    assert.deepEqual(crumbs(file), ['NotionPage Handbook']);
    assert.match(readFileSync(must(file.file).path, 'utf8'), /^# Plan\n/);
    const ofRow = entitiesOf(files).find(({ id }) => id.startsWith(`${firstRow.id}/`));
    assert.equal(ofRow?.name, 'plan.md');
    assert.match(readFileSync(must(ofRow?.file).path, 'utf8'), /^# Plan of a row\n/);
    assert.ok(entitiesOf(files).some(({ name }) => name === 'plan.pdf'));
  });

  it('leaves a file of a synced block to the page of its original, and pictures out', async () => {
    const { guide, handbook, world } = company;
    const original = must(
      world
        .childrenOf(guide.id)
        .find((one) => one.content(() => ({ url: '', expiry_time: '' })).type === 'synced_block'),
    );
    const id = world.addFile('twice.md', 'Twice.');
    const node = world.addBlock(original.id, (at) => block.file('twice.md', at(id)));
    const picture = world.addFile('heron.png', 'PNG', 'image/png');
    world.addBlock(handbook.id, (at) => block.image(at(picture)));
    const stubs = itemsOf(await pull(), 'stub');
    assert.deepEqual(
      stubs.filter((one) => one.id === node.id).map(({ partition }) => partition),
      [guide.id],
    );
    const names = entitiesOf(await hydrated(await pull())).map(({ name }) => name);
    assert.ok(!names.includes('heron.png'));
  });

  it('names people only as far as the integration may know them', async () => {
    const { deep, settings: may } = company;
    may.users = 'names';
    assert.equal(find(await pull(), deep.id).fields.created_by, 'Ann');
    may.users = 'none';
    company.peer.requests.length = 0;
    assert.equal(find(await pull(), deep.id).fields.created_by, null);
    const asked = company.peer.requests.filter(({ url }) => url.pathname.startsWith('/v1/users/'));
    assert.ok(asked.length <= 1, 'it asks again although it may not');
  });

  it('names the integration and its workspace', async () =>
    assert.equal(await notion.account!(contextOf(notion, settings())), 'Quarry in Acme'));
});
