/** Tests the Markdown of comments. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AdfNode } from '../atlassian/adf.ts';
import { commentText } from './comment-text.ts';

const text = (said: string, ...marks: object[]) => ({ type: 'text', text: said, marks });
const node = (type: string, content: object[], attrs: object = {}) => ({ type, attrs, content });
const paragraph = (...content: object[]) => node('paragraph', content);
const written = (...content: object[]) => commentText(AdfNode.parse(node('doc', content)));

describe('the text of a comment in outline', () => {
  it('has paragraphs, line breaks, mentions, code and links', () => {
    const link = { type: 'link', attrs: { href: 'https://acme.example/a(b)' } };
    assert.equal(
      written(
        paragraph(
          node('mention', [], { label: 'Ann', type: 'user' }),
          text(' see '),
          text('the plan', link),
          text(' and '),
          text('npm test', { type: 'code_inline' }),
          node('br', []),
          text('today'),
          node('emoji', [], { 'data-name': 'tada' }),
        ),
        paragraph(text('Second', { type: 'link', attrs: { href: 'javascript:alert(1)' } })),
      ),
      '@Ann see [the plan](https://acme.example/a%28b%29) and `npm test`\ntoday:tada:\n\nSecond',
    );
  });

  it('has lists, quotes and code', () => {
    const item = (said: string, attrs: object = {}) =>
      node('list_item', [paragraph(text(said))], attrs);
    const task = (said: string, checked: boolean) =>
      node('checkbox_item', [paragraph(text(said))], { checked });
    assert.equal(
      written(
        node('bullet_list', [item('a'), item('b')]),
        node('ordered_list', [item('c'), item('d')], { order: 3 }),
        node('checkbox_list', [task('e', true), task('f', false)]),
        node('blockquote', [paragraph(text('g'))]),
        node('code_block', [text('h()')]),
      ),
      '- a\n- b\n\n3. c\n4. d\n\n- [x] e\n- [ ] f\n\n> g\n\n```\nh()\n```',
    );
  });

  it('shows what is in a node of an unknown type, and ends in the depth', () => {
    assert.equal(written(node('odd', [text('seen')])), 'seen');
    let deep: object = text('never');
    for (let i = 0; i < 60; i++) deep = node('odd', [deep]);
    assert.equal(written(deep), '');
    assert.equal(written(node('mention', [])), '@somebody');
  });
});
