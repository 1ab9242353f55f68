import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { each, element, messageIn, one, optional, readXml } from './xml.ts';

const read = (text: string) => readXml(text, z.any()).value;

describe('XML of a service', () => {
  it('becomes objects of lists, with local names and without attributes', () => {
    const text = `<?xml version="1.0"?>
      <D:list xmlns:D="DAV:"><!-- two --><D:item kind="a">1</D:item><x:item> 2 </x:item>
        <end/><inner><deep>3</deep></inner><D:item/></D:list>`;
    assert.deepEqual(JSON.parse(JSON.stringify(read(text))), {
      list: [{ item: ['1', ' 2 ', ''], end: [''], inner: [{ deep: ['3'] }] }],
    });
  });

  it('keeps characters that are written as entities, numbers or CDATA, and expands no entity of its own', () => {
    const text =
      '<!DOCTYPE a [<!ENTITY x "boom">]><a>&lt;&amp;&quot;&#13;&#x263A;<![CDATA[<b>]]>&x;</a>';
    assert.deepEqual(read(text)?.a, ['<&"\r☺<b>&x;']);
  });

  it('may have elements with names of properties', () =>
    assert.deepEqual(
      read('<a><__proto__>x</__proto__><constructor>y</constructor></a>')?.a[0].constructor,
      ['y'],
    ));

  it('is a failure that may pass when it is not whole', () => {
    for (const text of [
      '',
      'x',
      '<a>',
      '<a><b>1</b>',
      '<a><b>1</a>',
      '<a><b/>',
      '<a><b',
      '<a>/>',
      '<a><b>/></a>',
    ])
      assert.equal(readXml(text, z.any()).failure?.fault, 'broken', text);
    for (const text of ['<a/>', '<a></a>', '<a><b/></a>', '<a><b x="/"/></a>'])
      assert.equal(readXml(text, z.any()).failure, undefined, text);
  });

  it('is read by schemas for elements that occur once, never or often', () => {
    const List = z.object({
      list: one(
        element({
          name: one(z.string()),
          note: optional(z.string()),
          entries: optional(element({ entry: each(z.string()) })),
        }),
      ),
    });
    const readList = (inside: string) => readXml(`<list>${inside}</list>`, List);
    assert.deepEqual(readList('<name>a</name>').value?.list, {
      name: 'a',
    });
    assert.deepEqual(readList('<name/><note>n</note><entries>\n</entries>').value?.list, {
      name: '',
      note: 'n',
      entries: { entry: [] },
    });
    assert.deepEqual(
      readList('<name>a</name><entries><entry>1</entry><entry>2</entry></entries>').value?.list
        .entries,
      { entry: ['1', '2'] },
    );
    const wrong = [
      '',
      '<name>a</name><name>b</name>',
      '<name><b/></name>',
      '<name>a</name><entries>x</entries>',
    ];
    for (const inside of [...wrong, '<name>a</name><note/><note/>'])
      assert.equal(readList(inside).failure?.fault, 'form', inside);
  });

  it('explains a refusal by its message', () => {
    const xml = (inside: string) => `<?xml version="1.0"?>\n${inside}`;
    assert.equal(
      messageIn(xml('<Error><Code>No</Code><Message> Access &amp; so </Message></Error>')),
      'Access & so',
    );
    assert.equal(messageIn(xml('<d:error><s:message>Gone</s:message></d:error>')), 'Gone');
    for (const none of [
      xml('<Error/>'),
      xml('<Error><Message/></Error>'),
      xml('<Error><Message>'),
      'Message',
      '{}',
    ])
      assert.equal(messageIn(none), undefined, none);
  });
});
