/**
 * Tests that the database, which looks for needles before an expression is tried, hides no line, and that an answer that
 * ends early says how much it has looked at.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RE2JS } from 're2js';
import { openTestApi, type TestApi } from '../api/harness.ts';
import { DATABASES } from '../databases.ts';
import { random } from '../random/random.ts';
import { libraryOn } from '../search/library.ts';

const WORDS = [
  ...['timeout', 'TimeOut', 'TIMEOUT', 'timed out', 'disconnection', 'the', 'ECONNREFUSED', 'x.y'],
  ...[
    'größe',
    'GRÖSSE',
    'Kelvin 300K',
    'ſtart',
    'start',
    '日本語の文',
    'İstanbul',
    "it's",
    '100 %',
    'a_b',
  ],
];
const PATTERNS = [
  ...['timeout', 'TimeOut|timed', 'out', 'connect', 'the', 'ECONN', 'x\\.y', 'x.y', 'größe', 'SSE'],
  ...[
    '300K',
    'start',
    '本語',
    'İst',
    "'s",
    '0 %',
    '_',
    'time ?out',
    '^timed',
    '\\bout\\b',
    'zebra',
    '\\d{3}',
  ],
];
const DOCS = 120;
const ANN = 'user:ann';

interface Answer {
  readonly records: readonly {
    readonly name: string;
    readonly lines: { readonly line: string }[];
  }[];
  readonly searched: number;
  readonly looked_at: number;
  readonly next: string | null;
}

for (const database of DATABASES)
  describe(`lines of many records on ${database.name}`, () => {
    let api: TestApi;
    const chance = random(5);
    const docs = Array.from({ length: DOCS }, (_, i) => ({
      id: `doc-${String(i).padStart(3, '0')}`,
      text: Array.from({ length: 6 }, () =>
        Array.from({ length: 4 }, () => chance.pick(WORDS)).join(' '),
      ).join('\n'),
      fields: { even: i % 2 === 0 },
      ...(i % 3 === 0 && { access: { viewers: ['user:bob'], isPublic: false } }),
    }));
    before(async () => {
      const opened = await database.open();
      api = await openTestApi(opened);
      const body = { name: 'Logs', readable_id: 'logs' };
      const { id } = (await api.call('POST', '/v1/collections', { body })).body;
      const library = libraryOn(opened, 'exact', (await api.owner()).organizationId);
      await library.put(id, await library.addConnection(id), docs);
    });
    after(() => api.close());

    async function pages(given: object, who?: string): Promise<Answer[]> {
      const all: Answer[] = [];
      for (let after: string | null | undefined; after !== null; after = all.at(-1)?.next) {
        const { status, body } = await api.call('POST', '/v1/collections/logs/contents/grep', {
          body: { limit: 1000, ...given, ...(after !== undefined && { after }) },
          ...(who && { headers: { 'x-principals': who } }),
        });
        assert.equal(status, 200, JSON.stringify(body));
        all.push(body);
      }
      return all;
    }
    const linesIn = (all: readonly Answer[]) =>
      all.flatMap(({ records }) =>
        records.flatMap(({ name, lines }) => lines.map(({ line }) => `${name}: ${line}`)),
      );
    const seenBy = (who?: string) => docs.filter(({ access }) => !who || !access);

    for (const ignore_case of [false, true])
      it(`are those that the expression matches in each line, ${ignore_case ? 'in any case' : 'in this case'}`, async () => {
        for (const pattern of PATTERNS)
          for (const who of [undefined, ANN]) {
            const expression = RE2JS.compile(pattern, ignore_case ? RE2JS.CASE_INSENSITIVE : 0);
            const expected = seenBy(who).flatMap(({ id, text }) =>
              text
                .split('\n')
                .filter((line) => expression.matcher(line).find())
                .map((line) => `${id}: ${line}`),
            );
            const all = await pages({ pattern, ignore_case }, who);
            assert.deepEqual(linesIn(all), expected, pattern);
            const searched = all.reduce((sum, page) => sum + page.searched, 0);
            assert.equal(searched, seenBy(who).length, pattern);
            if (pattern === 'timeout') assert.ok(expected.length > 50);
          }
        const filter = { must: [{ key: 'metadata.even', match: { value: true } }] };
        const filtered = await pages({ pattern: 'timeout', ignore_case, filter }, ANN);
        assert.equal(filtered[0]?.searched, 40);
      });

    it('that end early say which share of what the asker may see they have looked at', async (t) => {
      let now = 0;
      t.mock.method(performance, 'now', () => {
        now += 700;
        return now;
      });
      for (const [pattern, limit] of [
        ['\\d{9}', 1000],
        ['timeout', 1],
      ] as const)
        for (const who of [undefined, ANN]) {
          const all = await pages({ pattern, limit }, who);
          assert.ok(all.length > 3, `${all.length}`);
          const total = seenBy(who).length;
          let seen = 0;
          for (const { searched, looked_at, next } of all) {
            seen += searched;
            const share = Math.min(0.99, Math.floor((100 * seen) / total) / 100);
            assert.equal(looked_at, next === null ? 1 : share);
          }
          assert.equal(seen, total);
        }
    });
  });
