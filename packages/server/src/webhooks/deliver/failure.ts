/**
 * This file says in a sentence that the subscriber may read why no answer came. The sentence about the
 * way to the endpoint comes only from the kind of the failure and never from its text, because the text
 * may name addresses of this network.
 */
import { SourceError } from '../../errors.ts';

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const SENTENCES: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/^ECONNREFUSED$/, 'The endpoint refused the connection.'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'The connection was closed before an answer came.'],
  [/TIMEOUT|^ETIMEDOUT$/, 'The endpoint could not be connected to in time.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'The endpoint could not be reached.'],
  [/HEADERS_OVERFLOW/, 'The headers of the answer are too long.'],
  [/^HPE_|HTTPParser|UND_ERR/, 'The answer is not valid HTTP.'],
  [
    /CERT|TLS|SSL|SELF_SIGNED|ISSUER|VERIFY/,
    'The certificate or TLS of the endpoint is not valid.',
  ],
];
const ELSE = 'The endpoint could not be reached.';

export function sentenceOf(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  const { cause } = error as Error;
  const reason = cause ?? error;
  if (reason instanceof NoAnswer) return reason.message;
  if (reason instanceof SourceError)
    return reason.kind === 'config'
      ? 'The host of the URL is not at a public address.'
      : 'The host of the URL does not resolve to an address.';
  const { code, name } = reason as NodeJS.ErrnoException;
  return SENTENCES.find(([pattern]) => pattern.test(code ?? name))?.[1] ?? ELSE;
}
