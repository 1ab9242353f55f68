/**
 * A TIFF may have several pages, such as those of a fax. A page is described by a directory, and each directory has the
 * offset of the next one (TIFF 6.0, section 2). Leptonica reads the page whose directory the header names, so each page
 * is the same file with another offset in its header.
 */

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
/** The header has the offset of the first directory here. */
const FIRST_DIRECTORY = 4;

/**
 * Changes the header of the file before it yields each page, so that the file is this page. Yields a file that is not a
 * TIFF as its only page.
 */
export function* tiffPages(file: Uint8Array): Generator<Uint8Array> {
  const order = Buffer.from(file.subarray(0, 4)).toString('latin1');
  if (file.length < HEADER_BYTES || (order !== 'II*\0' && order !== 'MM\0*')) {
    yield file;
    return;
  }
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const isLittle = order.startsWith('II');
  // In a broken file, the chain of directories may contain a cycle.
  const seen = new Set<number>();
  let directory = view.getUint32(FIRST_DIRECTORY, isLittle);
  while (directory !== 0 && !seen.has(directory)) {
    seen.add(directory);
    view.setUint32(FIRST_DIRECTORY, directory, isLittle);
    yield file;
    directory = nextOf(view, directory, isLittle);
  }
}

/** Returns the offset of the next directory, or 0 after the last one and where the file ends too early. */
function nextOf(view: DataView, directory: number, isLittle: boolean): number {
  if (directory + 2 > view.byteLength) return 0;
  const next = directory + 2 + view.getUint16(directory, isLittle) * ENTRY_BYTES;
  return next + 4 > view.byteLength ? 0 : view.getUint32(next, isLittle);
}
