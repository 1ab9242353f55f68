/**
 * Serves a workspace of Linear on this machine. Queries are validated and executed by the digest of Linear's published
 * schema, so a query that Linear would refuse fails here, too.
 */
import { GraphQLError, type GraphQLFieldResolver } from 'graphql';
import { must } from '../../util.ts';
import { openGraphqlContract } from '../contracts/graphql-contract.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { type CloudCompany, newWord } from './cloud-suite.ts';

/** The token is in parts, so that a scanner for secrets finds none in this file. */
export const LINEAR_KEY = ['lin', 'api', 'f4k3KeyOfAFake4711'].join('_');
export const LINEAR_TOKEN = ['lin', 'oauth', 'f4k3TokenOfAFake4711'].join('_');
/** The fake has fewer records than Linear, and smaller pages. */
const SMALL_PAGE = 3;
/** Linear answers with so many records when a query does not say how many it wants. */
const LARGE_PAGE = 50;
const contract = openGraphqlContract('linear');

/** A record has the form of the schema, but a connection is an array, from which the resolver makes pages. */
type Row = Record<string, any>;

export type LinearPeer = CloudCompany & Awaited<ReturnType<typeof openLinear>>;

const refused = (status: number, type: string, message: string, headers = {}): PeerAnswer =>
  json(status, { errors: [{ message, extensions: { type, code: type.toUpperCase() } }] }, headers);

