/** Reads what is written in a drawing in SVG: its titles, descriptions and texts, in the order of the file. */

import { gunzipped } from '../archive/gunzip.ts';
import { createStreamReader } from '../archive/stream-reader.ts';
import type { Convert } from '../convert.ts';
import { largestBytesOf, tooLargeOf } from '../kinds.ts';
import { textLine } from '../markdown-writer.ts';
import { drawnTexts } from '../xml/drawing.ts';
import { decodeXml } from '../xml/parse.ts';

const WITHOUT_TEXT = {
  reason: 'without text that can be read',
  detail: 'the drawing has only shapes',
};
/** An unpacked drawing has the limit of one that is not packed. */
const MOST_BYTES = largestBytesOf('svg');

export const convert: Convert = async (bytes, container) => {
  const unpacked = isPacked(bytes) ? await unpack(bytes) : bytes;
  if (unpacked.length > MOST_BYTES) return tooLargeOf('svg');
  const source = decodeXml(unpacked);
  if (source === null) return { reason: 'binary' };
  if (isPage(source)) return container.convertAs('html', unpacked);
  const { title, texts } = drawnTexts(source);
  if (title === undefined && texts.length === 0) return WITHOUT_TEXT;
  const lines = texts.map((text) => textLine(text, false));
  return {
    text: (title === undefined ? lines : [`# ${title}`, ...lines]).join('\n\n'),
    ...(title !== undefined && { about: { title } }),
  };
};

/** A web page that shows drawings may have their extension, because the server had it made for them. */
const isPage = (source: string): boolean => /^\s*(?:<!doctype html|<html)[\s>]/i.test(source);

const isPacked = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  await using reader = createStreamReader(gunzipped(bytes));
  return await reader.take(MOST_BYTES + 1);
}
