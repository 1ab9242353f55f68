/**
 * This file explains to the subscriber why no answer came. The sentence depends only on the kind of the failure and
 * never quotes its text, because the text may name addresses of our network.
 */
import { SourceError } from '../../errors.ts';
import { RequestFailure } from '../../net/request.ts';

/** This is also the sentence for every failure that the table does not have. */
const UNREACHABLE = 'The endpoint could not be reached.';

const SENTENCES_BY_CODE: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/^ECONNREFUSED$/, 'The endpoint refused the connection.'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'The connection was closed before an answer came.'],
  [/TIMEOUT|^ETIMEDOUT$/, 'The connection to the endpoint could not be opened in time.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, UNREACHABLE],
  [/HEADERS_OVERFLOW/, 'The headers of the answer are too long.'],
  [/^HPE_|HTTPParser|UND_ERR/, 'The answer is not valid HTTP.'],
  [
    /CERT|TLS|SSL|SELF_SIGNED|ISSUER|VERIFY/,
    'The certificate or TLS of the endpoint is not valid.',
  ],
];

/** Returns the sentence that the API shows for an attempt without an answer. */
export function explain(error: unknown, deadlineMs: number): string {
  if (!(error instanceof RequestFailure)) return UNREACHABLE;
  if (error.fault === 'late')
    return `The endpoint did not answer within ${deadlineMs / 1000} seconds.`;
  const { cause } = error;
  if (cause instanceof SourceError)
    return cause.kind === 'config'
      ? 'The host of the URL is not at a public address.'
      : 'The host of the URL does not resolve to an address.';
  const { code, name } = cause as NodeJS.ErrnoException;
  return SENTENCES_BY_CODE.find(([pattern]) => pattern.test(code ?? name))?.[1] ?? UNREACHABLE;
}
