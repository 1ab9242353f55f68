/** Opens Microsoft's own client of Graph, whose requests go to a fake on this machine. */
import assert from 'node:assert/strict';
import {
  AuthenticationHandler,
  Client,
  type Context,
  type GraphRequestOptions,
  PageIterator,
  RedirectHandler,
} from '@microsoft/microsoft-graph-client';
import { must } from '../../util.ts';
import type { CloudPeer } from './cloud-peer.ts';
import type { GraphRow } from './graph-refusal.ts';

const GRAPH = 'https://graph.microsoft.com';

export type GraphClient = ReturnType<typeof openGraphClient>;

/** The client speaks only to Microsoft's hosts, so the last part of it changes the host in requests and in answers. */
export function openGraphClient(peer: Pick<CloudPeer, 'baseUrl'>, token: string) {
  const authentication = new AuthenticationHandler({ getAccessToken: async () => token });
  const redirects = new RedirectHandler();
  authentication.setNext(redirects);
  redirects.setNext({
    async execute(context: Context) {
      const url = String(context.request);
      const answer = await fetch(url.replace(GRAPH, peer.baseUrl), context.options as RequestInit);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const isJson = answer.headers.get('content-type') === 'application/json';
      const body = isJson ? bytes.toString().replaceAll(peer.baseUrl, GRAPH) : bytes;
      const { status, headers } = answer;
      context.response = Object.defineProperty(
        new Response(bytes.length > 0 ? body : null, { status, headers }),
        'url',
        { value: url },
      );
    },
  });
  const client = Client.initWithMiddleware({ middleware: authentication });

  return {
    client,
    get: (path: string, headers: Readonly<Record<string, string>> = {}): Promise<GraphRow> =>
      client.api(path).headers(headers).get(),
    /** Returns the rows of all pages, and the link to what will have changed. */
    async all(path: string, headers: Readonly<Record<string, string>> = {}) {
      const first = await client.api(path).headers(headers).get();
      const rows: GraphRow[] = [];
      const options: GraphRequestOptions = { headers };
      const pages = new PageIterator(client, first, (row) => rows.push(row) > 0, options);
      await pages.iterate();
      return { rows, deltaLink: pages.getDeltaLink() };
    },
    /** Returns the rows of a delta, of which the last of each id counts, and its link. */
    async delta(path: string, headers: Readonly<Record<string, string>> = {}) {
      const { rows, deltaLink } = await this.all(path, headers);
      const last = new Map(rows.map((row) => [row.id as string, row]));
      return { rows, last, deltaLink: must(deltaLink, `${path} ends without a link`) };
    },
    async content(path: string): Promise<string> {
      const bytes = await client
        .api(path)
        .responseType('arraybuffer' as never)
        .get();
      return Buffer.from(bytes).toString();
    },
  };
}

/** Returns a check of the client's error. The client does not read the code of a refused file. */
export const refusedWith = (status: number, code: string | null) => (thrown: any) => {
  assert.deepEqual([thrown.statusCode, thrown.code], [status, code], String(thrown));
  return true;
};
