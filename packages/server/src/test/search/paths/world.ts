/**
 * Makes two organizations with the same records. Each commit changes a real database, and adds a state with the same
 * content, from which the oracle computes what may be seen.
 */

import { markDeleted } from '../../../connections/store.ts';
import { embeddedText } from '../../../documents/split.ts';
import type { Chunk } from '../../../model/chunk.ts';
import { sha256 } from '../../../model/hash.ts';
import { hasTitle, indexTerms } from '../../../model/title.ts';
import { quantize } from '../../../model/vector.ts';
import type { SyncClaim } from '../../../syncs/jobs/job-store.ts';
import { noTally } from '../../../syncs/jobs/tally.ts';
import { noChanges } from '../../../syncs/pipeline/changes.ts';
import { type CommitTarget, createCommitter } from '../../../syncs/pipeline/commit.ts';
import { compare } from '../../../syncs/pipeline/compare.ts';
import { deletes, type PreparedDecision } from '../../../syncs/pipeline/decision.ts';
import { addMembers, switchTo } from '../../../syncs/pipeline/members-store.ts';
import { recipeOf } from '../../../syncs/pipeline/recipe.ts';
import { entityHash } from '../../../syncs/pipeline/record.ts';
import { toRow } from '../../../syncs/pipeline/row.ts';
import { type StoredEntity, stored } from '../../../syncs/pipeline/store.ts';
import { asGiven } from '../../../syncs/pipeline/transform.ts';
import { must, newId } from '../../../util.ts';
import { insertSyncJob } from '../../api/rows.ts';
import { claimJob } from '../../claimed-job.ts';
import type { Connection, Doc, State } from '../../random/world.ts';
import type { Library } from '../library.ts';
import type { CommitDraw, DocDraw } from './draws.ts';

const never = new AbortController().signal;
const recipe = () => recipeOf('a model', { is_searchable: true, is_listable: true }, null);
const scopeOf = ({ collectionId, id }: Connection) => ({ collectionId, connectionId: id });

/** The connection of this source has no records when a world begins. */
export const VAULT = 'vault';

export interface Place {
  readonly organizationId: string;
  readonly collectionId: string;
}

/** Unlike a DocDraw, the record may have any id, type and fields. */
type Draw = Omit<DocDraw, 'id' | 'type' | 'fields'> & Pick<Doc, 'id' | 'type' | 'fields'>;

export interface World {
  /** Most requests are about the first place. The second belongs to the same organization, the third to another. */
  readonly places: readonly Place[];
  /** Lists the states so far; the last is the current one. */
  readonly states: readonly State[];
  /** Each chunk that ever existed contains one of these markers, which no other chunk contains. */
  readonly markers: readonly string[];
  commit(draw: CommitDraw): Promise<void>;
  /** Tells whether the first collection has a connection of this source that was not deleted. */
  has(shortName: string): boolean;
  /** Adds a record to the first collection, and returns a function that removes it. */
  add(shortName: string, draw: Draw): Promise<() => Promise<void>>;
}

