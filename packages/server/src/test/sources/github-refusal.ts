/** The form in which GitHub refuses a request, or says that a repository has moved. */
import { json, type PeerAnswer } from './cloud-peer.ts';

export const message = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer =>
  json(
    status,
    { message: text, documentation_url: 'https://docs.github.com/rest', status: `${status}` },
    headers,
  );
