/** Tests the live search of Slack against a fake on this machine. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { slack } from '../../sources/catalog/slack.ts';
import { must } from '../../util.ts';
import { json, type PeerAnswer } from './cloud-peer.ts';
import { contextOf, testFederatedSource } from './harness.ts';
import { openSlackCompany, type SlackCompany } from './slack-company.ts';
import { SLACK_BOT_TOKEN, SLACK_USER_TOKEN, slackError } from './slack-peer.ts';

const credentials = { access_token: SLACK_USER_TOKEN };

testFederatedSource(slack, 'about', async () => {
  const { peer } = await openSlackCompany();
  return {
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      { name: 'token', credentials: { access_token: 'no' }, kind: 'auth', says: /invalid_auth/ },
      {
        name: 'token of a bot',
        credentials: { access_token: SLACK_BOT_TOKEN },
        kind: 'config',
        says: /not_allowed_token_type/,
      },
    ],
  };
});

describe('slack', () => {
  let company: SlackCompany;
  beforeEach(async () => {
    company = await openSlackCompany();
  });
  afterEach(() => company.peer.close());

  const search = (query: string, limit = 50) =>
    must(slack.search)(
      contextOf(slack, { credentials, operatorBaseUrl: company.peer.baseUrl }),
      query,
      limit,
    );
  const asked = () =>
    company.peer.requests.map(({ url }) => [
      url.searchParams.get('query'),
      url.searchParams.get('count'),
    ]);
  const refuses = async (answer: PeerAnswer, kind: SourceErrorKind, retryAfter?: number) => {
    company.peer.fault = () => answer;
    const before = company.peer.requests.length;
    await assert.rejects(search('about'), (error) => {
      assert.ok(error instanceof SourceError, String(error));
      assert.deepEqual([error.kind, error.retryAfter], [kind, retryAfter], error.message);
      assert.ok(!error.message.includes(SLACK_USER_TOKEN));
      return true;
    });
    return company.peer.requests.length - before;
  };

  it('shows a message as Markdown, with its channel, its author and its address', async () => {
    const { general, world, parent } = company;
    const { ts } = world.post(
      general,
      'Look at *herons*, <@U1|zoe> &amp; <https://acme.example/a|this>',
    );
    const [found] = await search('Herons!');
    assert.deepEqual(found, {
      id: `${general.id}/${ts}`,
      type: 'SlackMessage',
      name: 'Look at **herons**, @zoe & [this](https://acme.example/a)',
      text: 'Look at **herons**, @zoe & [this](https://acme.example/a)',
      url: `https://acme.slack.com/archives/${general.id}/p${ts.replace('.', '')}`,
      breadcrumbs: [{ id: general.id, name: '#general', type: 'SlackChannel' }],
      createdAt: new Date(Number(ts) * 1000),
      updatedAt: new Date(Number(ts) * 1000),
      fields: { channel: 'general', channel_id: general.id, author: 'ann', thread_ts: null },
    });
    const reply = world.reply(general, parent, 'An otter replies');
    const [second] = await search('otter');
    assert.deepEqual(
      [second?.id, second?.fields.thread_ts, second?.fields.author],
      [`${general.id}/${reply.ts}`, parent.ts, 'bob'],
    );
  });

  it('finds what the person sees, and nothing of which the person is not a member', async () => {
    const { world, hidden } = company;
    const locked = world.addChannel('locked', 'private_channel', [world.bob]);
    for (const channel of [hidden, locked]) world.post(channel, 'A kingfisher');
    assert.deepEqual(
      (await search('kingfisher')).map(({ fields }) => fields.channel),
      ['hidden'],
    );
  });

  it('shows what a message says in blocks and attachments', async () => {
    const match = (ts: string, more: object) => ({
      ...{ channel: { id: 'C1', name: 'general' }, user: 'U1', username: 'ann', ts, text: '' },
      ...{ permalink: 'https://acme.slack.com/archives/C1/p1', ...more },
    });
    const section = { type: 'section', text: { type: 'mrkdwn', text: 'The *weir*' } };
    const matches = [
      match('1.0', { blocks: [section] }),
      match('2.0', { user: null, username: 'ci', bot_id: 'B1', text: 'Build', blocks: [section] }),
      match('3.0', { attachments: [{ fallback: 'A heron' }] }),
    ];
    company.peer.fault = () => json(200, { ok: true, messages: { matches } });
    assert.deepEqual(
      (await search('about')).map(({ text }) => text),
      ['The **weir**', 'Build\nThe **weir**', 'A heron'],
    );
  });

  it('sends words alone, so a query has no operators, and asks for a page at most', async () => {
    await search('Where is "the weir" from:@bob -in:#general');
    await search('about', 1000);
    assert.deepEqual(asked(), [
      ['weir bob general', '50'],
      ['about', '100'],
    ]);
  });

  it('sends no request for a query without words', async () => {
    assert.deepEqual(await search('?!'), []);
    assert.deepEqual(asked(), []);
  });

  it('gives each refusal its kind, at once when Slack asks to wait', async () => {
    const wait = { 'retry-after': '7' };
    assert.equal(await refuses(slackError('ratelimited', wait), 'rate_limited', 7), 1);
    assert.equal(await refuses(json(429, {}, wait), 'rate_limited', 7), 1);
    for (const error of ['token_expired', 'token_revoked', 'account_inactive', 'invalid_auth'])
      await refuses(slackError(error), 'auth');
    await refuses(slackError('a_new_error'), 'fatal');
    await refuses(json(200, { ok: true, messages: {} }), 'fatal');
    await refuses(json(200, { messages: { matches: [] } }), 'fatal');
  });

  it('names the scope that the token lacks', async () => {
    company.settings.scopes.delete('search:read');
    await assert.rejects(search('about'), /missing_scope: it needs the scope search:read/);
  });
});
