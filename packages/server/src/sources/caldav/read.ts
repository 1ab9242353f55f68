/** Reads the contents of entries, several in one request. */

import { readCalendar } from '../../documents/calendar/components.ts';
import { SourceError } from '../../errors.ts';
import { chunked } from '../../util.ts';
import { fail, type LeftOut, type Stub, skip, type Upsert, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import type { Calendar } from './calendars.ts';
import { type DavAnswer, type DavResource, multiget } from './dav.ts';
import { entityOf } from './record.ts';

export const TYPE = 'CalDavEntry';

/** `hydrate` gets this with the stub. */
export interface CarriedEntry {
  readonly calendar: Calendar;
}

/** Entries with files in them may be larger, but their text is not. */
export const MAX_BYTES = 2 * 2 ** 20;
export const TOO_LARGE = { reason: 'too large', detail: 'more than 2 MB' };

/** With these statuses a server refuses an entry, or says that it is gone (RFC 4791, section 7.9). Others may pass. */
const REFUSALS = [403, 404, 410];

const AT_ONCE = 50;

export async function* readEntries(
  http: Http,
  stubs: readonly Stub[],
): AsyncGenerator<Upsert | LeftOut, void, void> {
  const byCalendar = Map.groupBy(stubs, ({ partition }) => partition);
  for (const ofCalendar of byCalendar.values())
    for (const some of chunked(ofCalendar, AT_ONCE)) yield* readSome(http, some);
}

async function* readSome(
  http: Http,
  stubs: readonly Stub[],
): AsyncGenerator<Upsert | LeftOut, void, void> {
  const [first] = stubs;
  if (!first) return;
  const { calendar } = first.carry as CarriedEntry;
  let answer: DavAnswer;
  try {
    answer = await multiget(
      http,
      calendar.path,
      stubs.map(({ id }) => id),
    );
  } catch (error) {
    if (!(error instanceof SourceError) || !['fatal', 'skip'].includes(error.kind)) throw error;
    if (stubs.length === 1) return yield fail(first.id, first.type, error);
    // One entry may be too large or break the answer, and must not take the others with it.
    for (const stub of stubs) yield* readSome(http, [stub]);
    return;
  }
  const found = new Map(answer.resources.map((resource) => [resource.path, resource]));
  for (const stub of stubs) {
    const resource = found.get(stub.id);
    const text = resource?.properties['calendar-data'];
    if (text !== undefined) yield itemOf(stub, text);
    else
      yield resource && isRefused(resource)
        ? refusedItem(stub)
        : fail(stub.id, stub.type, notSent());
  }
}

const isRefused = ({ status, withheld }: DavResource): boolean =>
  REFUSALS.includes(status) || REFUSALS.includes(withheld['calendar-data'] ?? 0);

/** Searches must no longer find what the entry was before. */
const refusedItem = ({ id, type }: Stub): LeftOut =>
  skip(id, type, { reason: 'not given out by the server', removes: 'record' });

const notSent = () =>
  new SourceError('skip', 'the server has not sent the entry', {
    hint: 'If it was deleted, the next sync notices.',
  });

function itemOf({ id, type, version, partition, carry }: Stub, text: string): Upsert | LeftOut {
  const { calendar } = carry as CarriedEntry;
  // Searches must no longer find what the entry was before.
  if (text.length > MAX_BYTES) return skip(id, type, { ...TOO_LARGE, removes: 'record' });
  const entity = entityOf(readCalendar(text), { id, type, calendar });
  return entity
    ? upsert(entity, { version, partition })
    : skip(id, type, { reason: 'without an event, a task or a note', removes: 'record' });
}
