/**
 * These methods do what programs do most. They send requests by the client, so they have the rights, the checks and the
 * errors of the API.
 */
import {
  type AgenticEvent,
  bodyOf,
  eventsOf,
  itemsOf,
  type QuarryClient,
  QuarryError,
  type QuarrySchemas,
  type SyncJobEvent,
} from 'quarry-client';

export interface EmbeddedCall {
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedSearch extends EmbeddedCall {
  /** The person on whose behalf the search is made, and the groups: user:ann@example.org, group:engineering. */
  readonly principals?: readonly string[];
}

export interface EmbeddedPush extends EmbeddedCall {
  /** The id of the connection that gets the records; when omitted, the oldest push connection of the collection. */
  readonly connection?: string;
  /** If false, the job is returned when the push is stored. Otherwise when it has ended. */
  readonly wait?: boolean;
  /** The same key with the same push is the same job, for 24 hours. */
  readonly idempotencyKey?: string;
}

export interface EmbeddedCollections {
  create(collection: QuarrySchemas['NewCollection']): Promise<QuarrySchemas['Collection']>;
  /** Returns the collection with this `readable_id`, which is made when it does not exist. */
  ensure(
    collection: QuarrySchemas['NewCollection'] & { readonly readable_id: string },
  ): Promise<QuarrySchemas['Collection']>;
  list(): Promise<QuarrySchemas['Collection'][]>;
  get(readableId: string): Promise<QuarrySchemas['Collection']>;
  /** Deletes the collection with its connections and all of its records. */
  delete(readableId: string): Promise<QuarrySchemas['Collection']>;
}

export interface EmbeddedSources {
  /** Lists everything that can be connected, with the settings of each. */
  list(): Promise<QuarrySchemas['SourceType'][]>;
  get(shortName: string): Promise<QuarrySchemas['SourceType']>;
}

export interface EmbeddedConnections {
  /** Connects a source to a collection. The first sync begins at once. */
  create(
    connection: QuarrySchemas['NewSourceConnection'],
  ): Promise<QuarrySchemas['SourceConnection']>;
  list(collection?: string): Promise<QuarrySchemas['SourceConnection'][]>;
  get(id: string): Promise<QuarrySchemas['SourceConnection']>;
  /** Starts a sync. */
  run(id: string): Promise<QuarrySchemas['SourceConnectionJob']>;
  /** Yields how the newest sync goes on, until it has ended. */
  progress(id: string, call?: EmbeddedCall): AsyncGenerator<SyncJobEvent, void, undefined>;
  /** Waits for the end of the newest sync. Its `status` says how it has ended. */
  synced(id: string, call?: EmbeddedCall): Promise<QuarrySchemas['SyncJobDone']['job']>;
  /** Deletes the connection with all of its records. */
  delete(id: string): Promise<QuarrySchemas['SourceConnection']>;
}

export interface EmbeddedMethods {
  readonly collections: EmbeddedCollections;
  readonly sources: EmbeddedSources;
  readonly connections: EmbeddedConnections;
  /**
   * Writes and deletes records of a collection, and returns the job when it has ended: with the status COMPLETED every
   * search finds the records, and with FAILED nothing has changed. The first push makes the push connection of the
   * collection.
   */
  push(
    collection: string,
    push: QuarrySchemas['Push'],
    options?: EmbeddedPush,
  ): Promise<QuarrySchemas['SourceConnectionJob']>;
  search(
    collection: string,
    request: QuarrySchemas['SearchRequest'],
    options?: EmbeddedSearch,
  ): Promise<QuarrySchemas['SearchAnswer']>;
  /** Answers a question, and yields each step while it is made; the last event is `done`, with the answer. */
  ask(
    collection: string,
    request: QuarrySchemas['AgenticRequest'],
    options?: EmbeddedSearch,
  ): AsyncGenerator<AgenticEvent, void, undefined>;
}

export interface EmbeddedQuarry extends EmbeddedMethods, AsyncDisposable {
  /** Every operation of the API, as with a service. Its errors are thrown by `bodyOf`. */
  readonly client: QuarryClient;
  /** Waits for the work that has begun, and closes everything. A second call waits for the first one. */
  close(): Promise<void>;
}

const PUSHED = { name: 'Pushed records', short_name: 'push' };

export function methodsOf(client: QuarryClient): EmbeddedMethods {
  const collections: EmbeddedCollections = {
    create: (body) => bodyOf(client.POST('/v1/collections', { body })),
    async ensure(collection) {
      try {
        return await collections.create(collection);
      } catch (error) {
        if (error instanceof QuarryError && error.status === 409)
          return collections.get(collection.readable_id);
        throw error;
      }
    },
    list: () => all(itemsOf((query) => client.GET('/v1/collections', { params: { query } }))),
    get: (readable_id) =>
      bodyOf(client.GET('/v1/collections/{readable_id}', { params: { path: { readable_id } } })),
    delete: (readable_id) =>
      bodyOf(client.DELETE('/v1/collections/{readable_id}', { params: { path: { readable_id } } })),
  };
  const connections = connectionsOf(client);
  const pushConnection = pushConnectionsOf(connections);
  return {
    collections,
    connections,
    sources: {
      list: () => all(itemsOf((query) => client.GET('/v1/sources', { params: { query } }))),
      get: (short_name) =>
        bodyOf(client.GET('/v1/sources/{short_name}', { params: { path: { short_name } } })),
    },
    async push(collection, body, { connection, wait = true, idempotencyKey, signal } = {}) {
      const id = connection ?? (await pushConnection(collection));
      const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
      return bodyOf(
        client.POST('/v1/source-connections/{id}/entities', {
          params: { path: { id }, query: { wait: wait ? 'true' : 'false' }, header },
          body,
          ...(signal && { signal }),
        }),
      );
    },
    search: (readable_id, body, options) =>
      bodyOf(
        client.POST('/v1/collections/{readable_id}/search', {
          params: { path: { readable_id }, header: principalsOf(options) },
          body,
          ...signalOf(options),
        }),
      ),
    // The question is asked when somebody reads the answer.
    async *ask(readable_id, body, options) {
      yield* eventsOf<AgenticEvent>(
        client.POST('/v1/collections/{readable_id}/agentic-search/stream', {
          params: { path: { readable_id }, header: principalsOf(options) },
          body,
          parseAs: 'stream',
          ...signalOf(options),
        }),
      );
    },
  };
}

function connectionsOf(client: QuarryClient): EmbeddedConnections {
  const connections: EmbeddedConnections = {
    create: (body) => bodyOf(client.POST('/v1/source-connections', { body })),
    list: (collection) =>
      all(
        itemsOf((page) =>
          client.GET('/v1/source-connections', {
            params: { query: { ...page, ...(collection !== undefined && { collection }) } },
          }),
        ),
      ),
    get: (id) => bodyOf(client.GET('/v1/source-connections/{id}', { params: { path: { id } } })),
    run: (id) =>
      bodyOf(client.POST('/v1/source-connections/{id}/run', { params: { path: { id } } })),
    async *progress(id, call) {
      const [job] = await bodyOf(
        client.GET('/v1/source-connections/{id}/jobs', {
          params: { path: { id }, query: { limit: 1 } },
          ...signalOf(call),
        }),
      );
      if (!job) return;
      yield* eventsOf<SyncJobEvent>(
        client.GET('/v1/source-connections/{id}/jobs/{job_id}/stream', {
          params: { path: { id, job_id: job.id } },
          parseAs: 'stream',
          ...signalOf(call),
        }),
      );
    },
    async synced(id, call) {
      for await (const event of connections.progress(id, call)) {
        if (event.type === 'done') return event.job;
        if (event.type === 'error') throw new Error(event.message);
      }
      throw new Error(`the connection ${id} has not begun a sync: connections.run begins one`);
    },
    delete: (id) =>
      bodyOf(client.DELETE('/v1/source-connections/{id}', { params: { path: { id } } })),
  };
  return connections;
}

/** Finds the push connection of a collection, and makes it once, also when several pushes begin together. */
function pushConnectionsOf(connections: EmbeddedConnections) {
  const asked = new Map<string, Promise<string>>();
  async function find(collection: string): Promise<string> {
    const all = await connections.list(collection);
    // The newest connection is the first of the list.
    const oldest = all.findLast(({ short_name }) => short_name === PUSHED.short_name);
    return (oldest ?? (await connections.create({ ...PUSHED, readable_collection_id: collection })))
      .id;
  }
  return (collection: string): Promise<string> => {
    const known = asked.get(collection);
    if (known !== undefined) return known;
    const found = find(collection).finally(() => asked.delete(collection));
    asked.set(collection, found);
    return found;
  };
}

const signalOf = (call: EmbeddedCall = {}) => call.signal && { signal: call.signal };

const principalsOf = ({ principals }: EmbeddedSearch = {}) =>
  principals ? { 'X-Principals': principals.join(', ') } : {};

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}
