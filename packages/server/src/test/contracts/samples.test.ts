/** Tests that digests and their amendments allow exchanges as the vendors describe them, and not others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, type PeerRequest } from '../sources/cloud-peer.ts';
import type { HttpContract } from './contract.ts';
import { openDigest, readDigest } from './open-contract.ts';
import { HTTP_CONTRACTS, type HttpContractName } from './table.ts';

function openOf(name: HttpContractName) {
  const { amendments = [] }: HttpContract = HTTP_CONTRACTS[name];
  return openDigest(readDigest(name), { amendments });
}

const get = (path: string, headers = {}): PeerRequest => ({
  method: 'GET',
  url: new URL(path, 'http://localhost'),
  headers,
  body: '',
  at: 0,
});
const post = (path: string, body: object): PeerRequest => ({
  ...get(path, { 'content-type': 'application/json' }),
  method: 'POST',
  body: JSON.stringify(body),
});

describe('the contract of Slack', () => {
  const slack = openOf('slack');
  const history = get(
    '/api/conversations.history?channel=C012AB3CD&oldest=1512085950.000216&limit=15',
  );
  const message = { type: 'message', user: 'U012AB3CD', text: 'Hello', ts: '1512085950.000216' };
  const page = {
    ok: true,
    messages: [message],
    has_more: true,
    pin_count: 0,
    channel_actions_ts: null,
    channel_actions_count: 0,
    response_metadata: { next_cursor: 'bmV4dA==' },
  };

  it('allows pages, empty pages and refusals with status 200', () => {
    slack.checked(history, json(200, page));
    slack.checked(history, json(200, { ...page, messages: [], has_more: false }));
    slack.checked(history, json(200, { ok: false, error: 'ratelimited' }));
    slack.checked(get('/api/auth.test'), json(200, { ok: false, error: 'token_revoked' }));
  });

  it('refuses what Slack does not have', () => {
    assert.throws(() => slack.checkRequest(get('/api/conversations.history?chanel=C')), /chanel/);
    assert.throws(
      () => slack.checkAnswer(history, json(200, { ...page, next: 'a' })),
      /field next/,
    );
    assert.throws(() => slack.checkAnswer(history, json(200, { ok: false })), /messages/);
    const wrong = { ...page, messages: [{ ...message, ts: 1512085950 }] };
    assert.throws(() => slack.checkAnswer(history, json(200, wrong)), /must be string/);
  });
});

describe('the contract of Microsoft Graph', () => {
  const graph = openOf('microsoft-graph');
  const delta = get('/v1.0/drives/b!1/root/delta?$top=200&$select=id,name,deleted,parentReference');

  it('allows pages of a delta, and their links', () => {
    const item = {
      '@odata.type': '#microsoft.graph.driveItem',
      id: '01A',
      name: 'Plan.docx',
      cTag: '"c:1"',
      size: 20,
      lastModifiedDateTime: '2026-03-01T08:00:00Z',
      webUrl: 'https://acme.sharepoint.com/Plan.docx',
      '@microsoft.graph.downloadUrl': 'https://acme.sharepoint.com/download',
      parentReference: { driveId: 'b!1', id: '01R', path: '/drives/b!1/root:' },
      file: { mimeType: 'text/plain', hashes: { quickXorHash: 'a' } },
    };
    const gone = { id: '01B', deleted: { state: 'deleted' } };
    graph.checked(
      delta,
      json(200, { value: [item, gone], '@odata.deltaLink': 'https://graph.microsoft.com/a' }),
    );
    graph.checkRequest(get('/v1.0/drives/b!1/root/delta?token=abc'));
    const mail = '/v1.0/users/ann@acme.test/mailFolders/AAA/messages/delta?$deltatoken=abc';
    const removed = { id: 'AAB', '@removed': { reason: 'deleted' } };
    graph.checked(get(mail), json(200, { value: [removed], '@odata.nextLink': 'https://a' }));
  });

  it('allows objects of the derived types in use', () => {
    const attachments = get('/v1.0/users/1/messages/2/attachments');
    const file = { '@odata.type': '#microsoft.graph.fileAttachment', id: '3', name: 'a.pdf' };
    graph.checked(attachments, json(200, { value: [{ ...file, contentBytes: 'YQ==' }] }));
    const user = { '@odata.type': '#microsoft.graph.user', id: '1', mail: 'ann@acme.test' };
    graph.checked(get('/v1.0/groups/1/members'), json(200, { value: [user] }));
    const bytes = { status: 200, headers: { 'content-type': 'application/pdf' }, body: 'a' };
    graph.checked(get('/v1.0/users/1/messages/2/attachments/3/$value'), bytes);
  });

  it('refuses what Graph does not have', () => {
    assert.throws(() => graph.checkRequest(get('/v1.0/drives/1/root/delta?$select=nme')), /one of/);
    assert.throws(() => graph.checkRequest(get('/v1.0/drives/1/root/changes')), /no operation/);
    const wrong = json(200, { value: [{ id: '1', mimeType: 'text/plain' }] });
    assert.throws(() => graph.checkAnswer(delta, wrong), /no field mimeType/);
    const members = json(200, { value: [{ id: '1', email: 'ann@acme.test' }] });
    assert.throws(() => graph.checkAnswer(get('/v1.0/groups/1/members'), members), /field email/);
    assert.throws(() => graph.checkAnswer(delta, json(410, { code: 'resyncRequired' })), /code/);
  });
});

describe('the contract of Gmail', () => {
  const gmail = openOf('gmail');

  it('allows messages and their history, and nothing that Gmail does not have', () => {
    const message = {
      id: '1',
      threadId: '2',
      labelIds: ['INBOX'],
      historyId: '3',
      internalDate: '1512085950000',
      payload: {
        mimeType: 'text/plain',
        headers: [{ name: 'From', value: 'a' }],
        body: { size: 1, data: 'YQ' },
      },
    };
    gmail.checked(get('/gmail/v1/users/me/messages/1?format=full'), json(200, message));
    const history = get(
      '/gmail/v1/users/me/history?startHistoryId=1&historyTypes=messageAdded&historyTypes=messageDeleted',
    );
    gmail.checked(
      history,
      json(200, {
        history: [{ id: '1', messagesDeleted: [{ message: { id: '1' } }] }],
        historyId: '4',
      }),
    );
    assert.throws(() => gmail.checkAnswer(history, json(200, { items: [] })), /no field items/);
    assert.throws(
      () => gmail.checkRequest(get('/gmail/v1/users/me/messages?query=a')),
      /query query/,
    );
  });
});

describe('the contract of Notion', () => {
  const notion = openOf('notion');

  it('knows data sources, and the forms of queries', () => {
    const sort = { direction: 'descending', timestamp: 'last_edited_time' };
    const search = { sort, filter: { property: 'object', value: 'data_source' }, page_size: 100 };
    notion.checkRequest(post('/v1/search', search));
    notion.checkRequest(post('/v1/data_sources/1/query', { start_cursor: 'a' }));
    assert.throws(() => notion.checkRequest(post('/v1/databases/1/query', {})), /no operation/);
    const wrong = { ...search, filter: { property: 'object', value: 'database' } };
    assert.throws(() => notion.checkRequest(post('/v1/search', wrong)), /one of/);
    assert.throws(() => notion.checkRequest(post('/v1/search', { limit: 1 })), /no field limit/);
  });

  it("checks answers by the types of Notion's client", () => {
    const ann = { object: 'user', id: '1', name: 'Ann', avatar_url: null, type: 'person' };
    const user = { ...ann, person: { email: 'ann@acme.test' } };
    notion.checked(get('/v1/users/1'), json(200, user));
    const list = { object: 'list', type: 'user', user: {}, next_cursor: null, has_more: false };
    notion.checked(get('/v1/users?page_size=2'), json(200, { ...list, results: [user] }));
    const wrong = json(200, { ...list, results: [{ ...user, email: 'ann@acme.test' }] });
    assert.throws(() => notion.checkAnswer(get('/v1/users'), wrong), /has no field email/);
    const nobody = json(200, { ...user, name: 7 });
    assert.throws(() => notion.checkAnswer(get('/v1/users/1'), nobody), /name must be/);
    assert.throws(() => notion.checkAnswer(get('/v1/users'), json(200, list)), /'results'/);
  });
});

describe('the contract of Jira', () => {
  const jira = openOf('jira');
  const search = get(
    '/rest/api/3/search/jql?jql=project%3DOPS&fields=summary,project&maxResults=2',
  );
  const project = { id: '10000', key: 'OPS', name: 'Operations' };
  const page = {
    isLast: false,
    nextPageToken: 'a',
    issues: [{ id: '1', key: 'OPS-1', fields: { summary: 'a', project, customfield_10010: 7 } }],
  };

  it("knows today's search, and refuses the one that is gone", () => {
    jira.checked(search, json(200, page));
    jira.checked(
      post('/rest/api/3/search/jql', { jql: 'project = OPS', fields: ['summary'] }),
      json(200, { issues: [], isLast: true }),
    );
    for (const gone of [get('/rest/api/3/search?jql=a'), post('/rest/api/3/search', { jql: 'a' })])
      assert.throws(() => jira.checkRequest(gone), /no operation/);
    assert.throws(
      () => jira.checkRequest(get('/rest/api/3/search/jql?startAt=0')),
      /query startAt/,
    );
    const total = json(200, { ...page, total: 1 });
    assert.throws(() => jira.checkAnswer(search, total), /no field total/);
  });

  it('knows the fields of issues, and the form of refusals', () => {
    const wrong = (fields: object) => json(200, { ...page, issues: [{ id: '1', fields }] });
    assert.throws(() => jira.checkAnswer(search, wrong({ description: 'a' })), /description must/);
    assert.throws(() => jira.checkAnswer(search, wrong({ owner: null })), /no field owner/);
    jira.checkAnswer(search, json(400, { errorMessages: ['a'], errors: {} }));
    assert.throws(() => jira.checkAnswer(search, json(400, { message: 'a' })), /no field message/);
    const one = get('/rest/api/3/project/search?status=live&status=archived&expand=lead');
    jira.checkRequest(one);
    assert.throws(() => jira.checkRequest(get('/rest/api/3/project/search?status=old')), /one of/);
  });
});

describe('the contracts of Confluence', () => {
  const [confluence, first] = [openOf('confluence'), openOf('confluence-v1')];

  it('knows pages with a body, and the search of the first version', () => {
    const pages = get(
      '/wiki/api/v2/pages?space-id=1&space-id=2&status=trashed&body-format=storage',
    );
    const body = { storage: { value: '<p/>', representation: 'storage' } };
    const page = { id: '7', status: 'trashed', title: 'a', spaceId: '1', parentId: null, body };
    const answer = { results: [page], _links: { next: '/wiki/api/v2/pages?cursor=a' } };
    confluence.checked(pages, json(200, answer));
    assert.throws(() => confluence.checkRequest(get('/wiki/api/v2/pages?spaceId=1')), /spaceId/);
    assert.throws(() => confluence.checkRequest(get('/wiki/rest/api/content')), /no operation/);
    const wrong = json(200, { ...answer, results: [{ ...page, id: 7 }] });
    assert.throws(() => confluence.checkAnswer(pages, wrong), /id must be string/);
    first.checkRequest(get('/wiki/rest/api/search?cql=type%3Dpage&limit=5&expand=content.version'));
    assert.throws(() => first.checkRequest(get('/wiki/rest/api/search?limit=5')), /lacks cql/);
  });
});
