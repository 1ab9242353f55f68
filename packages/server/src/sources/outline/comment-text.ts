/** Writes the rich text of a comment, which is a document of the editor ProseMirror, as Markdown. */
import {
  createMarkdownWriter,
  fenced,
  type MarkdownWriter,
} from '../../documents/markdown-writer.ts';
import type { AdfNode } from '../atlassian/adf.ts';

/** A comment of more levels is malformed or hostile. What is deeper is left out. */
const DEEPEST = 50;

export function commentText(node: AdfNode): string {
  const writer = createMarkdownWriter();
  writeAll(node.content, writer, 0);
  return writer.result();
}

function writeAll(nodes: readonly AdfNode[], writer: MarkdownWriter, depth: number): void {
  if (depth > DEEPEST) return;
  for (const node of nodes) if (!writeInline(node, writer)) writeBlock(node, writer, depth + 1);
}

/** Returns false for a node that is not a part of a line. */
function writeInline(node: AdfNode, writer: MarkdownWriter): boolean {
  const said = (name: string) => (typeof node.attrs[name] === 'string' ? node.attrs[name] : '');
  switch (node.type) {
    case 'text':
      writer.text(markedOf(node));
      return true;
    case 'br':
      writer.newLine();
      return true;
    case 'mention':
      writer.text(`@${said('label') || 'somebody'}`);
      return true;
    case 'emoji':
      writer.text(`:${said('data-name')}:`);
      return true;
    case 'image':
      writer.text(said('alt'));
      return true;
    default:
      return false;
  }
}

/** A node of an unknown type is written as what is in it. */
function writeBlock(node: AdfNode, writer: MarkdownWriter, depth: number): void {
  const { type, attrs, content } = node;
  writer.block();
  if (/^code_(block|fence)$/.test(type))
    writer.verbatim(fenced(content.map(({ text }) => text).join('')));
  else if (type.endsWith('_list'))
    for (const [i, item] of content.entries()) {
      const first = type === 'ordered_list' ? `${(Number(attrs.order) || 1) + i}. ` : '- ';
      const isOpen = item.attrs.checked !== true;
      const marker = type === 'checkbox_list' ? `- [${isOpen ? ' ' : 'x'}] ` : first;
      writer.enter({ prefix: ' '.repeat(first.length), marker, list: true });
      writeAll(item.content, writer, depth);
      writer.leave();
      writer.newLine();
    }
  else if (type === 'blockquote') {
    writer.enter({ prefix: '> ', marker: '> ' });
    writeAll(content, writer, depth);
    writer.leave();
  } else writeAll(content, writer, depth);
  writer.block();
}

/** Code and links are written; other marks do not change what a text says. */
function markedOf({ text, marks }: AdfNode): string {
  const words = text.trim();
  if (words === '') return text;
  const href = marks.find(({ type }) => type === 'link')?.attrs.href;
  const url = typeof href === 'string' ? URL.parse(href) : null;
  const shown = marks.some(({ type }) => type === 'code_inline') ? `\`${words}\`` : words;
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol) || href === words)
    return text.replace(words, () => shown);
  const target = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
  return text.replace(words, () => `[${shown}](${target})`);
}
