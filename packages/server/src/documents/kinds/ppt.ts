/** Turns a binary presentation of PowerPoint into Markdown, with a heading for each slide. */
import { readCompound } from '../compound/file.ts';
import { aboutOf } from '../compound/summary.ts';
import type { Convert } from '../convert.ts';
import { createMarkdownWriter, type MarkdownWriter } from '../markdown-writer.ts';
import { cleanText } from '../plain.ts';
import { isTitle, type PptText, readSlides, type Slide } from '../ppt/read.ts';

export const convert: Convert = async (bytes) => {
  const file = readCompound(bytes);
  const blocks: string[] = [];
  const pages: number[] = [];
  const places: string[] = [];
  let length = 0;
  for (const [index, slide] of readSlides(file).entries()) {
    const block = cleanText(blockOf(slide, index + 1));
    pages.push(length);
    places.push(`slide ${index + 1}`);
    blocks.push(block);
    length += block.length + 2;
  }
  return { text: blocks.join('\n\n'), pages, places, about: aboutOf(file) };
};

const BODIES = [1, 5, 7, 8];
/** Fields such as the number of the slide are stored as this sign. */
const FIELD = '*';

function blockOf({ texts, notes }: Slide, number: number): string {
  const writer = createMarkdownWriter();
  const title = texts.find(({ type, text }) => isTitle(type) && text.trim() !== '');
  writer.enter({ prefix: '', marker: '## ' });
  writer.text(title ? title.text : `Slide ${number}`);
  writer.leave();
  for (const one of texts) if (one !== title) writeText(writer, one);
  const noted = notes.filter(({ text }) => text.trim() !== '' && text.trim() !== FIELD);
  if (noted.length > 0) {
    writer.block();
    writer.text('Notes:');
    for (const one of noted) writeText(writer, one);
  }
  return writer.result();
}

/** Paragraphs end with a carriage return, and lines with a vertical tab. The paragraphs of a body are items of a list. */
function writeText(writer: MarkdownWriter, { type, text }: PptText): void {
  if (text.trim() === FIELD) return;
  const isList = BODIES.includes(type);
  writer.block();
  for (const paragraph of text.split('\r')) {
    writer.newLine();
    if (isList) writer.enter({ prefix: '  ', marker: '- ', list: true });
    writer.text(paragraph);
    if (isList) writer.leave();
  }
  writer.block();
}
