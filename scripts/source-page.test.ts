import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { catalog } from '../packages/server/src/sources/catalog.ts';
import { defineSource, secret } from '../packages/server/src/sources/define.ts';
import { stepsIn, tableOf, withHead } from './source-page.ts';

const notes = defineSource<object, object, { at: string }>({
  shortName: 'notes',
  name: 'Notes',
  description: 'Notes of a team.',
  labels: [],
  auth: {
    direct: { fields: z.object({ key: secret('Key', 'A key | of yours.') }) },
    oauth: {
      authorizeUrl: 'https://notes.example/a',
      tokenUrl: 'https://notes.example/t',
      scopes: ['read', 'groups'],
      refresh: 'rotating',
    },
  },
  config: z.strictObject({
    size: z.int().default(3).meta({ title: 'Size', description: 'Number of notes.' }),
  }),
  cursor: z.object({ at: z.string() }),
  deletions: 'listed',
  entities: { Note: z.object({}) },
  limits: '5 a minute',
  evidence: [
    { class: 'E', by: 'the pages of Notes', asOf: '2026-01-02' },
    { class: 'C', by: 'the document of Notes', asOf: '2026-01-01' },
  ],
  rateLimitLevel: 'org',
  async *pull() {},
});

describe('a page of a source', () => {
  const page = withHead(notes, '');
  const rows = new Map(
    [...page.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, title = '', fact = '']) => [title, fact]),
  );

  it('says in its head what the source says', () => {
    assert.equal(rows.get('short name'), '`notes`');
    assert.equal(rows.get('scopes of OAuth'), '`read`, `groups`');
    assert.match(rows.get('refresh tokens') ?? '', /work once/);
    assert.match(rows.get('syncs') ?? '', /full syncs, daily .* find what is gone/);
    assert.match(rows.get('ways to sign in') ?? '', /`direct`, `oauth_browser`/);
    assert.equal(
      rows.get('limits on calls'),
      'count for each organization; the service allows 5 a minute',
    );
    assert.equal(rows.get('files'), 'none');
    assert.equal(
      rows.get('evidence'),
      'C: the document of Notes (2026-01-01); E: not independently checked, the pages of Notes (2026-01-02)',
    );
    assert.equal(rows.get('`key`'), 'A key \\| of yours. (required, secret)');
    assert.equal(rows.get('`size`'), 'Number of notes. (default `3`)');
  });

  it('keeps what people have written below the head', () => {
    const written = `${page}\nClick on the moon.\n`;
    assert.equal(withHead(notes, written), written);
    const renamed = withHead({ ...notes, name: 'New notes' }, written);
    assert.match(renamed, /# New notes/);
    assert.doesNotMatch(renamed, /# Notes/);
    assert.equal(stepsIn(renamed), stepsIn(written));
  });
});

describe('the table of sources', () => {
  it('has a row for each source, and says what the classes of evidence mean', () => {
    const table = tableOf([notes, { ...notes, shortName: 'more', name: 'More' }]);
    assert.equal(table.match(/^\| \[(Notes|More)\]\((notes|more)\.md\) \| `direct`/gm)?.length, 2);
    assert.match(table, /E: not independently checked, the pages of Notes \(2026-01-02\)/);
    assert.match(table, /\*\*A\*\*: a real server/);
  });
});

describe('docs/sources', () => {
  it('has the table of all sources: npm run source-pages', () => {
    assert.equal(readFileSync('docs/sources/README.md', 'utf8'), tableOf(catalog.values()));
  });

  for (const source of catalog.values())
    it(`has a page for ${source.shortName} that agrees with the source: npm run source-pages`, () => {
      const page = readFileSync(`docs/sources/${source.shortName}.md`, 'utf8');
      assert.equal(page, withHead(source, page));
      assert.ok(stepsIn(page).length > 300, 'the page says how to connect the source');
      const headings = page.match(/^## .*/gm) ?? [];
      assert.deepEqual(headings, [...new Set(headings)], 'each heading stands on the page once');
    });
});
