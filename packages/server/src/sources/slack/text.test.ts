/** Tests what Slack's mrkdwn, blocks and attachments become. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MessageAnswer } from './answer.ts';
import { mrkdwnOf } from './blocks.ts';
import { toMarkdown } from './mrkdwn.ts';

const names = {
  user: (id: string) => (id === 'U1' ? 'ann' : ''),
  channel: (id: string) => (id === 'C1' ? 'general' : ''),
  group: (id: string) => (id === 'S1' ? 'staff' : ''),
};
const becomes = (mrkdwn: string, markdown: string) =>
  assert.equal(toMarkdown(mrkdwn, names), markdown);
const message = (given: object) =>
  toMarkdown(mrkdwnOf(MessageAnswer.parse({ ts: '1.0', ...given })), names);

describe('mrkdwn of slack', () => {
  it('marks bold, italic and struck text as Markdown does', () => {
    becomes('*bold*, _italic_ and ~struck~', '**bold**, _italic_ and ~~struck~~');
    becomes('*see <https://a.example|it>*!', '**see [it](https://a.example/)**!');
    becomes('2*3*4 and a * b * c, *open', '2*3*4 and a * b * c, *open');
    becomes('*one\ntwo*', '*one\ntwo*');
  });

  it('keeps code as it is, with its angle brackets', () => {
    becomes('`*a* &lt;b&gt; &amp;amp;`', '`*a* <b> &amp;`');
    becomes(
      'so:```\nif (a &lt; b) *c* = <https://a.example>\n```then',
      'so:\n```\nif (a < b) *c* = https://a.example\n```\nthen',
    );
  });

  it('names people, channels, groups and everybody, and shows days', () => {
    becomes('<@U1> <@U1|x> <@U2|bob> <@U3>', '@ann @ann @bob @U3');
    becomes('<#C1> <#C2|other> <#C3|>', '#general #other #C3');
    becomes(
      '<!subteam^S1> <!subteam^S2|@team> <!here> <!channel|channel>',
      '@staff @team @here @channel',
    );
    becomes('<!date^1392734382^{date}|18 February>', '18 February');
  });

  it('makes links, but none to other kinds of addresses', () => {
    becomes('<https://a.example/x?a=1&amp;b=2>', 'https://a.example/x?a=1&b=2');
    becomes('<https://a.example/(x)|a [label]>', '[a \\[label\\]](https://a.example/%28x%29)');
    becomes('<mailto:a@b.example|a@b.example>', 'a@b.example');
    becomes('<javascript:alert(1)|click> <nonsense>', 'click nonsense');
  });

  it('keeps quotes, makes lists, and escapes what would be a heading', () => {
    becomes('&gt; said\n• one\n    ◦ two\n1. three', '> said\n- one\n    - two\n1. three');
    becomes('# no heading\n#tag', '\\# no heading\n#tag');
  });

  it('is not confused by characters that hold places, or by a long text of marks', () => {
    becomes('\ue0000\ue001 `a`', '0 `a`');
    for (const sign of ['*', '~', '`', '<', '```', '*a'])
      assert.ok(toMarkdown(sign.repeat(40_000), names).length > 0);
  });
});

describe('a message of slack without text', () => {
  const text = (given: string, style: object = {}) => ({ type: 'text', text: given, style });
  const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
  const rich = (...elements: object[]) => ({ text: '', blocks: [{ type: 'rich_text', elements }] });

  it('shows its rich text', () => {
    assert.equal(
      message(
        rich(
          section(
            text('a < b '),
            text('bold ', { bold: true }),
            text('code', { code: true }),
            { type: 'link', url: 'https://a.example/', text: 'link' },
            { type: 'user', user_id: 'U1' },
            { type: 'channel', channel_id: 'C1' },
            { type: 'usergroup', usergroup_id: 'S1' },
            { type: 'broadcast', range: 'here' },
            { type: 'emoji', name: 'heron' },
          ),
          {
            type: 'rich_text_list',
            style: 'ordered',
            elements: [section(text('one')), section(text('two'))],
          },
          { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [section(text('in'))] },
          { type: 'rich_text_quote', elements: [text('said\nso')] },
          { type: 'rich_text_preformatted', elements: [text('x < y')] },
        ),
      ),
      [
        'a < b **bold** `code`[link](https://a.example/)@ann#general@staff@here:heron:',
        '1. one',
        '2. two',
        '  - in',
        '> said',
        '> so',
        '',
        '```',
        'x < y',
        '```',
      ].join('\n'),
    );
  });

  it('shows sections, headers, fields and contexts of an app, and its attachments', () => {
    assert.equal(
      message({
        bot_id: 'B1',
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: 'Build <1>' } },
          {
            type: 'section',
            text: { type: 'mrkdwn', text: '*It* works' },
            fields: [{ type: 'mrkdwn', text: 'field' }],
          },
          { type: 'context', elements: [{ type: 'mrkdwn', text: 'by <@U1>' }] },
          { type: 'image', alt_text: 'A heron', title: null },
          { type: 'unknown', text: 7 },
          null,
        ],
        attachments: [
          {
            title: 'Log',
            title_link: 'https://a.example/',
            text: 'fine',
            fields: [{ title: 'T', value: 'v' }],
          },
          { fallback: 'only this' },
        ],
      }),
      '**Build <1>**\n**It** works\nfield\nby @ann\nA heron\n[Log](https://a.example/)\nfine\n**T**\nv\nonly this',
    );
  });

  it('shows tables, Markdown and the blocks of attachments, also beside the text of a notification', () => {
    const cell = (given: string) => ({ type: 'raw_text', text: given });
    assert.equal(
      message({
        bot_id: 'B1',
        text: 'Report',
        blocks: [
          { type: 'section', text: { type: 'plain_text', text: 'Report' } },
          { type: 'markdown', text: 'The **weir**' },
          {
            type: 'table',
            rows: [
              [cell('Bird|s'), null],
              [cell('heron'), rich(section(text('grey'))).blocks[0]],
            ],
          },
        ],
        attachments: [{ blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'below' } }] }],
      }),
      'Report\nThe **weir**\n\n| Bird\\|s |  |\n| --- | --- |\n| heron | grey |\n\nbelow',
    );
  });

  it('ends a table by empty lines, and gives its rows the same columns, also with bars in rich text', () => {
    const cell = (given: string) => ({ type: 'raw_text', text: given });
    const [linked] = rich(
      section(text('a|b'), { type: 'link', url: 'https://a.example/', text: 'c|d' }),
      { type: 'rich_text_list', style: 'bullet', elements: [section(text('e|f'))] },
    ).blocks;
    assert.equal(
      message({
        bot_id: 'B1',
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text: 'before' } },
          { type: 'table', rows: [[cell('one')], [linked, cell('two')]] },
          { type: 'table', rows: [] },
          { type: 'section', text: { type: 'mrkdwn', text: 'after' } },
        ],
      }),
      'before\n\n| one |  |\n| --- | --- |\n| a\\|b[c\\|d](https://a.example/) • e\\|f | two |\n\nafter',
    );
  });

  it('shows what is said of videos, fields and images, colours, and the numbers of a list that goes on', () => {
    const plain = (given: string) => ({ type: 'plain_text', text: given });
    assert.equal(
      message({
        text: '',
        blocks: [
          { type: 'video', title: plain('Film'), description: plain('about an owl') },
          { type: 'input', label: plain('Place') },
          { type: 'context', elements: [{ type: 'image', alt_text: 'a map' }] },
          ...rich(section({ type: 'color', value: '#F405B3' }), {
            type: 'rich_text_list',
            style: 'ordered',
            offset: 2,
            elements: [section(text('third'))],
          }).blocks,
        ],
      }),
      'Film\nabout an owl\nPlace\na map\n#F405B3\n3. third',
    );
  });

  it('shows the tables and the forwarded messages of a person, beside the text', () => {
    const table = { type: 'table', rows: [[{ type: 'raw_text', text: 'heron' }]] };
    const shown = 'Look\n\n| heron |\n| --- |';
    assert.equal(message({ text: 'Look', blocks: [table] }), shown);
    assert.equal(message({ text: 'Look', attachments: [{ blocks: [table] }] }), shown);
    const from_url = 'https://acme.slack.com/archives/C1/p1';
    const attachments = [{ text: 'forwarded', from_url, is_share: true }];
    assert.equal(message({ text: 'Look', attachments }), 'Look\nforwarded');
  });

  it('leaves out the previews of links of a person', () => {
    for (const link of [{ from_url: 'https://a.example/' }, { original_url: 'https://a.example/' }])
      assert.equal(message({ text: 'Look', attachments: [{ text: 'preview', ...link }] }), 'Look');
    assert.equal(message({ text: '', attachments: [{ text: 'forwarded' }] }), 'forwarded');
  });
});
