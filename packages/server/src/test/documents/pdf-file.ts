/** Writes small PDF files with an outline and with pages of lines in Helvetica, bold or not, and in Courier. */

interface Run {
  readonly text: string;
  /** The size is in points. The default is 12. */
  readonly size?: number;
  readonly font?: 'bold' | 'code';
}

export type PdfLine =
  | string
  | (Run & {
      /** The indent is in points from the margin. */
      readonly indent?: number;
      /** The text can be searched but is not visible, like the text that OCR puts over the picture of a page. */
      readonly invisible?: boolean;
      /** This run continues on the same line. */
      readonly rest?: Run;
      /** These texts stand farther to the right on the same line. */
      readonly cells?: readonly { readonly text: string; readonly indent: number }[];
    });

export interface PdfBookmark {
  readonly title: string;
  /** The page is named by its index, which begins at 0. */
  readonly page: number;
  /** The distance from the lower edge of the page is in points. Without it, the bookmark leads to the whole page. */
  readonly y?: number;
  readonly inner?: readonly PdfBookmark[];
}

const TOP = 720;
const LEADING = 16;
const FONTS = ['Helvetica', 'Helvetica-Bold', 'Courier'];

/** Returns the approximate place of the upper edge of such a line. */
export const heightOf = (line: number): number => TOP - LEADING * line + 12;

export function pdfFile(
  pages: readonly (readonly PdfLine[])[],
  outline: readonly PdfBookmark[] = [],
): Buffer {
  const font = 3;
  const page = (index: number) => font + FONTS.length + 2 * index;
  const root = page(pages.length);
  const kids = pages.map((_, i) => `${page(i)} 0 R`).join(' ');
  const fonts = FONTS.map((_, i) => `/F${i + 1} ${font + i} 0 R`).join(' ');
  return assemble([
    `<< /Type /Catalog /Pages 2 0 R ${outline.length > 0 ? `/Outlines ${root} 0 R` : ''} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...FONTS.map(
      (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
    ),
    ...pages.flatMap((lines, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${page(i) + 1} 0 R ` +
        `/Resources << /Font << ${fonts} >> >> >>`,
      stream(content(lines)),
    ]),
    ...outlineObjects(outline, root, page),
  ]);
}

/** Makes a file that requires a password. */
export function encryptedPdf(): Buffer {
  const plain = pdfFile([['secret']]).toString('latin1');
  const password = 'A'.repeat(64);
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${password}> /U <${password}> >>`;
  return Buffer.from(
    plain.replace('/Root 1 0 R', `/Root 1 0 R /ID [<00> <00>] ${encrypt}`),
    'latin1',
  );
}

const escaped = (text: string) => `(${text.replaceAll(/[\\()]/g, '\\$&')})`;

/**
 * Some producers scale a font of one point, and others use the font at its size. So every second line here is scaled.
 */
function content(lines: readonly PdfLine[]): string {
  const shown = lines.map((line, i) => {
    const run = typeof line === 'string' ? { text: line } : line;
    const { indent = 0, invisible = false, rest, cells = [] } = run as Exclude<PdfLine, string>;
    const scale = i % 2 === 0 ? 1 : 12;
    const place = (x: number) => `${scale} 0 0 ${scale} ${72 + x} ${TOP - LEADING * i} Tm`;
    const runs = [run, ...(rest ? [rest] : [])].map((one) => show(one, scale));
    const others = cells.map((cell) => `${place(cell.indent)} ${show({ ...run, ...cell }, scale)}`);
    return `${invisible ? 3 : 0} Tr ${[place(indent), ...runs, ...others].join(' ')}`;
  });
  return `BT ${shown.join(' ')} ET`;
}

function show({ text, size = 12, font }: Run, scale: number): string {
  const name = font === 'bold' ? 'F2' : font === 'code' ? 'F3' : 'F1';
  return `/${name} ${size / scale} Tf ${escaped(text)} Tj`;
}

/** Returns the bookmarks in the order of the document, and the root of the outline, which is the object `root`. */
function outlineObjects(
  outline: readonly PdfBookmark[],
  root: number,
  page: (index: number) => number,
): string[] {
  if (outline.length === 0) return [];
  const objects = [''];
  const write = (bookmarks: readonly PdfBookmark[], parent: number): string => {
    const numbers = bookmarks.map(({ title, page: index, y, inner = [] }) => {
      const at = objects.push('') - 1;
      const to = y === undefined ? '/Fit' : `/XYZ 0 ${y} null`;
      const children = inner.length > 0 ? write(inner, root + at) : '';
      objects[at] =
        `/Title ${escaped(title)} /Parent ${parent} 0 R /Dest [${page(index)} 0 R ${to}] ${children}`;
      return at;
    });
    numbers.forEach((at, i) => {
      const next = numbers[i + 1];
      objects[at] = `<< ${objects[at]} ${next === undefined ? '' : `/Next ${root + next} 0 R`} >>`;
    });
    return `/First ${root + numbers[0]!} 0 R /Last ${root + numbers.at(-1)!} 0 R`;
  };
  objects[0] = `<< /Type /Outlines ${write(outline, root)} >>`;
  return objects;
}

const stream = (text: string) =>
  `<< /Length ${Buffer.byteLength(text, 'latin1')} >>\nstream\n${text}\nendstream`;

function assemble(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  objects.forEach((object, i) => {
    offsets.push(text.length);
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const xref = text.length;
  const entries = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
