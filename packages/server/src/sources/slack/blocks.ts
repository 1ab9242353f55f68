/**
 * Writes blocks (https://docs.slack.dev/reference/block-kit/blocks) and attachments as mrkdwn, for messages that have no
 * text of their own, and for those of apps, whose text is only what a notification shows. A block of an unknown type is
 * written with the text that it has.
 */
import type { BlockAnswer, MessageAnswer, RichLeaf, RichPart } from './answer.ts';
import { escaped } from './mrkdwn.ts';

/** Returns the text of the message as mrkdwn: its own text, or that of its blocks; for apps both, and attachments. */
export function mrkdwnOf({ text, bot_id, blocks, attachments }: MessageAnswer): string {
  const isByApp = bot_id !== '';
  const written =
    isByApp || text.trim() === ''
      ? blocks.map(blockText).filter((block) => !text.includes(block))
      : [];
  const own = lines([text, ...written]);
  return lines([own, ...(isByApp || own === '' ? attachments.map(attachmentText) : [])]);
}

const lines = (texts: readonly string[]): string =>
  texts.filter((text) => text.trim() !== '').join('\n');

function attachmentText(attachment: MessageAnswer['attachments'][number]): string {
  const { pretext, title, title_link, text, fields, blocks, fallback } = attachment;
  const head = title !== '' && title_link !== '' ? `<${title_link}|${title}>` : title;
  const rows = fields.map((field) => lines([field.title && `*${field.title}*`, field.value]));
  return lines([pretext, head, text, ...rows, ...blocks.map(blockText)]) || fallback;
}

function blockText({ type, text, title, alt_text, fields, elements, rows }: BlockAnswer): string {
  if (type === 'table') return tableText(rows);
  if (type === 'rich_text') return lines(elements.map(partText));
  const plain = (one: { text: string; type: string } | null) =>
    one === null ? '' : one.type === 'plain_text' ? escaped(one.text) : one.text;
  const head = type === 'header' && text ? `*${plain(text)}*` : plain(text);
  const inner = type === 'context' ? elements.map(({ text: one }) => one).join(' ') : '';
  return lines([head, plain(title), escaped(alt_text), ...fields.map(plain), inner]);
}

/** In mrkdwn, a table has the form that it has in Markdown. */
function tableText(rows: BlockAnswer['rows']): string {
  const written = rows.map((cells) => {
    const texts = cells.map(({ type, text, elements }) =>
      type === 'rich_text'
        ? elements.map(partText).join(' ')
        : escaped(text).replaceAll('|', '\\|'),
    );
    return `| ${texts.map((one) => one.replaceAll(/\s+/g, ' ')).join(' | ')} |`;
  });
  const rule = `|${' --- |'.repeat(rows[0]?.length ?? 0)}`;
  return written.length === 0 ? '' : [written[0], rule, ...written.slice(1)].join('\n');
}

function partText({ type, style, indent, elements }: RichPart): string {
  if (type === 'rich_text_list')
    return elements
      .map(({ elements: inner }, i) => {
        const sign = style === 'ordered' ? `${i + 1}.` : '•';
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
