/** Writes pictures of pages: PNG files, and PDF files whose pages are pictures, as a scanner writes them. */
import { crc32, deflateSync } from 'node:zlib';
import { openPdf } from '../../documents/pdf/pdfium.ts';
import { type PdfLine, pdfFile } from './pdf-file.ts';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** A pixel is one byte, from black (0) to white (255). */
  readonly pixels: Uint8Array;
}

/** Draws a page with these lines. PDFium draws it, with 200 dots per inch. */
export async function drawn(lines: readonly PdfLine[]): Promise<Picture> {
  using file = await openPdf(pdfFile([lines]));
  const pgm = Buffer.from(file.pictureOf(0));
  const [header = '', width, height] = /^P5\n(\d+) (\d+)\n255\n/.exec(pgm.toString('latin1')) ?? [];
  return { width: Number(width), height: Number(height), pixels: pgm.subarray(header.length) };
}

export const blank = (width: number, height: number): Picture => ({
  width,
  height,
  pixels: Buffer.alloc(width * height, 255),
});

/** Turns the picture upside down. */
export const turned = ({ width, height, pixels }: Picture): Picture => ({
  width,
  height,
  pixels: Buffer.from(pixels).reverse(),
});

/** Writes a PNG file (RFC 2083) in shades of grey. */
export function pngFile({ width, height, pixels }: Picture): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return pngOf(width, height, deflateSync(rows));
}

/** Writes a PNG file whose header has these dimensions, whatever its content is. */
export function pngOf(width: number, height: number, content: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', content),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Writes a TIFF file (TIFF 6.0) with uncompressed pages in shades of grey. */
export function tiffFile(pages: readonly Picture[]): Buffer {
  const parts = [Buffer.from('II*\0\0\0\0\0', 'latin1')];
  let length = 8;
  /** The offset of the next directory belongs here. */
  let link = { part: parts[0]!, at: 4 };
  for (const { width, height, pixels } of pages) {
    const tags = [
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, length],
      [277, 1],
      [278, height],
      [279, pixels.length],
    ];
    parts.push(Buffer.from(pixels));
    length += pixels.length;
    link.part.writeUInt32LE(length, link.at);
    const directory = Buffer.alloc(2 + 12 * tags.length + 4);
    directory.writeUInt16LE(tags.length, 0);
    for (const [i, [tag = 0, value = 0]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + 12 * i);
      directory.writeUInt16LE(4, 4 + 12 * i);
      directory.writeUInt32LE(1, 6 + 12 * i);
      directory.writeUInt32LE(value, 10 + 12 * i);
    }
    parts.push(directory);
    length += directory.length;
    link = { part: directory, at: directory.length - 4 };
  }
  return Buffer.concat(parts);
}

/** Writes a PDF file. A page is a picture, or has no picture when it is null. */
export function scanFile(pages: readonly (Picture | null)[]): Buffer {
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(
      `<< /Type /Pages /Kids [${pages.map((_, i) => `${3 + 3 * i} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    ),
  ];
  for (const [i, picture] of pages.entries()) {
    const [content, image] = [4 + 3 * i, 5 + 3 * i];
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /XObject << /P ${image} 0 R >> >> >>`,
      ),
      stream('', Buffer.from(picture ? 'q 612 0 0 792 0 0 cm /P Do Q' : '')),
      picture
        ? stream(
            `/Type /XObject /Subtype /Image /Width ${picture.width} /Height ${picture.height} /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode`,
            deflateSync(picture.pixels),
          )
        : Buffer.from('null'),
    );
  }
  const parts = [Buffer.from('%PDF-1.4\n')];
  let length = parts[0]!.length;
  const offsets = objects.map((object, i) => {
    const at = length;
    const whole = Buffer.concat([
      Buffer.from(`${i + 1} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(whole);
    length += whole.length;
    return at;
  });
  const entries = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

const stream = (facts: string, content: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`<< ${facts} /Length ${content.length} >>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ]);
