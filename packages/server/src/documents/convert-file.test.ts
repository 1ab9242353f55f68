import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { tarFile, zipFile } from '../test/documents/archive-file.ts';
import { convertedFile } from '../test/documents/converted.ts';
import { convertFile, MAX_INNER_BYTES, MAX_INNER_DOCUMENTS, MAX_LEFT_OUT } from './convert-file.ts';

const MB = 1024 * 1024;
const bytes = (text: string) => Buffer.from(text);
const inside = async (file: Uint8Array) => {
  const outcome = await convertedFile('zip', 'a.zip', file);
  assert.ok(outcome.is === 'text', JSON.stringify(outcome));
  return outcome.inner ?? [];
};

describe('a document that is of another kind than its name says', () => {
  const page = '<!doctype html><html><p>Hello';
  const message = 'MIME-Version: 1.0\r\nFrom: Ann <ann@example.org>\r\n\r\nHello';
  for (const [kind, content, other] of [
    ['doc', '{\\rtf1 Hello}', 'rtf'],
    ['doc', page, 'html'],
    ['xls', page, 'html'],
    ['xls', message, 'eml'],
    ['msg', message, 'eml'],
    ['svg', page, 'html'],
  ] as const)
    it(`names both kinds, so that a new version of either reads it again: ${kind} and ${other}`, async () => {
      const outcome = await convertedFile(kind, `a.${kind}`, bytes(content));
      assert.ok(outcome.is === 'text', JSON.stringify(outcome));
      assert.deepEqual([outcome.text.includes('Hello'), outcome.readAs], [true, [other]]);
    });
});

