/**
 * Lists the connections of a GraphQL service that pages by cursors (https://relay.dev/graphql/connections.htm). The query
 * is made of the schema of a node, so that it asks for exactly what the connector reads.
 */
import { z } from 'zod';
import { selectionOf } from './graphql.ts';
import type { Http } from './http.ts';
import { pages } from './listing.ts';

/** A page that is not the last one must name the next one; otherwise the rest of the listing would count as deleted. */
const PageInfo = z
  .object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() })
  .refine(({ hasNextPage, endCursor }) => !hasNextPage || endCursor !== null, 'has no cursor');

/** Makes the schema of a page of nodes. `select` holds the arguments of a page within a node, such as `first: 10`. */
export const pageOf = <Node extends z.ZodType>(node: Node, select?: string) =>
  z
    .object({ nodes: z.array(node), pageInfo: PageInfo })
    .meta(select === undefined ? {} : { arguments: select });

type RelayPage<Node> = z.output<ReturnType<typeof pageOf<z.ZodType<Node>>>>;

/**
 * Returns all nodes of a page within a record; the service is asked for those that come after the page. `owner` is the
 * field of the query type that finds the record by its id.
 */
export async function allNodes<Node>(
  http: Pick<Http, 'graphql'>,
  { nodes, pageInfo }: RelayPage<Node>,
  within: {
    readonly owner: string;
    readonly id: string;
    readonly field: string;
    readonly node: z.ZodType<Node>;
  },
): Promise<Node[]> {
  if (!pageInfo.hasNextPage) return nodes;
  const { owner, id, field, node } = within;
  const page = pageOf(node);
  const found = z.object({ found: z.object({ page }) });
  const selection = `page: ${field}(after: $after) ${selectionOf(page)}`;
  const query = `query ($id: String!, $after: String) { found: ${owner}(id: $id) { ${selection} } }`;
  const all = [...nodes];
  const rest = pages<Node[], string>(pageInfo.endCursor, async (after) => {
    const answer = (await http.graphql(query, { id, after }, found)).found.page;
    return {
      page: answer.nodes,
      next: answer.pageInfo.hasNextPage ? answer.pageInfo.endCursor : null,
    };
  });
  for await (const { page: more } of rest) all.push(...more);
  return all;
}

export interface RelayConnection<Node extends z.ZodType> {
  /** The name of the field of the query type. */
  readonly field: string;
  /** These are the types of the arguments of the field, which become variables of the query. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly node: Node;
}

/** Yields page after page, from the cursor `from` on, with the value of each argument in `variables`. */
export function connectionPages<Node extends z.ZodType>(
  http: Pick<Http, 'graphql'>,
  { field, arguments: types, node }: RelayConnection<Node>,
  {
    from = null,
    ...variables
  }: { readonly from?: string | null; readonly [name: string]: unknown },
) {
  const all = Object.entries({ ...types, after: 'String' });
  const found = z.object({ found: pageOf(node) });
  const declared = all.map(([name, type]) => `$${name}: ${type}`).join(', ');
  const given = all.map(([name]) => `${name}: $${name}`).join(', ');
  const query = `query (${declared}) { found: ${field}(${given}) ${selectionOf(found.shape.found)} }`;
  return pages<z.output<Node>[], string>(from, async (after) => {
    const { nodes, pageInfo } = (await http.graphql(query, { ...variables, after }, found)).found;
    return { page: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
  });
}
