/**
 * Finds what the search has not shown: records that earlier pulls have read, pages and databases that blocks of pages
 * name, and the rows of such databases. A search may leave out records for a while, or for good.
 */
import { fail, lost } from '../items.ts';
import { ahead } from '../kit/listing.ts';
import { Database, DataSource, NotionPage } from './answer.ts';
import { find, findAt, pathOf, rowsOf } from './api.ts';
import { CONCURRENCY } from './hydrate.ts';
import type { KnownRecord, NamedKind } from './memory.ts';
import { filesOf, TYPES } from './records.ts';
import { isRefusal, type NotionPull, type VisitedRecord, visit } from './visit.ts';

/** A full pull asks by their ids for at most this many listed records that it has not met. */
const MAX_ASKED = 1000;
/** At most this many records that no search shows are copied, because each costs a request in every full pull. */
const MAX_UNLISTED = 1000;

type Named = readonly [id: string, kind: NamedKind];

/** The caller remembers each record before it asks for the next one. */
export async function* unlisted(state: NotionPull): AsyncGenerator<VisitedRecord, void, void> {
  const { before, now, isFull } = state;
  const missing = (isSource: boolean) =>
    [...before.known].filter(
      ([id, { kind }]) => (kind === 'data_source') === isSource && !now.known.has(id),
    );
  // The rows of a database that no search shows come with one request for a hundred, so databases are first.
  if (isFull) yield* askedAgain(state, missing(true));
  yield* named(state, isFull ? new Set() : new Set(unlistedSources(state)));
  if (!isFull) return;
  yield* askedAgain(state, missing(false));
  yield* named(state, new Set(unlistedSources(state)));
}

/** Follows names down until none is left. `seen` has the databases whose rows are known already. */
async function* named(
  state: NotionPull,
  seen: Set<string>,
): AsyncGenerator<VisitedRecord, void, void> {
  for (;;) {
    const sources = unlistedSources(state).filter((id) => !seen.has(id));
    for (const id of sources) {
      seen.add(id);
      yield* rows(state, id);
    }
    const names = withinBounds(state);
    if (sources.length === 0 && names.length === 0) return;
    for await (const visited of ahead(names, CONCURRENCY, (one) => askNamed(state, one)))
      yield visited;
  }
}

/** Returns the names, and forgets those that would be too many. */
function withinBounds(state: NotionPull): Named[] {
  const { known, named: names } = state.now;
  let room = MAX_UNLISTED;
  for (const { isUnlisted } of known.values()) if (isUnlisted) room--;
  return [...names].filter(([id, kind]) => {
    if (kind === 'database' || room-- > 0) return true;
    names.delete(id);
    state.isCut = true;
    return false;
  });
}

const unlistedSources = ({ now }: NotionPull): string[] =>
  [...now.known].flatMap(([id, { kind, isUnlisted }]) =>
    isUnlisted && kind === 'data_source' ? id : [],
  );

/**
 * A record that still exists and cannot be read stays as it is. Records that would be too many are remembered and not
 * asked for, and then nothing counts as gone. They stand before those that are asked for, so the next full pull asks for
 * them first.
 */
async function* askedAgain(
  state: NotionPull,
  missing: readonly (readonly [string, KnownRecord])[],
): AsyncGenerator<VisitedRecord, void, void> {
  let listed = 0;
  const asked = missing.filter(([id, known]) => {
    if (known.isUnlisted || listed++ < MAX_ASKED) return true;
    state.now.known.set(id, known);
    state.isCut = true;
    return false;
  });
  const ask = ([id, known]: (typeof missing)[number]) => askRecord(state, [id, known.kind], known);
  for await (const visited of ahead(asked, CONCURRENCY, ask)) yield visited;
}

async function askNamed(state: NotionPull, [id, kind]: Named): Promise<VisitedRecord> {
  const { reader, before, now } = state;
  const nothing: VisitedRecord = { id, items: [], known: now.known.get(id) ?? null };
  if (nothing.known) return nothing;
  if (kind !== 'database') return askRecord(state, [id, kind], before.known.get(id) ?? null);
  try {
    // A view of a database that lies elsewhere is shown as a database, and cannot be read.
    const database = await find(reader.http, pathOf('databases', id), Database);
    const sources = database?.data_sources ?? [];
    return { ...nothing, named: sources.map((source): Named => [source.id, 'data_source']) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return nothing;
  }
}

async function askRecord(
  state: NotionPull,
  [id, kind]: readonly [string, KnownRecord['kind']],
  known: KnownRecord | null,
): Promise<VisitedRecord> {
  const { http, directory } = state.reader;
  try {
    const answer =
      kind === 'page'
        ? await findAt(http, pathOf('pages', id), NotionPage)
        : await findAt(http, pathOf('data_sources', id), DataSource);
    if (!answer) return { id, items: [], known: null };
    directory.note(answer.value);
    return await visit(state, {
      found: answer.value,
      at: answer.at,
      isUnlisted: known?.isUnlisted ?? true,
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const kept = known ? [lost(filesOf(id), error)] : [];
    return { id, items: [fail(id, TYPES[kind], error), ...kept], known };
  }
}

/** A listing of rows that is refused, or incomplete, says of no row that it is gone. */
async function* rows(state: NotionPull, source: string): AsyncGenerator<VisitedRecord, void, void> {
  const { reader, now } = state;
  try {
    for await (const { page } of rowsOf(reader.http, source)) {
      state.isCut ||= page.isCut;
      for (const found of page.results) reader.directory.note(found);
      const unmet = page.results.filter(({ id }) => !now.known.has(id));
      const visits = ahead(unmet, CONCURRENCY, (found) => visit(state, { found, at: page.at }));
      for await (const visited of visits) yield visited;
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    state.isCut = true;
  }
}