describe('the documents inside of a file', () => {
  it('come after their container, each with its path', async () => {
    const inner = zipSync({ 'b.md': bytes('Beta'), 'c.png': bytes('x') });
    const found = await inside(zipSync({ 'a.zip': inner, 'd.md': bytes('Delta') }));
    assert.deepEqual(
      found.map(({ path, kind, outcome }) => [path, kind, outcome.is]),
      [
        ['a.zip', 'zip', 'text'],
        ['a.zip!/b.md', 'plain', 'text'],
        ['a.zip!/c.png', 'plain', 'skip'],
        ['d.md', 'plain', 'text'],
      ],
    );
  });

  it('have paths of their own, even when the archive repeats a path', async () => {
    const same = Array.from({ length: 3 }, () => ({ name: 'a.md', content: 'x' }));
    const found = await inside(zipFile([...same, { name: 'a.md#2', content: 'x' }]));
    assert.deepEqual(
      found.map(({ path }) => path),
      ['a.md', 'a.md#2', 'a.md#3', 'a.md#2#2'],
    );
  });

  it('are below the archive that they are in, even when two archives have one path', async () => {
    const first = zipSync({ 'x.txt': bytes('first') });
    const second = zipSync({ 'x.txt': bytes('second'), 'y.txt': bytes('second') });
    const found = await inside(
      zipFile([first, second].map((content) => ({ name: 'a.zip', content }))),
    );
    assert.deepEqual(
      found.map(({ path }) => path),
      ['a.zip', 'a.zip!/x.txt', 'a.zip#2', 'a.zip#2!/x.txt', 'a.zip#2!/y.txt'],
    );
  });

  it('are not taken from an archive that is broken behind them', async () => {
    const parts = [
      { name: 'a.txt', content: 'Alpha' },
      { name: '.env', content: 'x' },
      { name: 'b.txt', content: 'x'.repeat(2000) },
    ];
    const content = tarFile(parts).subarray(0, 2500);
    const found = await inside(
      zipFile([
        { name: 'cut.tar', content },
        { name: 'c.txt', content: 'Gamma' },
      ]),
    );
    assert.deepEqual(
      found.map(({ path, outcome }) => [path, outcome.is]),
      [
        ['cut.tar', 'broken'],
        ['c.txt', 'text'],
      ],
    );
  });

  it('say why they cannot be read', async () => {
    const found = await inside(
      zipFile([
        { name: 'a.md', content: 'x', flags: 1 },
        { name: 'b.pdf', content: 'x' },
      ]),
    );
    assert.deepEqual(
      found.map(({ path, outcome }) => [path, outcome]),
      [
        [
          'a.md',
          {
            is: 'broken',
            reason: 'the file is protected by a password in the archive',
            hint: 'Store it without the password.',
          },
        ],
        [
          'b.pdf',
          {
            is: 'broken',
            reason: 'the file is broken or is not a PDF',
            hint: 'Open it in a viewer and save it again.',
          },
        ],
      ],
    );
  });

  it('are not recordings, even when those are read otherwise', async () => {
    const talk = zipFile([{ name: 'talk.mp3', content: 'ID3', declared: { size: 300 * MB } }]);
    const optional = [['recording', 2000]] as const;
    for (const request of [{}, { optional }]) {
      const of = { kind: 'zip', name: 'a.zip', ...request } as const;
      const outcome = await convertFile(of, talk, () => {});
      assert.ok(outcome.is === 'text');
      assert.deepEqual(outcome.inner?.[0]?.outcome, {
        is: 'skip',
        omission: {
          reason: 'of a kind without text',
          detail: 'a recording inside of another file',
          hint: 'Store it as a file of its own: the next sync reads what is spoken.',
        },
      });
    }
  });

  it('are read down to three levels', async () => {
    let file: Uint8Array = zipSync({ 'deep.md': bytes('x') });
    for (let level = 4; level > 0; level--) file = zipSync({ [`${level}.zip`]: file });
    const found = await inside(file);
    assert.deepEqual(
      found.map(({ path, outcome }) => [path, outcome.is]),
      [
        ['1.zip', 'text'],
        ['1.zip!/2.zip', 'text'],
        ['1.zip!/2.zip!/3.zip', 'text'],
        ['1.zip!/2.zip!/3.zip!/4.zip', 'skip'],
      ],
    );
  });

  it('are limited in their number, together with those in other archives', async () => {
    const many = Array.from({ length: MAX_INNER_DOCUMENTS + 1 }, (_, i) => ({ name: `f${i}` }));
    assert.deepEqual(await convertedFile('zip', 'a.zip', zipFile(many)), {
      is: 'broken',
      reason: `more than ${MAX_INNER_DOCUMENTS} documents are inside of the file`,
      hint: 'Unpack it, or split it into smaller files: the next sync reads them.',
    });
  });

  it('are limited in their size', async () => {
    // These are control characters, so that no text is made of them.
    const content = randomFillSync(Buffer.alloc(19 * MB)).map((byte) => byte & 7);
    const parts = Array.from({ length: 12 }, (_, i) => ({ name: `f${i}.txt`, content, method: 0 }));
    assert.deepEqual(await convertedFile('zip', 'a.zip', zipFile(parts)), {
      is: 'broken',
      reason: `more than ${MAX_INNER_BYTES / MB} MB are inside of the file`,
      hint: 'Unpack it, or split it into smaller files: the next sync reads them.',
    });
  });

  it('are limited in the size of what they pack, too', async () => {
    const content = gzipSync(
      randomFillSync(Buffer.alloc(19 * MB)).map((byte) => byte & 7),
      { level: 1 },
    );
    const parts = Array.from({ length: 8 }, (_, i) => ({
      name: `f${i}.txt.gz`,
      content,
      method: 0,
    }));
    const outcome = await convertedFile('zip', 'a.zip', zipFile(parts));
    assert.ok(outcome.is === 'broken' && outcome.reason.startsWith('more than 200 MB'));
    assert.ok(content.length * parts.length < MAX_INNER_BYTES / 2);
  });

  it('are noted together when a folder is left out', async () => {
    const found = await inside(
      zipFile(['node_modules/a.md', 'node_modules/b.md', 'c.md'].map((name) => ({ name }))),
    );
    assert.deepEqual(
      found.map(({ path }) => path),
      ['node_modules', 'c.md'],
    );
  });

  it('are noted only up to a limit when they are left out', async () => {
    const photos = Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}.jpg` }));
    const found = await inside(zipFile([...photos, { name: 'a.md', content: 'Alpha' }]));
    assert.equal(found.length, MAX_LEFT_OUT + 1);
    assert.equal(found.at(-1)?.path, 'a.md');
  });
});

it('an error that no converter throws on purpose becomes plain words, and is kept for developers', async () => {
  const none = 'none' as Parameters<typeof convertedFile>[0];
  assert.deepEqual(await convertedFile(none, 'a.none', bytes('x')), {
    is: 'broken',
    reason: 'the document is broken, or written in a way that Quarry cannot read',
    hint: 'Open it in the program that has made it, and save it again.',
    error: 'TypeError: CONVERTERS[one] is not a function',
  });
});
