import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { nameOf, readDocuments, readQueries, untitled, withCutNames } from './judged.ts';

describe('a judged set', () => {
  let root: string;
  let made = 0;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'quarry-judged-'));
  });
  after(() => rmSync(root, { recursive: true }));

  const folder = (files: Record<string, string>): string => {
    const path = join(root, `set-${made++}`);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
    return path;
  };
  const queries = '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two"}\n';

  it('is read from the files of BEIR, whose ids are named `_id` or `id`', () => {
    const path = folder({
      'corpus.jsonl': '{"_id": "a", "title": "A", "text": "x"}\r\n\n{"id": 7, "text": "y"}',
      'queries.jsonl': queries,
      'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\t7\t0\nq2\ta\t0\n',
    });
    const documents = readDocuments(path);
    assert.deepEqual(documents, [
      { id: 'a', title: 'A', text: 'x' },
      { id: '7', title: '', text: 'y' },
    ]);
    assert.deepEqual(readQueries(path, new Set(['a', '7'])), [
      { id: 'q1', text: 'one', relevant: new Map([['a', 2]]) },
    ]);
    assert.equal(nameOf(`${path}/`), nameOf(path));
  });

  it('is read even if its judgements have no header line', () => {
    const path = folder({ 'queries.jsonl': queries, 'qrels.tsv': 'q1\ta\t1\n' });
    assert.equal(readQueries(path, null).length, 1);
  });

  it('can have its titles removed, or replaced by the beginnings of the texts', () => {
    const documents = [
      { id: 'a', title: 'A', text: ' Hello,\n\nwho has 😀 seen it?' },
      { id: 'b', title: '', text: 'short' },
    ];
    const titles = (of: typeof documents) => of.map(({ title }) => title);
    assert.deepEqual(titles(untitled(documents)), ['', '']);
    assert.deepEqual(titles(withCutNames(documents, 14)), ['Hello, who has', 'short']);
    // Half of a surrogate pair is not a character.
    assert.deepEqual(titles(withCutNames(documents, 16)), ['Hello, who has ', 'short']);
    assert.deepEqual(withCutNames(documents, 5)[0]?.text, documents[0]?.text);
  });

  for (const [what, files, message] of [
    [
      'a line that is not JSON',
      { 'corpus.jsonl': '{"id": "a", "text": "x"}\n{' },
      /corpus\.jsonl:2: this is not JSON/,
    ],
    ['a line without an id', { 'corpus.jsonl': '{"text": "x"}' }, /corpus\.jsonl:1: .*"_id"/],
    [
      'a line whose text is not a string',
      { 'corpus.jsonl': '{"id": "a", "text": 1}' },
      /corpus\.jsonl:1: "text"/,
    ],
    [
      'the same id twice',
      { 'corpus.jsonl': '{"id":1,"text":""}\n{"id":1,"text":""}' },
      /the id .*1 occurs twice/,
    ],
    ['an empty file', { 'corpus.jsonl': '' }, /is empty/],
    ['a missing file', {}, /cannot read .*corpus\.jsonl/],
  ] as const)
    it(`refuses documents with ${what}`, () => {
      assert.throws(() => readDocuments(folder(files)), message);
    });

  for (const [what, files, message] of [
    ['a missing file', { 'queries.jsonl': queries }, /neither qrels\.tsv nor/],
    [
      'a line of two columns',
      { 'queries.jsonl': queries, 'qrels.tsv': 'q1\ta\t1\nq1\ta\n' },
      /qrels\.tsv:2/,
    ],
    ['an unknown query', { 'queries.jsonl': queries, 'qrels.tsv': 'q9\ta\t1\n' }, /no query q9/],
    [
      'an unknown document',
      { 'queries.jsonl': queries, 'qrels.tsv': 'q1\tb\t1\n' },
      /no document b/,
    ],
  ] as const)
    it(`refuses judgements with ${what}`, () => {
      assert.throws(() => readQueries(folder(files), new Set(['a'])), message);
    });
});
