/** Opens a Quarry in this process whose source asks a fake of Microsoft Graph, and offers what the tests do with it. */
import assert from 'node:assert/strict';
import type { Source } from '../../sources/define.ts';
import { bearer } from '../../sources/kit/sign.ts';
import { must } from '../../util.ts';
import { openTestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { PLAIN } from '../search/plain.ts';
import type { GraphPeer } from './graph-peer.ts';
import { GRAPH_APP_TOKEN, GRAPH_CLIENT } from './graph-tokens.ts';

export type GraphHouse = Awaited<ReturnType<typeof openGraphHouse>>;

export const APP_CREDENTIALS = {
  tenant: 'acme.example',
  client_id: GRAPH_CLIENT.id,
  client_secret: GRAPH_CLIENT.secret,
};

/**
 * The app has its token already, because the address that gives it to a real app cannot be changed. With the token of a
 * person, a connection with the credentials of an app does what one does for which the person has signed in.
 */
export function withAppToken(source: Source, token = GRAPH_APP_TOKEN): Source {
  const direct = must(source.auth.direct);
  const sign = { each: () => bearer(token) };
  return { ...source, auth: { ...source.auth, direct: { ...direct, sign } } };
}

interface Result {
  readonly entity_id: string;
  readonly md_content: string;
  readonly breadcrumbs: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

const recordIdOf = ({ entity_id }: Result) => entity_id.replace(/__chunk_\d+$/, '');

/** The app gets its tokens from the fake of Microsoft's sign-in. */
export function withLogin(source: Source, { login }: Pick<GraphPeer, 'login'>): Source {
  const direct = must(source.auth.direct);
  const sign = must(direct.sign);
  assert.ok('token' in sign);
  const token: typeof sign.token = async (credentials, config) => {
    const request = await sign.token(credentials, config);
    const url = new URL(request.url);
    assert.equal(url.origin, 'https://login.microsoftonline.com');
    return { ...request, url: `${login.baseUrl}${url.pathname}` };
  };
  return { ...source, auth: { ...source.auth, direct: { ...direct, sign: { token } } } };
}

/** The requests of an app are signed as `signed` does it. */
export async function openGraphHouse(
  source: Source,
  { operator }: Pick<GraphPeer, 'operator'>,
  signed: (source: Source) => Source = withAppToken,
) {
  const name = source.shortName;
  const quarry = await openTestQuarry(await must(DATABASES[0]).open(), {
    sources: new Map([[name, { ...signed(source), operator }]]),
    env: { QUARRY_ALLOW_LOOPBACK: 'true' },
  });
  let made = 0;

  async function connect(
    config: object = {},
    authentication: object = { credentials: APP_CREDENTIALS },
  ) {
    const collection = `graph-${made++}`;
    await quarry.ok('POST', '/v1/collections', { name: 'Graph', readable_id: collection });
    const answer = await quarry.call('POST', '/v1/source-connections', {
      name: 'Graph',
      short_name: name,
      readable_collection_id: collection,
      sync_immediately: false,
      schedule: { cron: null, continuous: true },
      config,
      authentication,
    });
    return { ...answer, collection, id: answer.body.id as string };
  }

  /** Connects, syncs, and returns functions that examine the connection. */
  async function follow(config: object = {}, authentication?: object) {
    const { status, body, id, collection } = await connect(config, authentication);
    assert.equal(status, 200, JSON.stringify(body));
    const sync = async (query = '') => {
      const job = await quarry.sync(id, query);
      assert.equal(job.status, 'completed', JSON.stringify(job));
      return job;
    };
    const first = await sync();
    const search = (query: string, principals?: string): Promise<{ results: Result[] }> =>
      quarry.ok(
        'POST',
        `/v1/collections/${collection}/search`,
        { ...PLAIN, query, limit: 100 },
        principals === undefined ? undefined : { 'x-principals': principals },
      );
    return {
      id,
      first,
      sync,
      full: () => sync('?force_full_sync=true'),
      /** Returns the records whose text has the word and that a person with these principals finds. */
      async having(word: string, principals?: string): Promise<string[]> {
        const { results } = await search(word, principals);
        const found = results.filter(({ md_content }) => md_content.includes(word));
        return [...new Set(found.map(recordIdOf))].toSorted();
      },
      async record(word: string): Promise<Result> {
        const { results } = await search(word);
        const found = results.find(({ md_content }) => md_content.includes(word));
        return must(found, `${word} is not found`);
      },
      skipped: (job: { id: string }) =>
        quarry.ok('GET', `/v1/source-connections/${id}/jobs/${job.id}/skipped`),
      failures: (job: { id: string }) =>
        quarry.ok('GET', `/v1/source-connections/${id}/jobs/${job.id}/failures`),
    };
  }

  return { quarry, connect, follow, close: () => quarry.close() };
}
