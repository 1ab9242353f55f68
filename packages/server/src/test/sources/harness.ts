/** Tests what every source must do, each against a real peer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { unsavedAuthorizer } from '../../sign-in/open-source.ts';
import {
  checkSettings,
  type Membership,
  openContext,
  type PullContext,
  type Source,
  type SourceEnvironment,
} from '../../sources/define.ts';
import { shapeOf } from '../../sources/definitions.ts';
import { type Downloads, openDownloads } from '../../sources/downloads.ts';
import type { LeftOut, SourceItem } from '../../sources/items.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { must } from '../../util.ts';
import { anywhere, NO_DATA_DIR } from '../environment.ts';

export interface Settings {
  readonly config?: unknown;
  readonly credentials?: unknown;
  /** The operator sets this address in place of the address of the service. */
  readonly operatorBaseUrl?: string;
}

export interface Wrong extends Settings {
  /** The name says what is wrong. It appears in the error of a failed assertion. */
  readonly name: string;
  readonly kind: SourceErrorKind;
  /** The message of the error must match this expression. */
  readonly says: RegExp;
}

export interface Peer extends Settings {
  /** A continuous sync uses this field as its cursor field, if the source has cursors. */
  readonly cursorField?: string;
  /** `check` must refuse each of these settings. A missing field has its value from the right settings. */
  readonly wrong: readonly Wrong[];
  close?(): Promise<void>;
}

export interface PullOptions {
  readonly cursor?: unknown;
  readonly lastCursor?: unknown;
  readonly cursorField?: string;
  readonly bookmark?: unknown;
  readonly signal?: AbortSignal;
  /** All tests of the process share a folder for downloads, unless they give one. */
  readonly downloads?: Downloads;
}

const ofOneUser: SourceEnvironment = createSourceEnvironment({
  singleUser: true,
  QUARRY_DATA_DIR: NO_DATA_DIR,
  QUARRY_SOURCE_NETWORKS: [],
  QUARRY_FILES_ROOTS: [],
  QUARRY_ALLOW_LOOPBACK: true,
});

const downloads = openDownloads(anywhere.downloadsFolder);
after(() => downloads.close());

export function contextOf(
  source: Source,
  settings: Settings,
  options: PullOptions & { environment?: SourceEnvironment } = {},
): PullContext<unknown, unknown, unknown> {
  const { config, credentials } = settings;
  const environment = options.environment ?? ofOneUser;
  const meter = { requests: 0, bytes: 0 };
  return openContext(source, {
    ...environment,
    downloads: options.downloads ?? downloads,
    authorizer: unsavedAuthorizer(source, openContext(source, { config, credentials }), {
      send: environment.send,
      meter,
    }),
    config,
    credentials,
    operatorBaseUrl: settings.operatorBaseUrl,
    cursor: options.cursor ?? null,
    lastCursor: options.lastCursor ?? options.cursor ?? null,
    cursorField: options.cursorField ?? null,
    bookmark: options.bookmark ?? null,
    log: pino({ level: 'silent' }),
    signal: options.signal ?? new AbortController().signal,
    meter,
  });
}

export const pullAll = (
  source: Source,
  settings: Settings,
  options: PullOptions = {},
): Promise<SourceItem[]> => collect(pullOf(source, settings, options));

