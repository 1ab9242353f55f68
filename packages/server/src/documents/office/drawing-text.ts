/** Reads the text of shapes, diagrams and charts (DrawingML, ECMA-376 part 1, 21). */
import type { OfficePackage } from './package.ts';
import { attribute } from './xml.ts';

export interface DrawingTextOptions {
  /** If given, only the text inside of elements of this name is read. */
  readonly inside?: string;
}

/** Returns the paragraphs with text, and the alternative texts of pictures, in their order. */
export function drawingText(
  document: OfficePackage,
  path: string | undefined,
  { inside }: DrawingTextOptions = {},
): string[] {
  const paragraphs: string[] = [];
  let around = inside === undefined ? 1 : 0;
  let paragraph = '';
  let inText = false;
  document.read(path, {
    open(name, attributes) {
      if (name === inside) {
        around++;
        return () => {
          around--;
        };
      }
      if (around === 0) return undefined;
      switch (name) {
        case 'p':
          paragraph = '';
          return () => {
            if (paragraph.trim() !== '') paragraphs.push(paragraph);
            paragraph = '';
          };
        case 't':
          inText = true;
          return () => {
            inText = false;
          };
        case 'br':
          paragraph += ' ';
          return undefined;
        case 'cNvPr': {
          const alternative = attribute(attributes, 'descr') ?? '';
          if (alternative.trim() !== '') paragraphs.push(alternative);
          return undefined;
        }
        default:
          return name === 'Fallback' ? 'skip' : undefined;
      }
    },
    text(data) {
      if (inText) paragraph += data;
    },
  });
  return paragraphs;
}
