/** Makes the text of a record of the texts of a message. */

import type { MailText } from '../../documents/mail/message.ts';
import type { Entity } from '../../model/entity.ts';

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
