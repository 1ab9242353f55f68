import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statementsOf } from './sentences.ts';

const textsOf = (markdown: string) => statementsOf(markdown).map(({ text }) => text);

describe('the statements of a text', () => {
  it('[SRH-35] are its sentences, and abbreviations, initials and links do not end one', () => {
    assert.deepEqual(textsOf('Dr. Ames met Horatio J. Sprague. Mr. Lee left, e.g. by boat.'), [
      'Dr. Ames met Horatio J. Sprague.',
      'Mr. Lee left, e.g. by boat.',
    ]);
    const linked = 'See [Reading. And more](./a.md) first.';
    assert.deepEqual(textsOf(`${linked} Then go.`), [linked, 'Then go.']);
  });

  it('[SRH-35] are not headings, anchors, rules, comments, lines with only links, or tables of contents', () => {
    const markdown = [
      '# Top',
      '<a id="top"></a>',
      '<h1 align="center">Vault</h1>',
      '<!-- toc -->',
      '- [Keys](#keys)',
      '---',
      '',
      'Squally weather--High living--At Gibraltar--Home.',
      '',
      'Keys rotate.',
    ];
    assert.deepEqual(textsOf(markdown.join('\n')), ['Keys rotate.']);
  });

  it('[SRH-35] are the rows of a table, with its header above them', () => {
    const rows = statementsOf(
      '| plan | price |\n|---|---|\n| Basic | 4 euros |\n| Plus | 7 euros |',
    );
    assert.deepEqual(
      rows.map(({ text }) => text),
      ['Basic | 4 euros |', 'Plus | 7 euros |'],
    );
    assert.ok(rows.every(({ above }) => above.includes('plan | price')));
  });

  it('[SRH-35] are the single fields of a record', () => {
    const record = 'Owner: Elin Haug\nStatus: customer since 2019\nNotes: Calls often. Pays late.';
    assert.deepEqual(textsOf(record), [
      'Owner: Elin Haug',
      'Status: customer since 2019',
      'Notes: Calls often.',
      'Pays late.',
    ]);
  });

  it('have the heading and the introducing line above them', () => {
    const [intro, item, code] = statementsOf(
      '## Keys\n\nThere are two:\n\n- red\n  one\n\nRun this:\n\n```\nrotate()\n```',
    );
    assert.deepEqual([intro?.text, item?.text], ['There are two:', 'red\n  one']);
    assert.equal(item?.above, 'Keys\nThere are two:');
    assert.equal(code?.text, 'Run this:');
    const last = statementsOf('Run this:\n\n```\nrotate()\n```').at(-1);
    assert.deepEqual(last, { text: 'rotate()', above: '\nRun this:', isCode: true });
  });
});