export async function openLinear() {
  let clock = Date.parse('2026-03-01T08:00:00Z');
  let epoch = 0;
  let made = 0;
  let edits = 0;
  let removals = 0;
  let usualPage = SMALL_PAGE;
  let mostWithin = Number.POSITIVE_INFINITY;
  const now = () => {
    clock += 1000;
    return new Date(clock).toISOString();
  };
  const forbidden = new Set<string>();
  /** Maps the id of each record to its word. Trashed records are left out. */
  const words = new Map<string, string>();

  const row = (kind: string, more: Row): Row => {
    const at = now();
    const id = `${kind}-${String(++made).padStart(4, '0')}`;
    const url = `https://linear.app/acme/${kind}/${id}`;
    return { id, url, createdAt: at, updatedAt: at, archivedAt: null, trashed: null, ...more };
  };
  /** Gives the record a new text, and returns its new word. */
  const write = (record: Row, field: string) => {
    const word = newWord();
    words.set(record.id, word);
    record[field] = `It is about ${word}.`;
    record.updatedAt = now();
  };
  const ann = { name: 'Ann', email: 'ann@acme.test', active: true };
  const team = (key: string, name: string, visibility: string): Row =>
    row('team', { key, name, visibility });
  const world = {
    teams: [team('ENG', 'Engineering', 'public'), team('OPS', 'Operations', 'private')],
    teamMemberships: [] as Row[],
    projects: [] as Row[],
    documents: [] as Row[],
    issues: [] as Row[],
    comments: [] as Row[],
  };
  const [eng, ops] = world.teams as [Row, Row];
  const bob = { name: 'Bob', email: 'Bob@Acme.test', active: true };
  const join = (team: Row, user: Row) =>
    world.teamMemberships.push(row('membership', { team, user }));
  for (const user of [ann, bob]) join(eng, user);
  join(ops, bob);
  // A suspended person stays a member.
  join(ops, { name: 'Eve', email: 'eve@acme.test', active: false });

  function addProject(name: string, team: Row): Row {
    const teams = [team];
    const project = row('project', {
      name,
      teams,
      // The filter and the record have different names for these fields.
      accessibleTeams: teams,
      status: { name: 'Planned' },
      lead: ann,
    });
    project.description = '';
    write(project, 'content');
    world.projects.push(project);
    return project;
  }
  function addDocument(title: string, project: Row | null, more: Row = {}): Row {
    const document = row('document', {
      title,
      project,
      issue: null,
      team: null,
      creator: null,
      ...more,
    });
    write(document, 'content');
    world.documents.push(document);
    return document;
  }
  function addIssue(of: Row, more: Row = {}): Row {
    const issue = row('issue', {
      team: of,
      state: { name: 'Todo' },
      assignee: null,
      labels: [{ name: 'Bug' }],
      priorityLabel: 'High',
      parent: null,
      project: null,
      dueDate: null,
      comments: [],
      ...more,
    });
    issue.identifier = `${of.key}-${made}`;
    issue.title = `Task ${made}`;
    write(issue, 'description');
    world.issues.push(issue);
    return issue;
  }
  /** Linear does not document that a new comment changes its issue, so in the fake it does not. */
  function addComment(issue: Row): void {
    const comment = row('comment', { issue, user: ann });
    write(comment, 'body');
    issue.comments.push(comment);
    world.comments.push(comment);
  }

  /** Archives the record, as Linear does with a record that is moved to the trash. */
  const trash = (record: Row) => {
    record.archivedAt = now();
    record.updatedAt = record.archivedAt;
    for (const { id } of [record, ...(record.comments ?? [])]) words.delete(id);
  };
  const drop = (from: Row[], record: Row | undefined) => {
    if (record) from.splice(from.indexOf(record), 1);
    if (record) words.delete(record.id);
  };
  const dropComment = (comment: Row | undefined) => {
    drop(comment?.issue.comments ?? [], comment);
    drop(world.comments, comment);
  };
  const live = (rows: Row[]) => rows.filter(({ archivedAt }) => archivedAt === null);
  const isHere = ({ id, issue }: Row) => words.has(id) && !issue?.archivedAt;
  /** Returns an issue that may go. When only one is left, returns another one that stays beside it. */
  const spare = (): Row => {
    const issues = live(world.issues);
    return issues[3] ?? (issues.length > 1 ? (issues.at(-1) as Row) : addIssue(eng));
  };

  trash(addIssue(eng));
  const project = addProject('Harbour', eng);
  for (let i = 0; i < 3; i++) addProject(`Pier ${i}`, ops);
  for (let i = 0; i < 4; i++) addDocument(`Notes ${i}`, i === 0 ? project : null);
  const first = addIssue(eng, { project, assignee: ann, dueDate: '2026-12-31' });
  for (let i = 0; i < 11; i++) addComment(first);
  const second = addIssue(eng, { parent: first });
  addComment(second);
  for (let i = 0; i < 4; i++) addIssue(eng);
  for (let i = 0; i < 4; i++) addComment(addIssue(ops));

  const resolve: GraphQLFieldResolver<Row, unknown> = (
    source,
    args,
    _context,
    { fieldName, returnType },
  ) => {
    const value = source[fieldName];
    if (typeof value === 'function') return value(args);
    if (!String(returnType).endsWith('Connection!')) return value;
    const first = Math.min(args.first ?? usualPage, 'id' in source ? mostWithin : LARGE_PAGE);
    return page(value, { ...args, first });
  };
  function page(rows: Row[], { first = usualPage, after, filter, includeArchived, orderBy }: Row) {
    const team = filter?.team?.id?.eq;
    if (forbidden.has(team))
      throw new GraphQLError('No access', { extensions: { type: 'forbidden' } });
    const field = orderBy ?? 'createdAt';
    const place = (row: Row) => `${epoch} ${row[field]} ${row.id}`;
    if (after && !String(after).startsWith(`${epoch} `))
      throw new GraphQLError('Unknown cursor', { extensions: { type: 'invalid input' } });
    const found = rows
      .filter((row) => (includeArchived || !row.archivedAt) && matches(filter, row))
      .toSorted((a, b) => (place(a) < place(b) ? 1 : -1))
      .filter((row) => !after || place(row) < after);
    const nodes = found.slice(0, first);
    const endCursor = nodes.length > 0 ? place(nodes.at(-1) as Row) : null;
    return { nodes, pageInfo: { hasNextPage: found.length > nodes.length, endCursor } };
  }

  const byId =
    (rows: Row[]) =>
    ({ id }: Row) =>
      must(rows.find((row) => row.id === id));

  let token = LINEAR_TOKEN;
  async function answer(request: PeerRequest): Promise<PeerAnswer> {
    const { headers, url } = request;
    if (url.pathname !== '/graphql') return json(404, {});
    const isKnown = [LINEAR_KEY, `Bearer ${token}`].includes(String(headers.authorization));
    if (!isKnown) return unauthorized;
    const rootValue = {
      ...world,
      viewer: ann,
      organization: { id: 'workspace-1', urlKey: 'acme' },
      issue: byId(world.issues),
      project: byId(world.projects),
    };
    return contract.answer(request, { rootValue, fieldResolver: resolve });
  }
  const unauthorized = refused(401, 'authentication error', 'Authentication required');
  const peer = await openCloudPeer(answer, { place: ['after'] });

  const limited = (headers: Record<string, string>) =>
    refused(400, 'ratelimited', 'Rate limit exceeded', headers);
  return {
    peer,
    world,
    config: {},
    credentials: { api_key: LINEAR_KEY },
    refusals: {
      unauthorized,
      rateLimited: [
        limited({ 'retry-after': '3600' }),
        limited({
          'x-ratelimit-requests-remaining': '17',
          'x-ratelimit-requests-reset': String(Date.now() + 60_000),
          'x-ratelimit-complexity-remaining': '0',
          'x-ratelimit-complexity-reset': String(Date.now() + 3_590_000),
        }),
      ],
      serverError: refused(500, 'internal error', 'Something broke'),
    },
    acceptToken(accepted: string) {
      token = accepted;
    },
    expected: () => new Map(words),
    edit() {
      const kinds = [
        [world.issues, 'description'],
        [world.comments, 'body'],
        [world.projects, 'content'],
        [world.documents, 'content'],
      ] as const;
      const fromHere = kinds.map((_, i) => kinds[(edits + i) % kinds.length] as (typeof kinds)[0]);
      const [found, field] = fromHere
        .map(([rows, field]) => [live(rows).filter(isHere), field] as const)
        .find(([rows]) => rows.length > 0) as [Row[], string];
      write(found[edits++ % found.length] as Row, field);
    },
    add() {
      const issues = live(world.issues).slice(0, 3);
      addComment(issues[made % issues.length] as Row);
      addComment(addIssue(made % 2 || !world.teams.includes(ops) ? eng : ops));
    },
    remove() {
      const steps = [
        () => trash(spare()),
        () => dropComment(first.comments[2]),
        () => drop(world.documents, world.documents[1]),
        () => drop(world.issues, spare()),
      ];
      steps[removals++ % steps.length]?.();
    },
    removeMany() {
      for (const issue of live(world.issues).slice(0, 4)) trash(issue);
      for (const document of live(world.documents).slice(0, 2)) trash(document);
    },
    removePart() {
      drop(world.teams, ops);
      for (const issue of world.issues.filter(({ team }) => team === ops)) {
        for (const comment of [...issue.comments]) dropComment(comment);
        drop(world.issues, issue);
      }
    },
    forbidPart: () => void forbidden.add(ops.id),
    forgetCursors: () => void epoch++,
    resync: {
      widen() {
        usualPage = LARGE_PAGE;
      },
      grow() {
        const issue = addIssue(ops, { project });
        for (let i = 0; i < 11; i++) addComment(issue);
        addDocument('Grown', addProject('Grown', eng));
      },
    },
    shuffle() {
      const issues = live(world.issues);
      for (const issue of [issues[0], issues.at(-1)]) write(issue as Row, 'description');
      addComment(addIssue(made % 2 || !world.teams.includes(ops) ? eng : ops));
      for (const comment of [second.comments[0], first.comments[5]])
        if (words.has(comment?.id)) write(comment, 'body');
      write(world.projects[0] as Row, 'content');
      write(world.documents.at(-1) as Row, 'content');
    },
    /** The team `ops` is private, and its only member is Bob. The team `eng` is public. */
    teams: { eng, ops },
    addProject,
    /** A connection within a record shows at most so many records at once, however many a query asks for. */
    showWithin(most: number) {
      mostWithin = most;
    },
    addDocument,
    addComment,
    /** Archives an issue. An incremental pull sees the change. */
    trash,
    dropComment,
  };
}

/** Evaluates a filter of Linear, which compares values and filters the records that a record refers to. */
function matches(filter: unknown, value: any): boolean {
  return Object.entries((filter ?? {}) as Row).every(([key, wanted]) => {
    if (wanted === null || wanted === undefined) return true;
    switch (key) {
      case 'or':
        return wanted.some((one: unknown) => matches(one, value));
      case 'and':
        return wanted.every((one: unknown) => matches(one, value));
      case 'some':
        return value.some((one: unknown) => matches(wanted, one));
      case 'eq':
        return value === wanted;
      case 'in':
        return wanted.includes(value);
      case 'gte':
        return value !== null && value >= wanted;
      case 'containsIgnoreCase':
        return value.toLowerCase().includes(wanted.toLowerCase());
      default:
        return Boolean(value) && matches(wanted, value[key]);
    }
  });
}
