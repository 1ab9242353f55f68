/** Tests the source of Linear against a fake that executes its queries by Linear's published schema. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { parse, visit } from 'graphql';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { linear } from '../../sources/catalog/linear.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { skipWaits } from '../skip-waits.ts';
import { json, type PeerAnswer } from './cloud-peer.ts';
import { testCloudSource } from './cloud-suite.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  type PullOptions,
  pullAll,
  pullOf,
  testSource,
} from './harness.ts';
import { type LinearCompany, openLinearCompany } from './linear-company.ts';

const EVERYONE = 'group:everyone';

testCloudSource(linear, openLinearCompany);

testSource(linear, async () => {
  const { peer, credentials } = await openLinearCompany();
  return {
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'key',
        credentials: { api_key: 'no' },
        kind: 'auth',
        says: /Authentication required/,
      },
      { name: 'team', config: { teams: ['ENG', 'HR'] }, kind: 'config', says: /teams HR$/ },
    ],
  };
});

describe('linear', () => {
  let company: LinearCompany;
  beforeEach(async () => {
    company = await openLinearCompany();
  });
  afterEach(() => company.peer.close());

  const settings = (config: object = {}) => {
    const { credentials, peer } = company;
    return { config, credentials, operatorBaseUrl: peer.baseUrl };
  };
  const pull = (options: PullOptions = {}, config: object = {}) =>
    pullAll(linear, settings(config), options);
  const issues = () => company.world.records.issues.filter(({ archivedAt }) => archivedAt === null);

  it('shows an issue, its comments, and where they are', async () => {
    const entities = entitiesOf(await pull());
    const [issue] = issues();
    assert.deepEqual(
      entities.find(({ id }) => id === issue?.id),
      {
        id: issue?.id,
        type: 'LinearIssue',
        name: `${issue?.identifier} ${issue?.title}`,
        text: issue?.description,
        url: issue?.url,
        access: { isPublic: false, viewers: ['group:everyone', `group:${issue?.team.id}`] },
        breadcrumbs: [{ id: issue?.team.id, name: 'Engineering', type: 'LinearTeam' }],
        createdAt: new Date(issue?.createdAt),
        updatedAt: new Date(issue?.updatedAt),
        fields: {
          identifier: issue?.identifier,
          team: 'ENG',
          state: 'Todo',
          priority: 'High',
          assignee: 'ann@acme.test',
          labels: ['Bug'],
          parent: null,
          project: 'Harbour',
          due_date: '2026-12-31',
        },
      },
    );
    const child = entities.find(({ fields }) => fields.parent !== null && fields.team === 'ENG');
    assert.equal(child?.fields.parent, issue?.identifier);
    const comments = entities.filter(({ fields }) => fields.issue === issue?.identifier);
    assert.equal(comments.length, 11, 'ten come with the issue');
    assert.deepEqual(
      comments.map(({ id, text }) => [id, text]).toSorted(),
      issue?.comments.map(({ id, body }: { id: string; body: string }) => [id, body]),
    );
    assert.deepEqual(comments[0]?.fields, { issue: issue?.identifier, author: 'ann@acme.test' });
  });

  it('copies no archived record in a full pull, and is told of it in an incremental one', async () => {
    const first = await pull();
    const [issue, document] = [must(issues()[1]), must(company.world.records.documents[0])];
    company.world.trash(issue);
    company.world.trash(document);
    const items = await pull({ cursor: lastCursor(first) });
    const removed = itemsOf(items, 'remove').map(({ id }) => id);
    assert.deepEqual(removed.toSorted(), [document.id, issue.id].toSorted());
    const partition = `${issue.team.id}/${issue.id}`;
    assert.ok(itemsOf(items, 'listed').some((item) => item.partition === partition));
    assert.deepEqual(
      itemsOf(items, 'upsert').filter((item) => item.partition === partition),
      [],
    );
    const ids = entitiesOf(await pull()).map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => removed.includes(id)),
      [],
    );
  });

  it('lists all comments of an issue again when one of them has changed', async () => {
    const first = await pull();
    const issue = must(issues()[0]);
    const gone = issue.comments[2];
    company.world.dropComment(gone);
    issue.comments[4].updatedAt = new Date(Date.parse(issue.updatedAt) + 86_400_000).toISOString();
    const items = await pull({ cursor: lastCursor(first) });
    const partition = `${issue.team.id}/${issue.id}`;
    const upserts = itemsOf(items, 'upsert').filter((item) => item.partition === partition);
    assert.equal(upserts.length, 10);
    assert.ok(!upserts.some(({ entity }) => entity.id === gone.id));
    assert.ok(itemsOf(items, 'listed').some((item) => item.partition === partition));
  });

  it('asks once for the comments of all issues of a page that have many', async () => {
    const long = issues().slice(0, 2);
    for (const issue of long) while (issue.comments.length < 12) company.world.addComment(issue);
    company.resync.widen();
    const items = await pull({ cursor: { updatedAt: '2020-01-01T00:00:00.000Z' } });
    for (const { id, team, comments } of long) {
      const isIn = (item: { partition: string }) => item.partition === `${team.id}/${id}`;
      const found = itemsOf(items, 'upsert').filter(isIn);
      assert.deepEqual(
        found.map(({ entity }) => entity.id).toSorted(),
        comments.map((one: { id: string }) => one.id),
      );
      const [end, ...others] = itemsOf(items, 'listed').filter(isIn);
      assert.deepEqual(others, []);
      assert.ok(items.indexOf(must(end)) > items.indexOf(must(found.at(-1))));
    }
    const asked = company.peer.requests.filter(({ body }) => body.includes('CommentFilter'));
    assert.equal(asked.length, 1);
  });

  it('reads only the teams that the configuration names, and what belongs to them', async () => {
    const { eng, ops, addDocument, addRelease } = company.world;
    for (const team of [eng, ops]) {
      addDocument(`Cycle of ${team.key}`, null, { cycle: { team } });
      addDocument(`Release of ${team.key}`, null, { release: addRelease(team) });
    }
    const teams = { teams: ['ENG'] };
    for (const options of [{}, { cursor: { updatedAt: '2020-01-01T00:00:00.000Z' } }]) {
      const entities = entitiesOf(await pull(options, teams));
      const of = (type: string) => entities.filter((entity) => entity.type === type);
      assert.ok(of('LinearIssue').length > 3);
      assert.deepEqual([...new Set(of('LinearIssue').map(({ fields }) => fields.team))], ['ENG']);
      assert.deepEqual(
        of('LinearProject').map(({ name }) => name),
        ['Harbour'],
      );
      assert.deepEqual(
        of('LinearDocument')
          .map(({ name }) => name)
          .toSorted(),
        ['Cycle of ENG', 'Notes 0', 'Release of ENG'],
      );
    }
  });

  it('reads all labels of an issue and all teams of a project, however few come with them', async () => {
    const { records, eng, ops, addProject, addDocument } = company.world;
    const crowded = must(issues()[1]);
    const labelOf = (name: string) => ({ ...eng, id: name, name, createdAt: `2026-01-01 ${name}` });
    const names = Array.from({ length: 23 }, (_, i) => `label ${String(i).padStart(2, '0')}`);
    crowded.labels = names.map(labelOf);
    const wide = addProject('Wide', ops);
    // The public team is the last that Linear shows.
    wide.teams.push(
      ...[1, 2, 3, 4].map((i) => ({ ...ops, id: `team-9${i}`, createdAt: `2027-0${i}` })),
    );
    wide.teams.push({ ...eng, id: 'team-0', createdAt: '2025' });
    const document = addDocument('In the wide project', wide);
    for (const most of [2, 100]) {
      company.settings.mostWithin = most;
      const entities = entitiesOf(await pull());
      const shown = must(entities.find(({ id }) => id === crowded.id)).fields.labels as string[];
      assert.deepEqual(shown.toSorted(), names);
      for (const { id } of [wide, document])
        assert.ok(must(entities.find((one) => one.id === id)).access?.viewers?.includes(EVERYONE));
      const [commented] = records.issues.filter(({ comments }) => comments.length > 10);
      const comments = entities.filter(({ fields }) => fields.issue === commented?.identifier);
      assert.equal(comments.length, 11);
    }
  });

  it('shows the documents of an issue or a project that moves to a private team to its members alone', async () => {
    const { eng, ops, addProject, addDocument } = company.world;
    addDocument('of a team, unchanged', null, { team: ops });
    const [issue, project] = [must(issues()[1]), addProject('Open', eng)];
    const documents = [
      addDocument('of an issue', null, { issue }),
      addDocument('of a project', project),
    ];
    const first = await pull();
    const crumbs = documents.map(({ id }) => entitiesOf(first).find((one) => one.id === id));
    assert.deepEqual(
      crumbs.map((one) => one?.breadcrumbs?.map(({ name }) => name)),
      [['Engineering', issue.identifier], ['Open']],
    );
    issue.team = ops;
    Object.assign(project, { teams: [ops], accessibleTeams: [ops] });
    const later = new Date(Date.parse(project.updatedAt) + 3_600_000).toISOString();
    for (const moved of [issue, project]) moved.updatedAt = later;
    const entities = entitiesOf(await pull({ cursor: lastCursor(first) }));
    const members = { isPublic: false, viewers: [`group:${ops.id}`] };
    for (const { id, title } of documents)
      assert.deepEqual(entities.find((one) => one.id === id)?.access, members, title);
    const ofTeam = entitiesOf(await pull({ cursor: lastCursor(first) }, { teams: ['OPS'] }));
    const ofDocuments = ofTeam.filter(({ type }) => type === 'LinearDocument');
    assert.deepEqual(
      ofDocuments.map(({ id }) => id).toSorted(),
      documents.map(({ id }) => id),
    );
  });

  it('does not show what is in the trash, also before it is archived', async () => {
    const first = await pull();
    const { records } = company.world;
    const gone = [must(issues()[1]), must(records.projects[0]), must(records.documents[0])];
    for (const record of gone) Object.assign(record, { trashed: true });
    const ids = gone.map(({ id }) => id).toSorted();
    for (const options of [{}, { cursor: { updatedAt: '2020-01-01T00:00:00.000Z' } }]) {
      const items = await pull(options);
      const removed = itemsOf(items, 'remove').map(({ id }) => id);
      assert.deepEqual(
        ids.filter((id) => !removed.includes(id)),
        [],
      );
      assert.ok(!entitiesOf(items).some(({ id }) => ids.includes(id)));
    }
    assert.ok(entitiesOf(first).some(({ id }) => ids.includes(id)));
  });

  it('ends a pull that goes on at a bookmark with the cursor of its beginning', async () => {
    const items = await pull();
    const marks = itemsOf(items, 'bookmark');
    assert.ok(marks.length > 2);
    company.world.write(must(company.world.records.documents[0]), 'content');
    for (const { position } of marks) {
      const rest = await pull({ bookmark: JSON.parse(JSON.stringify(position)) });
      assert.deepEqual(lastCursor(rest), lastCursor(items));
      const at = items.findIndex((item) => item.kind === 'bookmark' && item.position === position);
      const partitions = (some: typeof items) =>
        itemsOf(some, 'listed').map(({ partition }) => partition);
      assert.deepEqual(partitions(rest), partitions(items.slice(at)));
    }
  });

  it('lists an issue that moves during a full pull to a team that was listed before', async () => {
    const { eng, ops } = company.world;
    const issue = must(issues().find(({ team }) => team === ops));
    const items: SourceItem[] = [];
    for await (const item of pullOf(linear, settings())) {
      items.push(item);
      if (item.kind !== 'listed' || item.partition !== eng.id) continue;
      issue.team = eng;
      company.world.write(issue, 'description');
    }
    const of = (id: string) => entitiesOf(items).filter((entity) => entity.id === id);
    assert.deepEqual(
      of(issue.id).map(({ fields }) => fields.team),
      ['ENG'],
    );
    assert.equal(of(issue.comments[0].id).length, 1);
    assert.equal(items.at(-1)?.kind, 'checkpoint');
  });

  it('goes on after an incremental pull of a workspace in which nothing has changed', async () => {
    const cursor = lastCursor(await pull());
    const items = await pull({ cursor });
    assert.deepEqual(lastCursor(items), cursor);
    assert.ok(entitiesOf(items).length > 0, 'what has the time of the cursor comes again');
    for (const rows of Object.values(company.world.records)) rows.length = 0;
    assert.deepEqual(lastCursor(await pull({ cursor })), cursor);
    assert.deepEqual(itemsOf(await pull(), 'checkpoint'), []);
  });

  it('lets only the active members of a private team see its records', async () => {
    const { records, eng, ops, addProject, addDocument, addRelease } = company.world;
    const secret = records.issues.find(({ team }) => team === ops);
    const shared = addProject('Shared', ops);
    shared.teams.push(eng);
    const own = must(records.projects.find(({ name }) => name === 'Pier 0'));
    const documents = {
      ofTeam: addDocument('of a team', null, { team: ops }),
      ofIssue: addDocument('of an issue', null, { issue: secret }),
      ofProject: addDocument('of a project', own),
      ofShared: addDocument('of a shared project', shared),
      ofCycle: addDocument('of a cycle', null, { cycle: { team: ops } }),
      ofRelease: addDocument('of a release', null, { release: addRelease(ops) }),
      ofInitiative: addDocument('of an initiative', null),
      ofPublicCycle: addDocument('of a cycle of a public team', null, { cycle: { team: eng } }),
      ofPublicRelease: addDocument('of another release', null, { release: addRelease(ops, eng) }),
    };
    const entities = entitiesOf(await pull());
    const accessOf = (id: string) => must(entities.find((one) => one.id === id)).access;
    const members = { isPublic: false, viewers: [`group:${ops.id}`] };
    assert.deepEqual(accessOf(secret?.id), members);
    assert.deepEqual(accessOf(secret?.comments[0].id), members);
    assert.deepEqual(accessOf(own.id), members);
    for (const name of ['ofTeam', 'ofIssue', 'ofProject', 'ofCycle', 'ofRelease'] as const)
      assert.deepEqual(accessOf(documents[name].id), members, name);
    const ofBoth = [EVERYONE, `group:${eng.id}`, `group:${ops.id}`];
    const isSeenBy = (id: string, viewers: string[]) => {
      const { access } = must(entities.find((one) => one.id === id));
      assert.deepEqual(
        { ...access, viewers: access?.viewers?.toSorted() },
        { isPublic: false, viewers },
      );
    };
    isSeenBy(shared.id, ofBoth);
    isSeenBy(documents.ofShared.id, ofBoth);
    isSeenBy(documents.ofPublicRelease.id, ofBoth);
    isSeenBy(documents.ofPublicCycle.id, [EVERYONE, `group:${eng.id}`]);
    isSeenBy(documents.ofInitiative.id, [EVERYONE]);

    ops.visibility = 'restricted';
    assert.deepEqual(
      must(entitiesOf(await pull()).find(({ id }) => id === secret?.id)).access,
      members,
    );
    const context = contextOf(linear, settings());
    const memberships = [];
    for await (const membership of linear.members!(context)) memberships.push(membership);
    const membershipOf = (group: string, member: string) => ({ group, member: `user:${member}` });
    assert.deepEqual(
      memberships.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      [
        membershipOf(EVERYONE, 'ann@acme.test'),
        membershipOf(EVERYONE, 'bob@acme.test'),
        membershipOf(`group:${eng.id}`, 'gus@guest.test'),
        membershipOf(`group:${ops.id}`, 'bob@acme.test'),
      ],
    );
    assert.equal(await linear.groupScope!(context), 'workspace-1');
  });

  it('shows nobody what has no team, and says so', async () => {
    const { addProject, addDocument, addRelease, eng } = company.world;
    const project = Object.assign(addProject('Nobody', eng), { teams: [] });
    const lonely = [
      project,
      addDocument('of such a project', project),
      addDocument('of a release without teams', null, { release: addRelease() }),
      addDocument('of something that is not known', null, { team: null }),
    ].map(({ id }) => id);
    const items = await pull();
    for (const id of lonely)
      assert.deepEqual(entitiesOf(items).find((one) => one.id === id)?.access, {
        isPublic: false,
        viewers: [],
      });
    assert.deepEqual(
      itemsOf(items, 'skip')
        .map(({ id, reason }) => [id, reason])
        .toSorted(),
      lonely.toSorted().map((id) => [`${id}/readers`, 'whose readers are unknown']),
    );
  });

  it('offers the teams that the account sees', async () => {
    const options = (query: string, limit = 10) =>
      linear.options!(contextOf(linear, settings()), { field: 'teams', query, limit });
    const all = [
      { value: 'ENG', title: 'Engineering' },
      { value: 'OPS', title: 'Operations' },
    ];
    assert.deepEqual(
      (await options('')).toSorted((a, b) => (a.value < b.value ? -1 : 1)),
      all,
    );
    assert.equal((await options('', 1)).length, 1);
    assert.deepEqual(await options('gineer'), [all[0]]);
    assert.deepEqual(await options('ops'), [all[1]]);
  });

  it('names the account and its workspace', async () =>
    assert.equal(await linear.account!(contextOf(linear, settings())), 'ann@acme.test in acme'));

  it('understands the refusals of Linear', async (t) => {
    t.after(skipWaits(100).restore);
    const answer = (status: number, extensions: object, headers: Record<string, string> = {}) =>
      json(status, { data: null, errors: [{ message: 'no', extensions }] }, headers);
    const refused = (status: number, type: string, headers = {}) =>
      answer(status, { type }, headers);
    const coded = (status: number, code: string, headers = {}) => answer(status, { code }, headers);
    const reset = {
      'x-ratelimit-requests-reset': String(Date.now() + 900_000),
      'x-ratelimit-requests-remaining': '1',
    };
    const cases: [PeerAnswer, SourceErrorKind][] = [
      [refused(200, 'authentication error'), 'auth'],
      [refused(400, 'authentication error'), 'auth'],
      [refused(200, 'forbidden'), 'skip'],
      [refused(200, 'invalid input'), 'outdated'],
      [refused(200, 'lock timeout'), 'transient'],
      [refused(200, 'network error'), 'transient'],
      [refused(400, 'internal error'), 'transient'],
      [refused(400, 'ratelimited', reset), 'rate_limited'],
      [coded(400, 'RATELIMITED', reset), 'rate_limited'],
      [coded(200, 'AUTHENTICATION_ERROR'), 'auth'],
      [coded(200, 'INTERNAL_SERVER_ERROR'), 'transient'],
      [refused(400, 'graphql error'), 'fatal'],
      [json(200, { data: null, errors: [{ message: 'no' }] }), 'fatal'],
      [refused(403, 'other', reset), 'skip'],
    ];
    for (const [refusal, kind] of cases) {
      company.peer.fault = () => refusal;
      const error = await linear.account!(contextOf(linear, settings())).catch((e: unknown) => e);
      assert.ok(error instanceof SourceError, String(error));
      assert.equal(error.kind, kind, String(refusal.body));
      assert.match(error.message, /no$/);
      assert.equal(error.retryAfter, undefined, 'the limit is not used up');
    }
  });

  /** Linear refuses a query of more than 10,000 points (https://linear.app/developers/rate-limiting). */
  it('asks no query that is too heavy for Linear', async () => {
    await pull();
    const weights = company.peer.requests.map(({ body }) => weightOf(JSON.parse(body).query));
    assert.ok(Math.max(...weights) > 1000 && Math.max(...weights) < 4000, String(weights));
  });
});

/** A property weighs 0.1 points and an object 1; a connection multiplies them by the number of its records. */
function weightOf(query: string): number {
  let weight = 0;
  const factors = [1];
  visit(parse(query), {
    Field: {
      enter({ selectionSet, arguments: given = [] }) {
        const factor = must(factors.at(-1));
        const first = given.find(({ name }) => name.value === 'first')?.value;
        const isConnection = selectionSet?.selections.some(
          (one) => one.kind === 'Field' && one.name.value === 'nodes',
        );
        weight += selectionSet ? factor : factor / 10;
        const size = first?.kind === 'IntValue' ? Number(first.value) : 50;
        factors.push(isConnection ? factor * size : factor);
      },
      leave: () => void factors.pop(),
    },
  });
  return weight;
}
