/** Reads the pages and documents behind stubs: those of which a sitemap or a header says that they have changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError } from '../../errors.ts';
import { type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import { eachOf } from '../kit/listing.ts';
import { DOCUMENT, fileName, ofDocument, ofPage } from './records.ts';
import type { Carry } from './site.ts';
import { type Site, type Visit, visit } from './visit.ts';

const AT_ONCE = 4;
const MAX_REDIRECTS = 5;
const SECOND_LOOK_MS = 2000;

export const hydrate = (stubs: readonly Stub[]): AsyncIterable<Upsert | LeftOut> =>
  eachOf(stubs, AT_ONCE, (one) => read(one, one.carry as Carry));

async function read(one: Stub, carry: Carry): Promise<Upsert | LeftOut> {
  const { id, type, version, partition } = one;
  const { site, lastmod, modified = null } = carry;
  const placed = { partition, version };
  if (type === DOCUMENT) {
    const file = await site.client.file(id, carry.name ?? fileName(id, ''));
    return upsert(ofDocument(id, file, modified ?? lastmod), placed);
  }
  const first = await follow(site, id);
  const isFirst = isGone(first);
  if (isFirst) await sleep(SECOND_LOOK_MS, undefined, { signal: site.signal });
  const found = isFirst ? await follow(site, id) : first;
  if (isGone(found)) return skip(id, type, { reason: 'not there' });
  switch (found.is) {
    case 'page':
      if (!found.facts.isIndexed)
        return skip(id, type, { reason: 'not to be indexed, as it says itself' });
      return upsert(ofPage({ id, lastmod, ...found }), placed);
    case 'document': {
      const file = await site.client.file(id, fileName(id, found.type));
      return upsert(ofDocument(id, file, lastmod), placed);
    }
    case 'failed':
      throw found.error;
    case 'omitted':
      return skip(id, type, found.omission);
    case 'denied':
      return skip(id, type, {
        reason: 'may not be read',
        detail: `the server answered ${found.status}`,
      });
    case 'forbidden':
      return skip(id, type, { reason: 'forbidden by robots.txt' });
    case 'moved':
      return skip(id, type, {
        reason: 'moved to a place that is not read',
        detail: found.to ?? 'the redirect names no address',
      });
    default:
      return skip(id, type, { reason: 'of a kind without text' });
  }
}

const isGone = (found: Visit): boolean =>
  found.is === 'gone' || (found.is === 'page' && found.isLikeMissing);

/** Follows redirects within the named hosts. */
async function follow(site: Site, id: string): Promise<Visit> {
  let address = id;
  for (let hops = 0; ; hops++) {
    const entry = { address, kind: 'leaf', lastmod: null, isSecondLook: false } as const;
    const found = await visit(site, entry, undefined);
    if (found.is !== 'moved' || found.to === null || !site.scope.allows(found.to)) return found;
    if (hops === MAX_REDIRECTS) throw new SourceError('skip', `${id} redirects without an end`);
    address = found.to;
  }
}