async function collect(items: AsyncIterable<SourceItem>): Promise<SourceItem[]> {
  const all: SourceItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function pullOf(source: Source, settings: Settings, options: PullOptions = {}) {
  return must(
    source.pull,
    `${source.shortName} is not pulled`,
  )(contextOf(source, settings, options));
}

/** Returns the members of all groups, and the groups whose members the account may not read. */
export async function membershipsOf(source: Source, settings: Settings) {
  const memberships: Membership[] = [];
  const skipped: LeftOut[] = [];
  for await (const item of must(source.members)(contextOf(source, settings)))
    if ('kind' in item) skipped.push(item);
    else memberships.push(item);
  return { memberships, skipped };
}

/** Returns the entities of a pull, including the entities that its stubs stand for. */
async function recordsOf(source: Source, settings: Settings, items: readonly SourceItem[]) {
  const stubs = itemsOf(items, 'stub');
  const hydrated: SourceItem[] = [];
  for await (const item of source.hydrate?.(contextOf(source, settings), stubs) ?? [])
    hydrated.push(item);
  const answered = new Set(hydrated.map((item) => (item.kind === 'upsert' ? item.entity.id : '')));
  for (const { id } of stubs) assert.ok(answered.has(id), `${id} was not hydrated`);
  // Each download writes the file to another path, so the comparison leaves out the path.
  return entitiesOf([...items, ...hydrated]).map(({ file, ...entity }) => ({
    ...entity,
    ...(file && { file: { ...file, path: '', inode: '' } }),
  }));
}

export const entitiesOf = (items: readonly SourceItem[]) =>
  items.flatMap((item) => (item.kind === 'upsert' ? [item.entity] : []));

export const itemsOf = <Kind extends SourceItem['kind']>(
  items: readonly SourceItem[],
  kind: Kind,
) => items.filter((item): item is SourceItem & { kind: Kind } => item.kind === kind);

export const lastCursor = (items: readonly SourceItem[]): unknown =>
  must(itemsOf(items, 'checkpoint').at(-1), 'there is no checkpoint').cursor;

/** `open` starts the peer, which must hold at least one record of the source. */
export function testSource(source: Source, open: () => Promise<Peer>): void {
  describe(`source ${source.shortName}`, () => {
    let peer: Peer;
    before(async () => {
      peer = await open();
    });
    after(() => peer.close?.());
    const options = (): PullOptions =>
      peer.cursorField === undefined ? {} : { cursorField: peer.cursorField };
    const pull = (more: PullOptions = {}) => pullAll(source, peer, { ...options(), ...more });
    const records = async () => recordsOf(source, peer, await pull());

    it('emits only entities of declared types, with the declared fields', async () => {
      const entities = await records();
      assert.ok(entities.length > 0, 'the peer must hold at least one record');
      testEntities(source, entities);
    });

    it('emits the same entities in two pulls', async () => {
      // Contents may arrive in any order.
      const sorted = async () => (await records()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      assert.deepEqual(await sorted(), await sorted());
    });

    it('gives every record an id of its own', async () => {
      const ids = (await pull()).flatMap((item) =>
        item.kind === 'upsert' ? [item.entity.id] : item.kind === 'stub' ? [item.id] : [],
      );
      assert.equal(new Set(ids).size, ids.length);
    });

    it('reports each partition with records as listed or lost', async () => {
      const items = await pull();
      const ended = new Set(
        [...itemsOf(items, 'listed'), ...itemsOf(items, 'lost')].map(({ partition }) => partition),
      );
      for (const { partition } of [...itemsOf(items, 'upsert'), ...itemsOf(items, 'stub')])
        assert.ok(ended.has(partition), `${partition} was neither listed nor lost`);
    });

    it('emits only cursors that its schema accepts, and goes on from them', async () => {
      const items = await pull();
      const cursors = itemsOf(items, 'checkpoint').map(({ cursor }) => cursor);
      assert.equal(cursors.length > 0, source.cursor !== undefined);
      for (const cursor of cursors)
        assert.deepEqual(source.cursor?.parse(JSON.parse(JSON.stringify(cursor))), cursor);
      const ids = new Set(entitiesOf(items).map(({ id }) => id));
      for (const cursor of cursors)
        for (const { id } of entitiesOf(await pull({ cursor }))) assert.ok(ids.has(id));
    });

    it('stops when its signal aborts', async () => {
      const stop = new AbortController();
      const reason = new Error('enough');
      const items = pullOf(source, peer, { ...options(), signal: stop.signal });
      assert.equal((await items.next()).done, false);
      stop.abort(reason);
      await assert.rejects(collect(items), reason);
      await assert.rejects(pull({ signal: AbortSignal.abort(reason) }), reason);
    });

    testSettings(source, () => peer);
  });
}

/** `open` starts the peer, which must find something for `query`. */
export function testFederatedSource(
  source: Source,
  query: string,
  open: () => Promise<Peer>,
): void {
  describe(`source ${source.shortName}`, () => {
    let peer: Peer;
    before(async () => {
      peer = await open();
    });
    after(() => peer.close?.());
    const search = (limit: number, signal?: AbortSignal) =>
      must(source.search, `${source.shortName} is not searched live`)(
        contextOf(source, peer, signal && { signal }),
        query,
        limit,
      );

    it('finds only entities of declared types, with the declared fields', async () => {
      const entities = await search(50);
      assert.ok(entities.length > 1, 'the peer must find at least two records');
      testEntities(source, entities);
    });

    it('finds the same records twice, and gives every record an id of its own', async () => {
      const entities = await search(50);
      assert.deepEqual(await search(50), entities);
      assert.equal(new Set(entities.map(({ id }) => id)).size, entities.length);
    });

    it('finds no more records than the limit, the best first', async () => {
      assert.deepEqual(await search(1), (await search(50)).slice(0, 1));
    });

    it('stops when its signal aborts', async () => {
      const reason = new Error('enough');
      await assert.rejects(search(50, AbortSignal.abort(reason)), reason);
    });

    testSettings(source, () => peer);
  });
}

function testEntities(source: Source, entities: readonly Entity[]): void {
  for (const { type, id, name, fields } of entities) {
    assert.deepEqual(must(shapeOf(source, type), `undeclared ${type}`).parse(fields), fields);
    assert.deepEqual(JSON.parse(JSON.stringify(fields)), fields, 'the fields are not JSON');
    assert.ok(id !== '' && name !== '');
  }
}

function testSettings(source: Source, peerOf: () => Peer): void {
  it('accepts the right settings', async () => {
    await checkSettings(source, contextOf(source, peerOf()));
  });

  it('refuses wrong settings with an error that says what is wrong', async () => {
    const peer = peerOf();
    for (const { name, kind, says, ...settings } of peer.wrong) {
      const checked = async () =>
        checkSettings(source, contextOf(source, { ...peer, ...settings }));
      await assert.rejects(checked, (error) => {
        assert.ok(error instanceof SourceError, `${name}: ${error}`);
        assert.equal(error.kind, kind, `${name}: ${error.message}`);
        assert.match(error.message, says, name);
        return true;
      });
    }
  });
}
