import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markedText, passageOf, plainText } from './passage.ts';

const marked = (text: string, query: string) =>
  passageOf(text, query)
    .map(({ text, isMatch }) => (isMatch ? `<${text}>` : text))
    .join('');

describe('a passage', () => {
  it('marks the words of the query, also with other endings, and no small words', () => {
    assert.equal(
      marked('Messages are kept for 30 days, and a message is sent.', 'how are messages kept for'),
      '<Messages> are <kept> for 30 days, and a <message> is sent.',
    );
    assert.equal(marked('The key of a keyboard', 'key'), 'The <key> of a keyboard');
  });

  it('is marked in a whole text, too', () => {
    const text = `${'Nothing here. '.repeat(40)}The key.`;
    const pieces = markedText(text, 'which key');
    assert.equal(pieces.map((piece) => piece.text).join(''), text);
    assert.deepEqual(
      pieces.filter(({ isMatch }) => isMatch).map((piece) => piece.text),
      ['key'],
    );
  });

  it('is the part in which most words stand together', () => {
    const before = 'This part is about something else. '.repeat(20);
    const text = `${before}Webhook messages are kept for 30 days. ${before}`;
    const shown = marked(text, 'how long are webhook messages kept');
    assert.match(shown, /^… <Webhook> <messages> are <kept> for 30 days\./);
    assert.match(shown, / …$/);
    assert.ok(shown.length < 340);
  });

  it('begins at the beginning when no word matches', () => {
    assert.equal(marked('Some text', 'other words'), 'Some text');
  });

  it('is text without the marks of Markdown', () => {
    assert.equal(
      plainText('## Title\n\n```sh\nnpm start\n```\n**Bold** [link](https://a.example) `code`'),
      'Title\n\nnpm start\n\nBold link code',
    );
    assert.equal(
      plainText('<!-- made by\na script -->\n- one\n  * two\na - b'),
      '• one\n  • two\na - b',
    );
    assert.equal(plainText('| a | b |\n|---|---|\n| 1 | |'), 'a · b\n\n1');
  });
});
