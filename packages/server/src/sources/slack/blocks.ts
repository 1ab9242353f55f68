/**
 * Writes blocks (https://docs.slack.dev/reference/block-kit/blocks) and attachments as mrkdwn, for messages that have no
 * text of their own, and for those of apps, whose text is only what a notification shows. The text of a person has
 * everything but tables and forwarded messages. A block of an unknown type is written with the text that it has.
 */
import type { BlockAnswer, RichLeaf, RichPart, SlackText } from './answer.ts';
import { escaped } from './mrkdwn.ts';

/** Returns the text of the message as mrkdwn. */
export function mrkdwnOf({ text, bot_id, blocks, attachments }: SlackText): string {
  const isByApp = bot_id !== '';
  const shown =
    isByApp || text.trim() === '' ? blocks : blocks.filter(({ type }) => type === 'table');
  const own = lines([text, ...shown.map(blockText).filter((block) => !text.includes(block))]);
  const added = isByApp || own === '' ? attachments : attachments.filter(isOfPerson);
  return lines([own, ...added.map(attachmentText)]);
}

/** The attachments of a person are tables and forwarded messages. Slack adds previews of links. */
const isOfPerson = ({ is_share, from_url, original_url }: Attached): boolean =>
  is_share || (from_url === '' && original_url === '');
type Attached = SlackText['attachments'][number];

const lines = (texts: readonly string[]): string =>
  texts.filter((text) => text.trim() !== '').join('\n');

function attachmentText(attachment: Attached): string {
  const { pretext, title, title_link, text, fields, blocks, fallback } = attachment;
  const head = title !== '' && title_link !== '' ? `<${title_link}|${title}>` : title;
  const rows = fields.map((field) => lines([field.title && `*${field.title}*`, field.value]));
  return lines([pretext, head, text, ...rows, ...blocks.map(blockText)]) || fallback;
}

function blockText(block: BlockAnswer): string {
  const { type, text, title, description, label, alt_text, fields, elements, rows } = block;
  if (type === 'table') return tableText(rows);
  if (type === 'rich_text') return lines(elements.map(partText));
  const plain = (one: { text: string; type: string } | null) =>
    one === null ? '' : one.type === 'plain_text' ? escaped(one.text) : one.text;
  const head = type === 'header' && text ? `*${plain(text)}*` : plain(text);
  const inner =
    type === 'context' ? elements.map((one) => one.text || escaped(one.alt_text)).join(' ') : '';
  const heads = [head, plain(title), plain(description), plain(label)];
  return lines([...heads, escaped(alt_text), ...fields.map(plain), inner]);
}

/** In mrkdwn, a table has the form that it has in Markdown: all rows have the same columns, and empty lines end it. */
function tableText(rows: BlockAnswer['rows']): string {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const written = rows.map((cells) => {
    const texts = Array.from({ length: width }, (_, i) => cellText(cells[i]));
    return `| ${texts.map((one) => one.replaceAll(/\s+/g, ' ')).join(' | ')} |`;
  });
  const rule = `|${' --- |'.repeat(width)}`;
  return width === 0 ? '' : ['', written[0], rule, ...written.slice(1), ''].join('\n');
}

function cellText(cell: BlockAnswer['rows'][number][number] | undefined): string {
  if (!cell) return '';
  const { type, text, elements } = cell;
  if (type !== 'rich_text') return escaped(withoutBars(text));
  return elements
    .map((part) =>
      partText({
        ...part,
        elements: part.elements.map((inner) => ({
          ...inner,
          text: withoutBars(inner.text),
          elements: inner.elements.map((leaf) => ({ ...leaf, text: withoutBars(leaf.text) })),
        })),
      }),
    )
    .join(' ');
}

const withoutBars = (text: string): string => text.replaceAll('|', '\\|');

function partText({ type, style, indent, offset, elements }: RichPart): string {
  if (type === 'rich_text_list')
    return elements
      .map(({ elements: inner }, i) => {
        const sign = style === 'ordered' ? `${offset + i + 1}.` : '•';
        return `${'  '.repeat(Math.min(indent, 8))}${sign} ${inner.map(leafText).join('')}`;
      })
      .join('\n');
  const text = elements.map(leafText).join('');
  if (type === 'rich_text_preformatted') return `\`\`\`\n${text}\n\`\`\``;
  if (type === 'rich_text_quote')
    return text
      .split('\n')
      .map((line) => `&gt; ${line}`)
      .join('\n');
  return text;
}

function leafText({ type, style, ...leaf }: RichLeaf): string {
  if (type === 'user') return `<@${leaf.user_id}>`;
  if (type === 'channel') return `<#${leaf.channel_id}>`;
  if (type === 'usergroup') return `<!subteam^${leaf.usergroup_id}>`;
  if (type === 'broadcast') return `<!${leaf.range}>`;
  if (type === 'emoji') return `:${leaf.name}:`;
  if (type === 'date') return escaped(leaf.fallback);
  if (type === 'color') return escaped(leaf.value);
  if (type === 'link')
    return leaf.text === '' ? `<${leaf.url}>` : `<${leaf.url}|${escaped(leaf.text)}>`;
  const text = escaped(leaf.text);
  if (style.code) return inside('`', text);
  const bold = style.bold ? inside('*', text) : text;
  const italic = style.italic ? inside('_', bold) : bold;
  return style.strike ? inside('~', italic) : italic;
}

/** White space around a text stays outside of its marks. */
function inside(sign: string, text: string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const from = text.length - text.trimStart().length;
  return `${text.slice(0, from)}${sign}${inner}${sign}${text.slice(from + inner.length)}`;
}
