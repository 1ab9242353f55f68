/**
 * These are the headers that the document describes. Every operation takes and gives some of them, and the `config` of a
 * route names those of its own.
 */
interface DocumentedHeader {
  readonly description: string;
  readonly example: string | number;
}

/** Requests may have these headers, and none of them must. */
const TAKEN = {
  'X-Organization-ID': {
    description:
      'The id of the organization for which the request acts. Only an admin key may send it; without it, the request acts for the organization of the key.',
    example: '0192f0c4-7a00-7000-8000-000000000001',
  },
  'X-Request-ID': {
    description:
      'Names the request in the answer and in the log: at most 64 letters, digits, dots, underscores and hyphens. Without it, the service makes an id.',
    example: 'my-request-1',
  },
  'X-Principals': {
    description:
      'The person on whose behalf the request is made, with the groups of that person, separated by commas. Only an admin key, or a key with `search_as`, may send it. The answer has only what they may see.',
    example: 'user:ann@example.org, group:engineering',
  },
  'X-Collection-Readable-ID': {
    description:
      'The readable_id of the only collection that the tools search. Without it, they search all that the caller may read.',
    example: 'my-notes',
  },
  'Idempotency-Key': {
    description:
      'Makes it safe to repeat a push: at most 255 characters of ASCII. Within 24 hours, the same key with the same body on this connection is the same job, and the answer has that job as it is now.',
    example: 'orders-2026-11-28',
  },
  Range: {
    description:
      'The part of the file that is wanted, as one range of bytes. Without it, the answer has the whole file.',
    example: 'bytes=1048576-',
  },
  'Mcp-Session-Id': {
    description: 'The id of the session, which the answer to `initialize` has given.',
    example: '0192f0c4-7a00-7000-8000-000000000002',
  },
  'MCP-Protocol-Version': {
    description: 'The revision of the protocol that the client speaks.',
    example: '2025-11-25',
  },
} satisfies Readonly<Record<string, DocumentedHeader>>;

/** Answers may have these headers. */
const GIVEN = {
  'X-Request-ID': {
    description: 'The id of the request, by which the log of the service names it.',
    example: 'my-request-1',
  },
  'X-Total-Count': { description: 'The number of items on all pages together.', example: 1 },
  'X-Search-Degraded': {
    description:
      'The names in `metadata.degraded`, separated by commas. It is missing without any.',
    example: 'rerank, generate_answer',
  },
  'Mcp-Session-Id': {
    description: 'The id of the session that this request has begun.',
    example: '0192f0c4-7a00-7000-8000-000000000002',
  },
  'Retry-After': {
    description: 'After this number of seconds, the same request may be answered.',
    example: 5,
  },
} satisfies Readonly<Record<string, DocumentedHeader>>;

export type RouteHeader = keyof typeof TAKEN | keyof typeof GIVEN;

export const takenNames = Object.keys(TAKEN);
export const givenNames = Object.keys(GIVEN);

const isTaken = (name: RouteHeader): name is keyof typeof TAKEN => name in TAKEN;
const isGiven = (name: RouteHeader): name is keyof typeof GIVEN => name in GIVEN;

/** Returns references to the headers of these names that requests may have. */
export const takenHeaders = (names: readonly RouteHeader[]) =>
  names.filter(isTaken).map((name) => ({ $ref: `#/components/parameters/${name}` }));

/** Returns references to the headers of these names that answers may have, by their names. */
export const givenHeaders = (names: readonly RouteHeader[]) =>
  Object.fromEntries(
    names.filter(isGiven).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

const typeOf = ({ example }: DocumentedHeader) =>
  typeof example === 'number' ? { type: 'integer', minimum: 0 } : { type: 'string' };

/** The components to which the references above lead. */
export const headerComponents = {
  parameters: Object.fromEntries(
    Object.entries(TAKEN).map(([name, header]) => [
      name,
      { name, in: 'header', required: false, schema: typeOf(header), ...header },
    ]),
  ),
  headers: Object.fromEntries(
    Object.entries(GIVEN).map(([name, header]) => [name, { schema: typeOf(header), ...header }]),
  ),
};
