/** Tests what becomes of the records of Intercom. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Entity } from '../../model/entity.ts';
import { intercom } from '../../sources/catalog/intercom.ts';
import { must } from '../../util.ts';
import { contextOf, entitiesOf, itemsOf, pullAll } from './harness.ts';
import { type IntercomCompany, openIntercomCompany } from './intercom-company.ts';
import { ANN, BOB } from './intercom-world.ts';

describe('the records of Intercom', () => {
  let company: IntercomCompany;
  beforeEach(async () => {
    company = await openIntercomCompany();
  });
  afterEach(() => company.peer.close());

  async function recordsIn(config: object = {}): Promise<Map<string, Entity>> {
    const settings = {
      config,
      credentials: company.credentials,
      operatorBaseUrl: company.peer.baseUrl,
    };
    const items = await pullAll(intercom, settings);
    const read = must(intercom.hydrate)(contextOf(intercom, settings), itemsOf(items, 'stub'));
    const all = [...entitiesOf(items)];
    for await (const item of read) if (item.kind === 'upsert') all.push(item.entity);
    return new Map(all.map((entity) => [entity.id, entity]));
  }
  const recordOf = async (id: string, config?: object) => must((await recordsIn(config)).get(id));

  it('writes messages and notes of a conversation with their authors and days', async () => {
    const { id, word } = company.world.addConversation({
      parts: [
        {
          part_type: 'comment',
          body: '<p>Look at <b>this</b>.</p><ul><li>one</li></ul>',
          author: BOB,
        },
        { part_type: 'note', body: '<p>A hard one.</p>', author: BOB },
        { part_type: 'assignment', body: null, author: BOB },
        { part_type: 'comment', body: '<p>Never to be found</p>', author: ANN, redacted: true },
        { part_type: 'a_new_type', body: '<p>From the future</p>', author: { ...ANN, name: null } },
        {
          part_type: 'comment',
          body: null,
          author: ANN,
          attachments: [{ type: 'upload', name: 'plan\n# a.pdf' }],
        },
        { part_type: 'comment', body: '<p>Nobody said it</p>' },
      ],
    });
    const { name, text, fields, url } = await recordOf(`conversation/${id}`);
    assert.equal(name, `My question is about ${word}.`);
    const day = '2026-03-02';
    assert.equal(
      text,
      [
        `### Ann Lee, ${day}`,
        `My question is about ${word}.`,
        `### Bob Ray, ${day}`,
        'Look at this.',
        '- one',
        `### Bob Ray (note), ${day}`,
        'A hard one.',
        `### user, ${day}`,
        'From the future',
        `### Ann Lee, ${day}`,
        '- plan # a.pdf',
        `### Unknown, ${day}`,
        'Nobody said it',
      ].join('\n\n'),
    );
    assert.deepEqual(fields, {
      state: 'open',
      channel: 'conversation',
      started_by: 'Ann Lee',
      assignee: 'Bob Ray',
      tags: ['Billing'],
      is_priority: false,
    });
    assert.equal(url, `https://app.intercom.com/a/apps/_/inbox/inbox/conversation/${id}`);
  });

  it('says when the service hands out only the newest parts', async () => {
    const parts = Array.from({ length: 500 }, (_, i) => ({
      part_type: 'comment',
      body: `<p>No. ${i}</p>`,
      author: ANN,
    }));
    const { id } = company.world.addConversation({ parts, hiddenParts: 20 });
    const { id: whole } = company.world.addConversation({ parts });
    const records = await recordsIn();
    assert.match(
      must(records.get(`conversation/${id}`)).text,
      /^Intercom hands out only the newest 500 of the 520 parts/,
    );
    assert.match(must(records.get(`conversation/${id}`)).text, /No\. 499$/);
    assert.match(must(records.get(`conversation/${whole}`)).text, /^### Ann Lee/);
  });

  it('names a conversation by its title, else its subject, else its first message', async () => {
    const { world } = company;
    const titled = world.addConversation({ title: 'The <i>lamp</i>', subject: 'no' });
    const mailed = world.addConversation({ subject: '<p>About\n\nthe lamp</p>' });
    const records = await recordsIn({ region: 'eu' });
    assert.equal(must(records.get(`conversation/${titled.id}`)).name, 'The lamp');
    assert.equal(must(records.get(`conversation/${mailed.id}`)).name, 'About the lamp');
    assert.match(
      must(records.get(`conversation/${titled.id}`)).url ?? '',
      /^https:\/\/app\.eu\.intercom\.com\//,
    );
  });

  it('writes the attributes of a ticket, its description and its parts', async () => {
    const { id, word } = company.world.addTicket({
      attributes: {
        _default_title_: 'Lamp',
        Floor: 3,
        Urgent: false,
        Note: '',
        Nothing: null,
        Photos: ['x'],
      },
    });
    const { name, text, fields } = await recordOf(`ticket/${id}`);
    assert.equal(name, 'Lamp');
    assert.equal(
      text,
      [
        `It is about ${word}.`,
        '- Floor: 3\n- Urgent: false',
        '### Bob Ray, 2026-03-02',
        'We are on it.',
      ].join('\n\n'),
    );
    assert.deepEqual(fields, {
      number: `T${id}`,
      ticket_type: 'Repair',
      category: 'Customer',
      state: 'In progress',
      is_open: true,
      assignee: 'Bob Ray',
    });
  });

  it('names a ticket without a title by its number', async () => {
    const { id } = company.world.addTicket({ attributes: {} });
    assert.equal((await recordOf(`ticket/${id}`)).name, `Ticket T${id}`);
  });

  it('lets only the ticket fail whose HTML cannot be read', async () => {
    const { world } = company;
    const body = '<div>'.repeat(30_001);
    const { id } = world.addTicket({ parts: [{ part_type: 'comment', body, author: BOB }] });
    const settings = {
      config: {},
      credentials: company.credentials,
      operatorBaseUrl: company.peer.baseUrl,
    };
    const items = await pullAll(intercom, settings);
    assert.deepEqual(
      itemsOf(items, 'fail').map((one) => one.id),
      [`ticket/${id}`],
    );
    assert.ok(itemsOf(items, 'listed').some(({ partition }) => partition === 'tickets'));
  });

  it('writes articles as Markdown, below their collections', async () => {
    const { world } = company;
    const [handbook, chapter] = [...world.collections.values()];
    const { id, word } = world.addArticle(must(chapter).id);
    const { text, breadcrumbs, fields, url } = await recordOf(`article/${id}`);
    assert.equal(text, `## First steps\n\nBegin with ${word}.`);
    assert.deepEqual(
      breadcrumbs,
      [must(handbook), must(chapter)].map(({ id, name }) => ({
        id: `collection/${id}`,
        name,
        type: 'IntercomCollection',
      })),
    );
    assert.deepEqual(fields, { state: 'published', author: 'Bob Ray' });
    assert.equal(url, `https://help.example/articles/${id}`);
  });

  it('shows a draft without a link', async () => {
    const article = company.world.addArticle();
    article.state = 'draft';
    const { url, fields } = await recordOf(`article/${article.id}`);
    assert.deepEqual([url, fields.state], [undefined, 'draft']);
  });
});
