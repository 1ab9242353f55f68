/** Writes small PPTX files from the XML of their slides. */
import { strToU8, type Zippable, zipSync } from 'fflate';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** `target` is relative to the folder of the part. */
export const partRelation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;

/**
 * Makes a presentation whose slides stand in their parts in the opposite order. The first slide of `slides` is the
 * first one that people see.
 */
export function pptxFile(slides: readonly string[], more: Zippable = {}): Uint8Array {
  const part = (i: number) => slides.length - i;
  return zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    '_rels/.rels': strToU8(
      `<Relationships>${partRelation('r', 'officeDocument', 'ppt/presentation.xml')}</Relationships>`,
    ),
    'ppt/presentation.xml': strToU8(
      `<p:presentation><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${i}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    ),
    'ppt/_rels/presentation.xml.rels': strToU8(
      `<Relationships>${slides.map((_, i) => partRelation(`s${i}`, 'slide', `slides/slide${part(i)}.xml`)).join('')}</Relationships>`,
    ),
    ...Object.fromEntries(
      slides.map((shapes, i) => [
        `ppt/slides/slide${part(i)}.xml`,
        strToU8(`<p:sld show="0"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`),
      ]),
    ),
    ...more,
  });
}

/** Makes a shape from its paragraphs. `placeholder` is its type; without one, the shape is a text box. */
export const shape = (paragraphs: string, placeholder?: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="n" descr="not read"/><p:nvPr>${placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle>${paragraphs}</p:txBody></p:sp>`;

/** `properties` is the XML inside of the properties of the paragraph. */
export const slideParagraph = (text: string, level = 0, properties = ''): string =>
  `<a:p><a:pPr lvl="${level}">${properties}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
