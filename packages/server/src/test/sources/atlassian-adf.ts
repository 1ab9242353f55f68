/** Makes documents in the Atlassian Document Format (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/). */

export interface AdfNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly marks?: readonly {
    readonly type: string;
    readonly attrs?: Readonly<Record<string, unknown>>;
  }[];
  readonly text?: string;
  readonly content?: readonly AdfNode[];
}
export interface AdfDocument extends AdfNode {
  readonly type: 'doc';
  readonly version: 1;
  readonly content: readonly AdfNode[];
}

const node = (type: string, content: readonly AdfNode[] = [], attrs?: object): AdfNode => ({
  type,
  ...(attrs && { attrs: { ...attrs } }),
  ...(content.length > 0 && { content }),
});
const inline = (content: string | readonly AdfNode[]): readonly AdfNode[] =>
  typeof content === 'string' ? [adf.text(content)] : content;

export const adf = {
  doc: (...content: readonly AdfNode[]): AdfDocument => ({ type: 'doc', version: 1, content }),
  /** The marks are strong, em, code and so on; a link has an address. */
  text: (text: string, ...marks: readonly string[]): AdfNode => ({
    type: 'text',
    text,
    ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
  }),
  link: (text: string, href: string): AdfNode => ({
    type: 'text',
    text,
    marks: [{ type: 'link', attrs: { href } }],
  }),
  paragraph: (content: string | readonly AdfNode[]) => node('paragraph', inline(content)),
  heading: (level: number, text: string) => node('heading', inline(text), { level }),
  bullets: (...items: readonly string[]) =>
    node(
      'bulletList',
      items.map((item) => node('listItem', [adf.paragraph(item)])),
    ),
  steps: (...items: readonly string[]) =>
    node(
      'orderedList',
      items.map((item) => node('listItem', [adf.paragraph(item)])),
      { order: 1 },
    ),
  tasks: (...items: readonly { readonly text: string; readonly isDone: boolean }[]) =>
    node(
      'taskList',
      items.map(({ text, isDone }, i) =>
        node('taskItem', inline(text), { localId: `task-${i}`, state: isDone ? 'DONE' : 'TODO' }),
      ),
      { localId: 'tasks' },
    ),
  code: (text: string, language = 'typescript') => node('codeBlock', inline(text), { language }),
  quote: (text: string) => node('blockquote', [adf.paragraph(text)]),
  panel: (text: string) => node('panel', [adf.paragraph(text)], { panelType: 'info' }),
  rule: () => node('rule'),
  expand: (title: string, text: string) => node('expand', [adf.paragraph(text)], { title }),
  /** The first row is the header. */
  table: (...rows: readonly (readonly string[])[]) =>
    node(
      'table',
      rows.map((cells, i) =>
        node(
          'tableRow',
          cells.map((cell) => node(i === 0 ? 'tableHeader' : 'tableCell', [adf.paragraph(cell)])),
        ),
      ),
      { isNumberColumnEnabled: false, layout: 'default' },
    ),
  /** The text is the name at the time of writing. It is not always there. */
  mention: (accountId: string, name?: string) =>
    node('mention', [], {
      id: accountId,
      ...(name !== undefined && { text: `@${name}` }),
      accessLevel: '',
    }),
  emoji: (shortName: string, text: string) => node('emoji', [], { shortName, text }),
  date: (at: number) => node('date', [], { timestamp: String(at) }),
  status: (text: string) => node('status', [], { text, color: 'green', localId: 'status' }),
  card: (url: string) => node('inlineCard', [], { url }),
  media: (id: string, alt: string) =>
    node('mediaSingle', [node('media', [], { type: 'file', id, collection: '', alt })], {
      layout: 'center',
    }),
  hardBreak: () => node('hardBreak'),
};

/** Has a node of every kind that people write. */
export const adfOfAllKinds = (accountId: string, sentence: string): AdfDocument =>
  adf.doc(
    adf.heading(2, 'How it flows'),
    adf.paragraph([
      adf.text('Bold', 'strong'),
      adf.text(' and '),
      adf.text('code', 'code'),
      adf.text(' by '),
      adf.mention(accountId, 'Bob'),
      adf.hardBreak(),
      adf.emoji(':smile:', '😄'),
      adf.link('home', 'https://acme.example/'),
      adf.date(1_767_225_600_000),
      adf.status('in review'),
      adf.card('https://acme.example/card'),
    ]),
    adf.bullets('A point', 'Another point'),
    adf.steps('First', 'Second'),
    adf.tasks({ text: 'Done', isDone: true }, { text: 'Open', isDone: false }),
    adf.code('const weir = 1;'),
    adf.quote('A saying'),
    adf.panel('A hint'),
    adf.rule(),
    adf.expand('More', 'Hidden at first'),
    adf.table(['What', 'How much'], ['Stones', '12']),
    adf.media('5f3b', 'heron.png'),
    adf.paragraph(sentence),
  );
