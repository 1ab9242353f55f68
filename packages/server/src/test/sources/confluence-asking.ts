/** Reads the fake of Confluence with confluence.js, page by page. */
import assert from 'node:assert/strict';
import { createV1Client, createV2Client } from 'confluence.js';
import { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL } from './atlassian-gate.ts';
import type { ConfluenceRow } from './confluence-paging.ts';

export type ConfluenceAsking = ReturnType<typeof askConfluence>;

/** The path leads to the gateway. Without it, the client asks the site. */
export function askConfluence(
  baseUrl: string,
  { apiToken = ATLASSIAN_API_TOKEN, token = '', path = '' } = {},
) {
  const config = {
    host: `${baseUrl}${path}`,
    auth: token
      ? ({ type: 'bearer', token } as const)
      : ({ type: 'basic', email: ATLASSIAN_EMAIL, apiToken } as const),
    onSchemaMismatch: 'throw',
  } as const;
  const [v1, v2] = [createV1Client(config), createV2Client(config)];

  /** Follows the links of the second version, whose cursor may stand anywhere. */
  async function all(
    read: (values: { cursor?: string }) => Promise<ConfluenceRow>,
  ): Promise<any[]> {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { results, _links } = await read(cursor === undefined ? {} : { cursor });
      found.push(...results);
      const next = _links?.next;
      if (next) assert.match(next, /^\/wiki\/api\/v2\//);
      cursor = next && (new URL(next, baseUrl).searchParams.get('cursor') ?? undefined);
    } while (cursor !== undefined);
    return found;
  }
  /** Follows the links of a search. */
  async function searched(cql: string, values: ConfluenceRow = {}): Promise<any[]> {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { results, _links }: ConfluenceRow = await v1.search.searchByCQL({
        cql,
        ...values,
        ...(cursor && { cursor }),
      });
      found.push(...results);
      if (_links.next) assert.match(_links.next, /^\/rest\/api\/search\?next=true/);
      cursor =
        _links.next && (new URL(_links.next, baseUrl).searchParams.get('cursor') ?? undefined);
    } while (cursor !== undefined);
    return found;
  }
  return { v1, v2, all, searched };
}
