/**
 * Writes a form with a file (multipart/form-data, RFC 7578) while the file is read, so that a large file needs no more
 * memory than a small one.
 */
import { randomUUID } from 'node:crypto';
import { SourceError } from '../../errors.ts';
import type { Recording } from '../../model/transcript.ts';

export interface StreamedForm {
  /** This is the value of the header Content-Type. */
  readonly type: string;
  /** This is the length of the body in bytes. */
  readonly size: number;
  /** Fails when the file has become longer or shorter than it was. */
  body(): AsyncIterable<Uint8Array>;
  /** Returns the error of the file that ended the body. The request says only that its body has ended. */
  fault(): unknown;
}

export function formOf(
  fields: Readonly<Record<string, string>>,
  { name, size, read }: Recording,
): StreamedForm {
  const boundary = `quarry-${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([key, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  const before = Buffer.from(
    `${parts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escaped(name)}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  let fault: unknown;

  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      let left = size;
      for await (const piece of read()) {
        left -= piece.byteLength;
        if (left < 0) break;
        yield piece;
      }
      if (left !== 0) throw changedError();
    } catch (error) {
      fault = error;
      throw error;
    }
  }

  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: before.length + size + after.length,
    async *body() {
      yield before;
      // A loop does not pass on an error of the connection into `content`, as `yield*` would.
      for await (const piece of content()) yield piece;
      yield after;
    },
    fault: () => fault,
  };
}

const changedError = () =>
  new SourceError('skip', 'the file changed while it was sent', {
    hint: 'The next sync reads the new file.',
  });

/** The characters that would end the name are written as browsers write them (HTML, multipart/form-data encoding). */
const escaped = (name: string): string =>
  name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
