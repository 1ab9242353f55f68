/** Runs the tool server and the routes that its tools call. Both use the services of the current case. */
import pino from 'pino';
import { collectionRoutes } from '../../../collections/routes.ts';
import { type Collections, createCollections } from '../../../collections/service.ts';
import { watchRefusal } from '../../../db/refused-writes.ts';
import { createGrep } from '../../../entities/contents/grep.ts';
import { contentRoutes } from '../../../entities/contents/routes.ts';
import { type Contents, createContents } from '../../../entities/contents/service.ts';
import { createFairQueue } from '../../../http/fair-queue.ts';
import { createServer } from '../../../http/server.ts';
import { toolServerRoutes } from '../../../mcp/routes.ts';
import { searchRoutes } from '../../../search/routes.ts';
import { createSearch, type Search, type SearchDeps } from '../../../search/service.ts';
import { createVault } from '../../../secrets.ts';
import { createSyncs } from '../../../syncs/service.ts';
import { must } from '../../../util.ts';
import { identityOf } from '../../identity.ts';
import type { Library } from '../library.ts';

const vault = createVault('a secret of the tests, long enough');

export type TestToolServer = ReturnType<typeof openToolServer>;

interface Services {
  readonly collections: Collections;
  readonly contents: Contents;
  readonly search: Search;
}

/** No answer about these small worlds reaches this limit, because other tests check how answers are shortened. */
const TOKENS = 1_000_000;

export function openToolServer() {
  let services: Services | undefined;
  let keys = 0;
  /** Returns an object that passes each call to the service of the current case. */
  const now = <Name extends keyof Services>(name: Name): Services[Name] =>
    new Proxy({} as Services[Name], {
      get: (_target, method) => Reflect.get(must(services)[name], method),
    });
  const said: string[] = [];
  const app = createServer({
    log: pino({ level: 'error' }, { write: (line: string) => said.push(line) }),
    unavailableReason: () => null,
    authenticate: async (key) => identityOf(must(key?.split('.')[0])),
    routes(scope, explain) {
      collectionRoutes(scope, now('collections'));
      contentRoutes(scope, now('contents'));
      const queue = createFairQueue({
        places: () => 100,
        caller: { atOnce: 100, waiting: 0 },
        deadlineMs: 30_000,
      });
      const checkFilterCost = async () => {};
      searchRoutes(scope, {
        collections: now('collections'),
        search: now('search'),
        checkFilterCost,
        usage: { count: () => {}, close: async () => {} },
        queue,
      });
      toolServerRoutes(scope, explain, {
        collections: { names: async () => [] },
        oauth: null,
        resultTokens: TOKENS,
      });
    },
  });

  return {
    use({ db, kind, index, embedder, ...deps }: SearchDeps & Pick<Library, 'kind' | 'embedder'>) {
      const syncs = createSyncs({ db, wake: () => {}, whyRefused: watchRefusal(db) });
      const collections = createCollections({ db, index, embedder, syncs, sources: new Map() });
      services = {
        collections,
        contents: createContents({
          ...{ db, kind, index, vault, collections, sources: new Map() },
          grep: createGrep({ db, kind, vault }),
        }),
        search: createSearch({ db, index, embedder, ...deps }),
      };
    },
    /** Returns an unused key of the organization, because each key may begin only a hundred sessions. */
    keyOf: (organizationId: string): string => `${organizationId}.${keys++}`,
    app,
    /** These lines were written to the log. */
    said,
  };
}
