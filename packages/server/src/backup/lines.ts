/** Splits a stream of bytes into lines, in pages, so that nobody waits for each line. */

/** A line is a row, whose values together are far smaller than this. */
const MAX_LINE_BYTES = 400 * 2 ** 20;
const NEWLINE = 10;
/** A page ends after this many bytes. */
const PAGE_BYTES = 2 ** 20;

export async function* pagesOfLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_LINE_BYTES) throw new Error('a line is too long');
    if (bytes < PAGE_BYTES || !chunk.includes(NEWLINE)) continue;
    const all = Buffer.concat(chunks);
    const end = all.lastIndexOf(NEWLINE);
    yield all.toString('utf8', 0, end).split('\n');
    chunks = [all.subarray(end + 1)];
    bytes = all.length - end - 1;
  }
  const rest = Buffer.concat(chunks).toString('utf8');
  if (rest === '') return;
  if (!rest.endsWith('\n')) throw new Error('its last line is cut');
  yield rest.slice(0, -1).split('\n');
}
