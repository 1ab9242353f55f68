/** Writes small documents of OpenDocument from the XML of their content. */
import { strToU8, type Zippable, zipSync } from 'fflate';

export interface OdfOptions {
  /** This is the XML of the automatic styles. */
  readonly styles?: string;
  readonly meta?: string;
  readonly more?: Zippable;
}

const contentOf = (body: string, styles: string) =>
  `<office:automatic-styles>${styles}</office:automatic-styles><office:master-styles><text:p>header</text:p></office:master-styles><office:body>${body}</office:body>`;

export const odfFile = (body: string, { styles = '', meta = '', more = {} }: OdfOptions = {}) =>
  zipSync({
    'META-INF/manifest.xml': strToU8('<manifest:manifest/>'),
    'styles.xml': strToU8(`<office:document-styles>${contentOf('', '')}</office:document-styles>`),
    'content.xml': strToU8(
      `<office:document-content>${contentOf(body, styles)}</office:document-content>`,
    ),
    'meta.xml': strToU8(
      `<office:document-meta><office:meta>${meta}</office:meta></office:document-meta>`,
    ),
    ...more,
  });

/** Writes the same document as one XML file. */
export const flatOdfFile = (body: string, { styles = '', meta = '' }: OdfOptions = {}) =>
  strToU8(
    `<?xml version="1.0"?><office:document><office:meta>${meta}</office:meta>${contentOf(body, styles)}</office:document>`,
  );

export const encryptedOdf: Zippable = {
  'META-INF/manifest.xml': strToU8(
    '<manifest:manifest><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
  ),
};
