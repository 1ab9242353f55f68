/** Tests that the storage format of Confluence becomes the Markdown that people would write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { htmlToMarkdown } from '../../documents/html.ts';
import { storageOfAllKinds } from '../../test/sources/confluence-storage.ts';
import { mentionsIn, storageToHtml } from './storage.ts';

const NAMES: Readonly<Record<string, string>> = { bob: 'Bob <Ó> & Söhne' };
const markdown = (storage: string) =>
  htmlToMarkdown(storageToHtml(storage, (id) => NAMES[id] ?? ''));
const macro = (name: string, inner: string) =>
  `<ac:structured-macro ac:name="${name}">${inner}</ac:structured-macro>`;
const parameter = (name: string, value: string) =>
  `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;
const rich = (inner: string) => `<ac:rich-text-body>${inner}</ac:rich-text-body>`;
const plain = (inner: string) => `<ac:plain-text-body><![CDATA[${inner}]]></ac:plain-text-body>`;

describe('the storage format of Confluence (connectors: Markdown)', () => {
  it('becomes headings, lists, tables, code, quotes, tasks and mentions by name', () => {
    const expected = `## How it flows & stops

Bold, soft and \`code\` by @Bob <Ó> & Söhne at the weir 😄 on 2026-05-01 In review

the stones the plan home

- A point
- Another point

1. First
   1. Deeper

- [x] Done
- [ ] Open

\`\`\`ts
const a = b < c && d[e[0]]> 1; // ]]>
\`\`\`

> A saying

> A hint

> More

> Hidden at first

| What | How much |
| --- | --- |
| Stones | 12 |

Left

Right

heron

The end.`;
    assert.equal(markdown(storageOfAllKinds('bob', 'The end.')), expected);
    assert.deepEqual(mentionsIn(storageOfAllKinds('bob', '')), ['bob']);
  });

  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'an extension of the new editor once': [
      '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">custom</ac:adf-attribute><ac:adf-content><p>Here</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>Here</p></ac:adf-fallback></ac:adf-extension>',
      'Here',
    ],
    'the old form of an extension that has no other': [
      '<ac:adf-extension><ac:adf-node type="x"></ac:adf-node><ac:adf-fallback><p>Old</p></ac:adf-fallback></ac:adf-extension><p>after</p>',
      'Old\n\nafter',
    ],
    'the key of an issue, and not the server': [
      macro('jira', parameter('server', 'System') + parameter('key', 'OPS-7')),
      'OPS-7',
    ],
    'the title of a page to which a link without text leads': [
      '<p><ac:link><ri:page ri:content-title="R&amp;D" /></ac:link></p>',
      'R&D',
    ],
    'the text of a link, and not what it leads to': [
      '<p><ac:link><ri:page ri:content-title="R&amp;D" /><ac:plain-text-link-body><![CDATA[up <here>]]></ac:plain-text-link-body></ac:link></p>',
      'up <here>',
    ],
    'names of files, addresses, spaces and anchors': [
      '<p><ac:link><ri:attachment ri:filename="a.pdf" /></ac:link> <ac:link><ri:space ri:space-key="OPS" /></ac:link> <ac:link ac:anchor="end" /> <ac:image><ri:url ri:value="https://acme.example/b.png" /></ac:image></p>',
      'a.pdf OPS end https://acme.example/b.png',
    ],
    'a description and a caption of a picture': [
      '<ac:image ac:alt="Heron"><ri:attachment ri:filename="h.png" /><ac:caption><p>At dawn</p></ac:caption></ac:image>',
      'At dawn\n\nHeron',
    ],
    'nothing for a person who is not known': [
      '<p>By <ac:link><ri:user ri:account-id="gone" /></ac:link>.</p>',
      'By .',
    ],
    'titles of code and of panels': [
      macro('code', parameter('title', 'a.ts') + plain('x &lt; 1')) +
        macro('panel', parameter('title', 'Note') + rich('<p>in</p>')),
      'a.ts\n\n```\nx &lt; 1\n```\n\n> Note\n\n> in',
    ],
    'what stands in macros that nobody knows': [
      macro('acme-box', parameter('id', '7') + rich('<p>in</p>')) +
        macro('acme-note', plain('a < b')),
      'in\n\na < b',
    ],
    'macros in macros': [macro('expand', rich(macro('info', rich('<p>in</p>')))), '> > in'],
    'no hints for authors, contents and ids of tasks': [
      `<ac:placeholder>write here</ac:placeholder>${macro('toc', '')}<ac:task-list><ac:task><ac:task-id>77</ac:task-id><ac:task-uuid>u-1</ac:task-uuid><ac:task-status>complete</ac:task-status><ac:task-body>Done</ac:task-body></ac:task></ac:task-list>`,
      '- [x] Done',
    ],
    'entities, broken elements and elements that nobody knows': [
      '<p>&auml;&nbsp;<b>bold <i>x</b></p><ac:unknown><p>known</p></ac:unknown></ac:nothing>',
      'ä bold x\n\nknown',
    ],
    'the date of a time': ['<p><time datetime="2026-05-01" /></p>', '2026-05-01'],
    'an emoji': [
      '<p><ac:emoticon ac:name="x" ac:emoji-fallback="🪨" /> <ac:emoticon ac:name="tick" /></p>',
      '🪨',
    ],
  };
  for (const [what, [storage, expected]] of Object.entries(cases))
    it(`shows ${what}`, () => assert.equal(markdown(storage), expected));

  it('is read in one pass, whatever it nests', () => {
    const depth = 5000;
    const deep = `${'<ac:layout-cell>'.repeat(depth)}word${'</ac:layout-cell>'.repeat(depth)}`;
    assert.equal(markdown(deep), 'word');
    const macros = `${macro('info', '').slice(0, -'</ac:structured-macro>'.length).repeat(depth)}word`;
    assert.equal(markdown(macros), 'word');
  });
});
