/** Reads what a CalDAV server means by its refusals. */
import { SourceError } from '../../errors.ts';
import type { CloudApi } from '../api.ts';

export const refusal: NonNullable<CloudApi<never>['refusal']> = ({ status, body }) => {
  const text = typeof body === 'string' ? body : '';
  // RFC 6578, section 3.2: the server has forgotten the token. Some servers answer 403, some 409 and some 412.
  if (status >= 400 && status < 500 && /valid-sync-token/.test(text))
    return new SourceError('outdated', 'the server no longer knows the sync token');
  // RFC 3253, section 3.6: the resource has no such report.
  if (status >= 400 && /supported-report/.test(text)) return withoutReport();
  return status === 501 ? withoutReport() : undefined;
};

const withoutReport = () => new SourceError('skip', 'the server has no such report');
