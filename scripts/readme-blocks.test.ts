import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fill, matchConsole, matchJson, readSteps } from './readme-blocks.ts';

const block = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\`\n`;

describe('steps of a README', () => {
  it('are the marked blocks, each with the output after it', () => {
    const steps = readSteps(
      [
        block('sh', 'not marked'),
        block('console', 'nobody promised this'),
        '<!-- run: start -->',
        block('sh', 'npm start'),
        'It prints',
        block('console', 'ready'),
        '<!-- run -->',
        block('sh', 'curl a |\ncat'),
        '<!-- run: retry -->',
        block('sh', 'curl b'),
        block('json', '{}'),
        block('json', '{"more": 1}'),
      ].join('\n'),
    );
    assert.deepEqual(
      steps.map(({ mark, commands, promise }) => [mark, commands, promise?.kind, promise?.text]),
      [
        ['start', 'npm start', 'console', 'ready'],
        ['once', 'curl a |\ncat', undefined, undefined],
        ['retry', 'curl b', 'json', '{}'],
      ],
    );
    assert.equal(steps[0]?.line, 11);
  });
  it('are refused with a mark that says nothing', () => {
    assert.throws(() => readSteps('<!-- run: later -->'), /line 1: there is no mark 'later'/);
    assert.throws(() => readSteps('<!-- run -->\n<!-- run -->'), /line 2: two marks/);
    assert.throws(() => readSteps('<!-- run -->\ntext'), /no commands/);
  });
});

describe('promised text', () => {
  it('is the whole output of a command', () => {
    assert.deepEqual(matchConsole('a.b\nc', 'a.b \nc\n\n', true), {});
    assert.equal(matchConsole('a.b', 'axb', true), null);
    assert.equal(matchConsole('a.b', 'a.b\nmore', true), null);
    assert.equal(matchConsole('a.b', 'more\na.b', true), null);
  });
  it('is whole lines of what a service prints', () => {
    assert.deepEqual(matchConsole('  key <key>\n…\n  end', 'x\n  key k1\n1\n2\n  end\ny', false), {
      key: 'k1',
    });
    assert.equal(matchConsole('key', 'the key', false), null);
    assert.equal(matchConsole('key', 'keys', false), null);
  });
  it('leaves lines and parts of lines open', () => {
    assert.deepEqual(matchConsole('…\nlast …', '1\n2\nlast one', true), {});
    assert.deepEqual(matchConsole('last\n…', 'last', true), {});
    assert.equal(matchConsole('…\nlast', '1\n2', true), null);
  });
});

describe('promised JSON', () => {
  it('has these keys and no others', () => {
    assert.deepEqual(matchJson({ a: 1, b: null }, { b: null, a: 1 }), {});
    assert.equal(matchJson({ a: 1 }, { a: 1, b: 2 }), null);
    assert.equal(matchJson({ a: 1, b: 2 }, { a: 1 }), null);
    assert.equal(matchJson({ a: 1 }, { a: '1' }), null);
    assert.equal(matchJson({}, []), null);
  });
  it('may be left open', () => {
    assert.deepEqual(matchJson({ a: '…', '…': '…' }, { a: [1], b: 2 }), {});
    assert.equal(matchJson({ a: '…', '…': '…' }, { b: 2 }), null);
    assert.deepEqual(matchJson([1, '…'], [1, 2, 3]), {});
    assert.deepEqual(matchJson([1, '…'], [1]), {});
    assert.equal(matchJson([1, 2, '…'], [1]), null);
    assert.equal(matchJson([1], [1, 2]), null);
  });
  it('names parts of it', () => {
    assert.deepEqual(
      matchJson([{ id: '<id>', n: '<n>', t: 'x-<t>' }], [{ id: 'i', n: 7, t: 'x-y' }]),
      {
        id: 'i',
        n: '7',
        t: 'y',
      },
    );
    assert.equal(matchJson({ id: '<id>' }, { id: null }), null);
  });
});

describe('placeholders', () => {
  it('are filled with what they stand for, as far as it is known', () => {
    assert.equal(fill('curl <key> <url> <key>', { key: 'k' }), 'curl k <url> k');
  });
});