/** Every connection begins with `docs`, except that of the source VAULT. */
export async function openWorld(library: Library, docs: readonly DocDraw[]): Promise<World> {
  const other = await library.addOrganization();
  const own = await library.addOrganization();
  const places: Place[] = [];
  for (const organizationId of [own, own, other])
    places.push({ organizationId, collectionId: await library.addCollection(organizationId) });
  const states: State[] = [new Map()];
  const markers: string[] = [];
  /** Maps each connection to the lease under which its records are written. */
  const claims = new Map<string, SyncClaim>();
  const state = (): State => must(states.at(-1));
  const become = (connection: Connection) => {
    const connections = [...state().values()].filter(({ id }) => id !== connection.id);
    const sorted = [...connections, connection].sort((a, b) => (a.id < b.id ? -1 : 1));
    states.push(new Map(sorted.map((one) => [one.id, one])));
  };

  async function connect(
    { organizationId, collectionId }: Place,
    shortName: string,
    some: readonly DocDraw[],
  ) {
    const { id, syncId } = await library.addConnection(collectionId, shortName, organizationId);
    const owner = { id, organization_id: organizationId };
    const jobId = await insertSyncJob(library.db, owner, 'RUNNING');
    const claim = await claimJob(library.db, library.kind, { jobId, connectionId: id });
    await library.db
      .updateTable('connections')
      .set({ authenticated_at: 1, config: JSON.stringify({ part: id }) })
      .where('id', '=', id)
      .execute();
    claims.set(id, claim);
    const isLive = shortName === 'shelf';
    const empty: Connection = {
      ...{
        id,
        syncId,
        jobId,
        organizationId,
        collectionId,
        shortName,
        isLive,
        isDeleted: false,
      },
      ...{ docs: new Map(), members: [] },
    };
    become(empty);
    await store(empty, some.map(toDoc));
  }

  function toDoc({ texts, url, createdAt, updatedAt, ...draw }: Draw): Doc {
    const marked = texts.map((text) => {
      const marker = `mk${markers.length + 1}x`;
      markers.push(marker);
      return `${marker} ${text} ${marker}.`;
    });
    return {
      ...draw,
      name: draw.id,
      text: marked.join('\n\n'),
      texts: marked,
      url: url ?? undefined,
      createdAt: dateOf(createdAt),
      updatedAt: dateOf(updatedAt),
    };
  }

  const targetOf = (connection: Connection): CommitTarget => ({
    ...connection,
    connectionId: connection.id,
    jobId: must(connection.jobId),
    claim: must(claims.get(connection.id)),
    configuredAt: 0,
    cursorField: null,
    generation: 1,
    firstGeneration: 1,
    recipe,
    attempt: 'this',
    definitionId: (type) => type,
  });

  const commitTo = (connection: Connection, decisions: readonly PreparedDecision[]) =>
    createCommitter(library, targetOf(connection), {
      meter: { requests: 0, bytes: 0 },
      start: noTally,
    }).commit({ ...noChanges, decisions });

  /**
   * Stores records as a sync does: a record with only a newer time is refreshed; one that differs is written
   * with its chunks.
   */
  async function store(connection: Connection, changed: readonly Doc[]): Promise<void> {
    const docs = new Map([...connection.docs, ...changed.map((doc) => [doc.id, doc] as const)]);
    if (!connection.isLive) {
      const last = [...new Map(changed.map((doc) => [doc.id, doc])).values()];
      const known = await stored(library.db, scopeOf(connection), [...docs.keys()]);
      await commitTo(
        connection,
        await Promise.all(last.map((doc) => toDecision(connection, doc, known))),
      );
    }
    become({ ...connection, docs });
  }

  async function toDecision(
    connection: Connection,
    doc: Doc,
    known: ReadonlyMap<string, StoredEntity>,
  ): Promise<PreparedDecision> {
    const { texts: _, ...entity } = doc;
    const target = targetOf(connection);
    const extractVersion = target.recipe(entity.type).extract_version;
    const place = { version: null, partition: '', extractVersion, contentHash: null };
    const upsert = { kind: 'upsert', entity, ...place } as const;
    const result = compare(upsert, { hash: entityHash(entity), stored: known.get(doc.id) }, target);
    if ('kind' in result) return result;
    const write = asGiven(result, 1);
    const row = write.stored?.id ?? newId();
    const columns = toRow({ ...write, row }, target);
    return { ...write, row, columns, chunks: await chunksOf(row, doc) };
  }

  async function chunksOf(row: string, { name, texts }: Doc): Promise<Chunk[]> {
    const pieces = texts.map((text) => ({ text, heading: null, page: null, place: null, line: 1 }));
    const embedded = pieces.map((piece) => embeddedText(name, piece));
    const vectors = await library.embedder.embed(embedded, 'document', never);
    return pieces.map((piece, index) => ({
      ...piece,
      entity: row,
      index,
      textHash: sha256(must(embedded[index])),
      isTitled: hasTitle({ ...piece, name }),
      terms: indexTerms({ ...piece, name }),
      vector: quantize(must(vectors[index])),
    }));
  }

  async function remove(connection: Connection, doc: Doc): Promise<void> {
    const docs = new Map(connection.docs);
    docs.delete(doc.id);
    if (!connection.isLive) {
      const known = await stored(library.db, scopeOf(connection), [doc.id]);
      await commitTo(connection, deletes([...known.values()]));
    }
    become({ ...connection, docs });
  }

  async function commit(draw: CommitDraw): Promise<void> {
    const alive = [...state().values()].filter(({ isDeleted }) => !isDeleted);
    const connection = alive[draw.connection % Math.max(1, alive.length)];
    if (!connection) return;
    const { id } = connection;
    if (draw.kind === 'disconnect') {
      await library.db.transaction().execute((tx) => markDeleted(tx, id));
      become({ ...connection, isDeleted: true });
    } else if (draw.kind === 'members') {
      const list = states.length;
      await library.db.transaction().execute(async (tx) => {
        await addMembers(tx, { connectionId: id, list }, draw.members);
        await switchTo(tx, id, list);
      });
      become({ ...connection, members: draw.members });
    } else if (draw.kind === 'put') await store(connection, [toDoc(draw.doc)]);
    else {
      const docs = [...connection.docs.values()];
      const doc = docs[draw.doc % Math.max(1, docs.length)];
      if (!doc) return;
      if (draw.kind === 'remove') await remove(connection, doc);
      else if (draw.kind === 'access') await store(connection, [{ ...doc, access: draw.access }]);
      else await store(connection, [{ ...doc, updatedAt: dateOf(draw.updatedAt) }]);
    }
  }

  for (const [at, shortName] of [
    [0, 'push'],
    [0, 'files'],
    [0, 'shelf'],
    [0, 'shelf'],
    [1, 'push'],
    [2, 'push'],
    [2, 'shelf'],
  ] as const)
    await connect(must(places[at]), shortName, docs);
  await connect(must(places[0]), VAULT, []);

  /** Returns the first collection's connection of this source in its current state, unless it was deleted. */
  const living = (shortName: string): Connection | undefined =>
    [...state().values()].find(
      (one) =>
        one.shortName === shortName &&
        one.collectionId === places[0]?.collectionId &&
        !one.isDeleted,
    );

  async function add(shortName: string, draw: Draw) {
    const doc = toDoc(draw);
    await store(must(living(shortName)), [doc]);
    return () => remove(must(living(shortName)), doc);
  }

  return {
    ...{ places, states, markers, commit, add },
    has: (shortName) => living(shortName) !== undefined,
  };
}

const dateOf = (ms: number | null) => (ms === null ? undefined : new Date(ms));
