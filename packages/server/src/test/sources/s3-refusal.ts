/** Makes answers of S3 in XML, among them its refusals. */
import type { PeerAnswer } from './cloud-peer.ts';

export const xml = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/xml', ...headers },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});

export const refused = (
  status: number,
  code: string,
  { headers = {}, message = `no: ${code}`, more = '' } = {},
): PeerAnswer =>
  xml(status, `<Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`, headers);
