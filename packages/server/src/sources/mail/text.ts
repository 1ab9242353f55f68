/** Makes the text of a record of the texts of a message. */
import { decodeText } from '../../documents/plain.ts';
import type { Entity } from '../../model/entity.ts';
import type { TextPart } from './structure.ts';

export interface MailText extends Pick<TextPart, 'kind'> {
  readonly content: string;
}

/** Adds the texts to the entity of their message, or of the file in which they are. */
export function withTexts(entity: Entity, texts: readonly MailText[]): Entity {
  const readable = texts.filter(({ content }) => content.trim() !== '');
  if (readable.some(({ content }) => ARMOUR.test(content)))
    return { ...entity, fields: { ...entity.fields, protection: 'encrypted' } };
  return readable.some(({ kind }) => kind === 'html')
    ? { ...entity, html: readable.map(asHtml).join('\n<hr>\n') }
    : { ...entity, text: readable.map(({ content }) => content).join('\n\n') };
}

const ARMOUR = /^\s*-----BEGIN PGP MESSAGE-----/;

const asHtml = ({ kind, content }: MailText) =>
  kind === 'html'
    ? content
    : `<pre>${content.replace(/[&<]/g, (char) => (char === '&' ? '&amp;' : '&lt;'))}</pre>`;

/** Returns '' for bytes that are not text. */
export const decodeMail = (bytes: Uint8Array, charset: string | undefined): string =>
  decodeText(bytes, encodingOf(charset)) ?? '';

/**
 * Returns undefined when the charset is unknown, or is one that programs name without meaning it: UTF-8 or Windows-1252
 * is recognized then.
 */
function encodingOf(charset: string | undefined): string | undefined {
  const label = charset?.trim().toLowerCase() ?? '';
  if (label === '' || label === 'us-ascii' || label === 'ascii') return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === 'windows-1252' ? undefined : encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
