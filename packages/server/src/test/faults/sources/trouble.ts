/** Decides how the requests of a sync fail. */
import { type Random, random } from '../../random/random.ts';
import type { CloudCompany } from '../../sources/cloud-company.ts';
import {
  json,
  type PeerAnswer,
  type PeerFault,
  type PeerRequest,
} from '../../sources/cloud-peer.ts';
import type { FaultKind, Trouble } from './steps.ts';

/** A request is tried four times before the sync fails, so it fails less often than that. */
const MOST_FAILURES = 2;
const HOUR = '3600';

const html = (status: number, headers: Readonly<Record<string, string>> = {}): PeerAnswer => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: '<html><body><h1>The service is not available</h1></body></html>',
});

/** Returns the faults of this sync, request by request. */
export function faultsOf(
  { seed, share, faults }: Trouble,
  company: CloudCompany,
): (request: PeerRequest) => { readonly kind: FaultKind; readonly fault: PeerFault } | undefined {
  const chance = random(seed);
  const met = new Map<string, number>();
  return (request) => {
    if (chance.next() >= share) return undefined;
    const name =
      company.nameOf?.(request) ?? `${request.method} ${request.url.href} ${request.body}`;
    const times = met.get(name) ?? 0;
    if (times >= MOST_FAILURES) return undefined;
    met.set(name, times + 1);
    const kind = chance.pick(faults);
    // Only credentials can be refused. Without them, an answer of 401 says that a page is not for everybody.
    if (kind === 'unauthorized' && request.headers.authorization === undefined) return undefined;
    return { kind, fault: faultOf(kind, chance, company) };
  };
}

function faultOf(kind: FaultKind, chance: Random, { refusals }: CloudCompany): PeerFault {
  switch (kind) {
    case 'park':
      return chance.pick([...refusals.rateLimited, json(429, {}, { 'retry-after': HOUR })]);
    case 'pause':
      return chance.pick([
        json(429, {}, { 'retry-after': '1' }),
        json(429, {}, { 'retry-after': '0' }),
        json(429, {}, { 'retry-after': new Date(Date.now() + 3000).toUTCString() }),
        json(429, {}, { 'retry-after': 'soon' }),
        json(429, {}),
        html(503, { 'retry-after': '2' }),
      ]);
    case 'broken':
      return chance.pick([refusals.serverError, html(500), html(502), html(503), html(504)]);
    case 'unauthorized':
      return refusals.unauthorized;
    default:
      return kind;
  }
}
