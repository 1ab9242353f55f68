/** Writes the storage format of Confluence (https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html). */

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A text that has the end of CDATA in it is written in two parts. */
const cdata = (text: string): string => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;

export const storage = {
  paragraph: (xml: string) => `<p>${xml}</p>`,
  heading: (level: number, text: string) => `<h${level}>${escaped(text)}</h${level}>`,
  bullets: (...items: readonly string[]) =>
    `<ul>${items.map((item) => `<li><p>${escaped(item)}</p></li>`).join('')}</ul>`,
  table: (...rows: readonly (readonly string[])[]) => {
    const shown = rows.map((cells, i) => {
      const tag = i === 0 ? 'th' : 'td';
      return `<tr>${cells.map((cell) => `<${tag}><p>${escaped(cell)}</p></${tag}>`).join('')}</tr>`;
    });
    return `<table data-layout="default"><colgroup><col /><col /></colgroup><tbody>${shown.join('')}</tbody></table>`;
  },
  code: (text: string, language = 'ts') =>
    `<ac:structured-macro ac:name="code" ac:schema-version="1" ac:macro-id="c0de"><ac:parameter ac:name="language">${language}</ac:parameter><ac:plain-text-body>${cdata(text)}</ac:plain-text-body></ac:structured-macro>`,
  /** The kinds are info, note, tip, warning and panel. */
  panel: (kind: string, text: string, title = '') =>
    `<ac:structured-macro ac:name="${kind}">${title ? `<ac:parameter ac:name="title">${escaped(title)}</ac:parameter>` : ''}<ac:rich-text-body><p>${escaped(text)}</p></ac:rich-text-body></ac:structured-macro>`,
  expand: (title: string, text: string) => storage.panel('expand', text, title),
  status: (text: string) =>
    `<ac:structured-macro ac:name="status"><ac:parameter ac:name="title">${escaped(text)}</ac:parameter><ac:parameter ac:name="colour">Green</ac:parameter></ac:structured-macro>`,
  /** A macro that only the site can fill in. */
  contents: () => '<ac:structured-macro ac:name="toc" ac:schema-version="1" />',
  tasks: (...items: readonly { readonly text: string; readonly isDone: boolean }[]) =>
    `<ac:task-list>${items
      .map(
        ({ text, isDone }, i) =>
          `<ac:task><ac:task-id>${i + 1}</ac:task-id><ac:task-status>${isDone ? 'complete' : 'incomplete'}</ac:task-status><ac:task-body><span class="placeholder-inline-tasks">${escaped(text)}</span></ac:task-body></ac:task>`,
      )
      .join('')}</ac:task-list>`,
  mention: (accountId: string) => `<ac:link><ri:user ri:account-id="${accountId}" /></ac:link>`,
  linkToPage: (title: string, text: string, spaceKey?: string) =>
    `<ac:link><ri:page ri:content-title="${escaped(title)}"${spaceKey ? ` ri:space-key="${spaceKey}"` : ''} /><ac:plain-text-link-body>${cdata(text)}</ac:plain-text-link-body></ac:link>`,
  linkToFile: (name: string, text: string) =>
    `<ac:link><ri:attachment ri:filename="${escaped(name)}" /><ac:link-body>${escaped(text)}</ac:link-body></ac:link>`,
  image: (name: string) =>
    `<ac:image ac:alt="heron"><ri:attachment ri:filename="${name}" /></ac:image>`,
  emoticon: (name: string, emoji: string) =>
    `<ac:emoticon ac:name="${name}" ac:emoji-shortname=":${name}:" ac:emoji-fallback="${emoji}" />`,
  date: (day: string) => `<time datetime="${day}" />`,
  layout: (...cells: readonly string[]) =>
    `<ac:layout><ac:layout-section ac:type="two_equal">${cells.map((cell) => `<ac:layout-cell>${cell}</ac:layout-cell>`).join('')}</ac:layout-section></ac:layout>`,
  inlineMarker: (text: string) =>
    `<ac:inline-comment-marker ac:ref="b3f1">${escaped(text)}</ac:inline-comment-marker>`,
};

/** Has an element of every kind that people write, and ends with the sentence. */
export const storageOfAllKinds = (accountId: string, sentence: string): string =>
  [
    storage.contents(),
    storage.heading(2, 'How it flows & stops'),
    storage.paragraph(
      `<strong>Bold</strong>, <em>soft</em> and <code>code</code> by ${storage.mention(accountId)}&nbsp;at the ${storage.inlineMarker('weir')} ${storage.emoticon('smile', '😄')} on ${storage.date('2026-05-01')} ${storage.status('In review')}<br />`,
    ),
    storage.paragraph(
      `${storage.linkToPage('Stones', 'the stones', 'OPS')} ${storage.linkToFile('plan.md', 'the plan')} <a href="https://acme.example/weir">home</a>`,
    ),
    storage.bullets('A point', 'Another point'),
    '<ol><li><p>First</p><ol><li><p>Deeper</p></li></ol></li></ol>',
    storage.tasks({ text: 'Done', isDone: true }, { text: 'Open', isDone: false }),
    storage.code('const a = b < c && d[e[0]]> 1; // ]]>'),
    '<blockquote><p>A saying</p></blockquote>',
    storage.panel('info', 'A hint'),
    storage.expand('More', 'Hidden at first'),
    '<hr />',
    storage.table(['What', 'How much'], ['Stones', '12']),
    storage.layout('<p>Left</p>', '<p>Right</p>'),
    storage.image('heron.png'),
    storage.paragraph(escaped(sentence)),
  ].join('');
