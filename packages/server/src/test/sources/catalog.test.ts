/** Tests the catalog over HTTP, and what must hold for every source in it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import pino from 'pino';
import { createServer } from '../../http/server.ts';
import { push } from '../../sources/catalog/push.ts';
import { catalog } from '../../sources/catalog.ts';
import { definitionId } from '../../sources/definitions.ts';
import { describeSource } from '../../sources/describe.ts';
import { sourceRoutes } from '../../sources/routes.ts';
import { dateOf } from '../contracts/contract.ts';
import { CONTRACTS } from '../contracts/table.ts';
import { identityOf } from '../identity.ts';

const { devDependencies } = JSON.parse(
  readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'),
);
const REDIRECT = 'https://quarry.example.com/v1/source-connections/callback';

/** People choose sources by these labels, so two labels must not mean the same. */
const LABELS = [
  'Calendar',
  'Code',
  'CRM',
  'Custom',
  'Customer Support',
  'Database',
  'Email',
  'Files',
  'Issues',
  'Knowledge Base',
  'Messaging',
  'Project Management',
  'Web',
];

describe('the catalog', () => {
  const app = createServer({
    log: pino({ level: 'silent' }),
    authenticate: async () => identityOf('o', { role: 'read' }),
    unavailableReason: () => null,
    routes: (scope) => sourceRoutes(scope, catalog, () => REDIRECT),
  });
  after(() => app.close());

  async function get(url: string) {
    const response = await app.inject({ method: 'GET', url });
    return {
      status: response.statusCode,
      total: response.headers['x-total-count'],
      body: response.json(),
    };
  }

  describe('the source catalog', () => {
    it('[SRC-01] has labels of one vocabulary', () => {
      for (const { shortName, labels } of catalog.values()) {
        assert.ok(labels.length > 0, `${shortName} has no label`);
        for (const label of labels) assert.ok(LABELS.includes(label), `${shortName}: ${label}`);
      }
    });

    it('[SRC-01] lists all sources, in pages', async () => {
      const all = await get('/v1/sources');
      assert.equal(all.status, 200);
      assert.equal(all.total, String(catalog.size));
      assert.deepEqual(
        all.body.map((source: { short_name: string }) => source.short_name),
        [
          'files',
          'caldav',
          'confluence',
          'discourse',
          'git',
          'github',
          'github_code',
          'gmail',
          'google_drive',
          'imap',
          'intercom',
          'jira',
          'linear',
          'mysql',
          'notion',
          'outline',
          'outlook_mail',
          'postgresql',
          'push',
          's3',
          'sharepoint_online',
          'slack',
          'slack_history',
          'web',
        ],
      );
      const page = await get('/v1/sources?skip=1&limit=1');
      assert.deepEqual([page.total, page.body], [all.total, [all.body[1]]]);
      for (const wrong of ['skip=-1', 'limit=0', 'limit=1001'])
        assert.equal((await get(`/v1/sources?${wrong}`)).status, 422, wrong);
    });

    it('[SRC-01] answers one source as the list shows it, and 404 for an unknown one', async () => {
      const all = await get('/v1/sources');
      for (const source of all.body)
        assert.deepEqual((await get(`/v1/sources/${source.short_name}`)).body, source);
      const unknown = await get('/v1/sources/fax');
      assert.equal(unknown.status, 404);
      assert.equal(unknown.body.detail, "source 'fax' does not exist: GET /v1/sources lists them");
    });

    it('[SRC-13] files, web and push list no credentials, by the method direct', async () => {
      for (const name of ['files', 'web', 'push']) {
        const { body } = await get(`/v1/sources/${name}`);
        assert.deepEqual([body.auth_methods, body.auth_fields], [['direct'], null]);
        assert.deepEqual([body.oauth_scopes, body.redirect_uri], [null, null]);
      }
    });

    it('[SRC-15] [SRC-10] postgresql takes what a connection needs, and hides the secrets alone', async () => {
      const { body } = await get('/v1/sources/postgresql');
      const fields = body.auth_fields.fields as {
        name: string;
        required: boolean;
        secret?: boolean;
      }[];
      assert.deepEqual(
        fields.map(({ name }) => name),
        ['url', 'host', 'port', 'database', 'user', 'password', 'schema', 'ssl'],
      );
      // A connection needs either the url or the other fields.
      assert.ok(fields.every(({ required }) => !required));
      assert.deepEqual(
        fields.filter(({ secret }) => secret).map(({ name }) => name),
        ['url', 'password'],
      );
      assert.deepEqual(
        fields.flatMap((field) => ('default' in field ? [[field.name, field.default]] : [])),
        [
          ['port', 5432],
          ['schema', 'public'],
          ['ssl', 'prefer'],
        ],
      );
      assert.deepEqual(
        body.config_fields.fields.map((field: { name: string }) => field.name),
        ['tables', 'schemas', 'queries'],
      );
      assert.equal(body.supports_continuous, true);
    });

    it('[SRC-15] postgresql takes a URL or the fields that say the same, and not both', () => {
      const schema = catalog.get('postgresql')?.auth.direct?.fields.strict();
      const url = 'postgres://ann:secret-pass@db/shop';
      const fields = { host: 'db', database: 'shop', user: 'ann', password: 'secret-pass' };
      const faults = (credentials: object) =>
        schema?.safeParse(credentials).error?.issues.map(({ path }) => path.join('.')) ?? [];
      for (const right of [
        { url },
        fields,
        { url, schema: 'sales', ssl: 'verify' },
        { url, port: 5432 },
      ])
        assert.deepEqual(faults(right), [], JSON.stringify(right));
      for (const [wrong, where] of [
        [{}, ['host', 'database', 'user', 'password']],
        [{ ...fields, host: undefined }, ['host']],
        [{ ...fields, user: 'a\0database\0other' }, ['user']],
        [{ ...fields, password: 'a\0b' }, ['password']],
        [{ ...fields, url }, ['host', 'database', 'user', 'password']],
        [{ url, port: 5433 }, ['port']],
        [{ url: 'postgres://db/shop' }, ['url']],
        [{ url: `${url}?sslmode=disable`, ssl: 'verify' }, ['ssl']],
      ] as const)
        assert.deepEqual(faults(wrong), where, JSON.stringify(wrong));
    });

    it('postgresql takes tables or queries, each named once, and nothing else', () => {
      const config = catalog.get('postgresql')?.config;
      const query = { name: 'q', query: 'select 1 as id' };
      const valid = [
        {},
        { tables: ['a', 'b'] },
        { schemas: ['a', 'b'] },
        { queries: [query] },
        { queries: [{ ...query, key: ['a', 'b'] }] },
      ];
      for (const one of valid) assert.ok(config?.safeParse(one).success, JSON.stringify(one));
      assert.deepEqual(config?.parse({ queries: [query] }), {
        queries: [{ ...query, key: ['id'] }],
      });
      const wrong = [
        { tables: ['a'], queries: [query] },
        { tables: ['a'], schemas: ['b'] },
        { schemas: ['a'], queries: [query] },
        { schemas: [] },
        { schemas: ['a', 'a'] },
        { tables: [] },
        { tables: ['a', 'a'] },
        { tables: [''] },
        { queries: [] },
        { queries: [query, query] },
        { queries: [{ ...query, key: [] }] },
        { queries: [{ name: 'q', query: '' }] },
        { table: ['a'] },
      ];
      for (const one of wrong) assert.ok(!config?.safeParse(one).success, JSON.stringify(one));
    });

    it('[SRC-10] github_code is searched live, and hides the token', async () => {
      const { body } = await get('/v1/sources/github_code');
      assert.deepEqual([body.federated_search, body.supports_continuous], [true, false]);
      const [token, ...others] = body.auth_fields.fields;
      assert.deepEqual(
        [token.name, token.secret, token.required, others],
        ['token', true, true, []],
      );
      assert.deepEqual(
        body.config_fields.fields.map((field: { name: string; default?: string }) => [
          field.name,
          field.default,
        ]),
        [
          ['base_url', 'https://api.github.com'],
          ['scope', undefined],
        ],
      );
      for (const one of ['files', 'postgresql', 'push'])
        assert.equal((await get(`/v1/sources/${one}`)).body.federated_search, false, one);
    });

    it('push is not pulled, and takes any fields and no settings', () => {
      assert.equal(push.pull, undefined);
      assert.equal(push.config.safeParse({ any: 1 }).success, false);
      assert.deepEqual(push.entities.PushedEntity?.parse({ any: [1] }), { any: [1] });
      const { supports_continuous, output_entity_definitions } = describeSource(push);
      assert.deepEqual([supports_continuous, output_entity_definitions], [false, ['PushedEntity']]);
    });
  });

  describe('the evidence of a source', () => {
    const documents = Object.values(CONTRACTS).map(({ title, origin }) => ({
      title,
      date: dateOf(origin),
    }));
    for (const { shortName, evidence } of catalog.values())
      it(`${shortName} says what proves it, as of when, and is independently checked`, () => {
        assert.ok(evidence.some((one) => one.class !== 'E'));
        for (const one of evidence) {
          assert.ok(one.by !== '' && one.asOf !== '');
          // A digest of a newer document leads to the source that names the older one.
          const isDocument = documents.some(
            ({ title, date }) => one.by.endsWith(title) && one.asOf === date,
          );
          assert.ok(one.class !== 'C' || isDocument, `no contract is ${one.by} of ${one.asOf}`);
          if (one.by.endsWith('emulate')) assert.equal(one.asOf, devDependencies.emulate);
        }
      });
  });

  describe('entity definitions', () => {
    it('[ENT-12] [ENT-14] are listed in pages and answered by id, and 404 when unknown', async () => {
      const all = await get('/v1/entity-definitions');
      assert.equal(all.total, String(all.body.length));
      assert.deepEqual(
        all.body.map((one: { id: string; name: string; source_short_name: string }) => [
          one.source_short_name,
          one.name,
          one.id,
        ]),
        [
          ['files', 'File'],
          ['caldav', 'CalDavEntry'],
          ['confluence', 'ConfluenceSpace'],
          ['confluence', 'ConfluencePage'],
          ['confluence', 'ConfluenceBlogPost'],
          ['confluence', 'ConfluenceComment'],
          ['confluence', 'ConfluenceAttachment'],
          ['discourse', 'DiscourseCategory'],
          ['discourse', 'DiscourseTopic'],
          ['discourse', 'DiscoursePost'],
          ['git', 'GitFile'],
          ['github', 'GitHubRepository'],
          ['github', 'GitHubFile'],
          ['github', 'GitHubIssue'],
          ['github', 'GitHubPullRequest'],
          ['github', 'GitHubComment'],
          ['github', 'GitHubReviewComment'],
          ['github_code', 'GitHubCodeFile'],
          ['gmail', 'GmailMessage'],
          ['gmail', 'GmailAttachment'],
          ['google_drive', 'GoogleDriveFile'],
          ['imap', 'ImapMessage'],
          ['imap', 'ImapAttachment'],
          ['intercom', 'IntercomConversation'],
          ['intercom', 'IntercomTicket'],
          ['intercom', 'IntercomCollection'],
          ['intercom', 'IntercomArticle'],
          ['jira', 'JiraProject'],
          ['jira', 'JiraIssue'],
          ['jira', 'JiraComment'],
          ['jira', 'JiraAttachment'],
          ['linear', 'LinearIssue'],
          ['linear', 'LinearComment'],
          ['linear', 'LinearProject'],
          ['linear', 'LinearDocument'],
          ['mysql', 'MysqlRow'],
          ['notion', 'NotionPage'],
          ['notion', 'NotionDatabase'],
          ['notion', 'NotionFile'],
          ['notion', 'NotionComment'],
          ['outline', 'OutlineCollection'],
          ['outline', 'OutlineDocument'],
          ['outline', 'OutlineComment'],
          ['outline', 'OutlineFile'],
          ['outlook_mail', 'OutlookMessage'],
          ['outlook_mail', 'OutlookAttachment'],
          ['postgresql', 'PostgresRow'],
          ['push', 'PushedEntity'],
          ['s3', 'S3Object'],
          ['sharepoint_online', 'SharePointOnlineFile'],
          ['slack', 'SlackMessage'],
          ['slack_history', 'SlackMessage'],
          ['slack_history', 'SlackFile'],
          ['web', 'WebPage'],
          ['web', 'WebDocument'],
          ['web', 'WebFeedEntry'],
        ].map(([source = '', name = '']) => [source, name, definitionId(source, name)]),
      );
      assert.equal(all.body[0].json_schema.properties.size.type, 'integer');
      for (const one of all.body)
        assert.deepEqual((await get(`/v1/entity-definitions/${one.id}`)).body, one);
      const page = await get('/v1/entity-definitions?skip=3');
      assert.deepEqual([page.total, page.body], [all.total, all.body.slice(3)]);
      const unknown = await get(`/v1/entity-definitions/${definitionId('fax', 'Page')}`);
      assert.equal(unknown.status, 404);
      assert.match(
        unknown.body.detail,
        /^entity definition '.*' does not exist: GET \/v1\/entity-definitions lists them$/,
      );
      assert.equal((await get('/v1/entity-definitions/x')).status, 404);
    });
  });
});
