import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createExactIndex } from '../../engines/index/exact.ts';
import type { SearchIndex } from '../../engines/ports.ts';
import { groupsOf } from '../../search/groups-store.ts';
import type { Membership, MembershipItem } from '../../sources/define.ts';
import { skip } from '../../sources/items.ts';
import { insertConnection, insertOrganization, insertSyncJob } from '../../test/api/rows.ts';
import { claimJob, stealJob } from '../../test/claimed-job.ts';
import { DATABASES, type TestDatabase } from '../../test/databases.ts';
import { recipe } from '../../test/stored-entity.ts';
import { must, newId } from '../../util.ts';
import { Fenced } from '../jobs/fence.ts';
import { list as leftOut } from '../jobs/left-out-store.ts';
import { noTally } from '../jobs/tally.ts';
import { type CommitTarget, createCommitter } from './commit.ts';
import { forgetOutdated, storeMembers } from './members.ts';
import { switchTo } from './members-store.ts';
import { asynchronously } from './of-source.ts';

/** These members fill more than two commits. */
const MANY = 1100;

for (const database of DATABASES) {
  describe(`members on ${database.name}`, () => {
    let test: TestDatabase;
    let index: SearchIndex;
    let target: CommitTarget;
    const organizationId = newId();

    before(async () => {
      test = await database.open();
      index = createExactIndex({ kind: test.kind, dimensions: 2 });
      await insertOrganization(test.db, organizationId);
    });
    after(async () => {
      await test.close();
    });
    beforeEach(async () => {
      const owner = { id: newId(), organization_id: organizationId };
      const connectionId = await insertConnection(test.db, owner);
      const of = { id: connectionId, organization_id: organizationId };
      const jobId = await insertSyncJob(test.db, of, 'RUNNING');
      target = {
        organizationId,
        collectionId: owner.id,
        connectionId,
        configuredAt: 0,
        cursorField: null,
        syncId: newId(),
        jobId,
        claim: await claimJob(test.db, test.kind, { jobId, connectionId }),
        generation: 1,
        firstGeneration: 1,
        recipe: () => recipe(),
        attempt: 'this',
        definitionId: (type) => type,
      };
    });

    /**
     * Yields members of a group of that name. Their names contain the connection, because the tests share the
     * organization.
     */
    function* people(group: string, count = MANY): Generator<Membership> {
      for (let i = 0; i < count; i++) yield { group, member: person(i) };
    }
    const person = (i: number) => `user:${i}@${target.connectionId}`;

    /** Finds the groups of the first and the last member as a search does. */
    const groups = () =>
      Promise.all([0, MANY - 1].map((i) => groupsOf(test.db, organizationId, [person(i)])));

    const rows = async () => {
      const all = test.db.selectFrom('group_members').select(['list', 'group_name', 'member']);
      return all.where('connection_id', '=', target.connectionId).execute();
    };

    async function store(
      members: Iterable<MembershipItem>,
      over: Partial<CommitTarget> = {},
      afterCommit: () => Promise<void> = async () => {},
    ): Promise<number> {
      const mine = { ...target, ...over };
      const meter = { requests: 0, bytes: 0 };
      return storeMembers(asynchronously(members), {
        target: mine,
        committer: createCommitter({ ...test, index }, mine, { meter, start: noTally }),
        beforeCommit: async () => {},
        afterCommit,
      });
    }

    async function replace(members: Iterable<MembershipItem>, over: Partial<CommitTarget> = {}) {
      const list = await store(members, over);
      await test.db.transaction().execute((tx) => switchTo(tx, target.connectionId, list));
      await forgetOutdated(test.db, target.connectionId, new AbortController().signal);
    }

    it('[ENT-18] a search sees either all old groups or all new groups', async () => {
      await replace(people('group:old'));
      assert.deepEqual(await groups(), [['group:old'], ['group:old']]);
      let commits = 0;
      const list = await store(people('group:new'), { generation: 2 }, async () => {
        commits++;
        assert.deepEqual(await groups(), [['group:old'], ['group:old']]);
      });
      assert.ok(commits > 2, 'the members need several commits');
      await test.db.transaction().execute((tx) => switchTo(tx, target.connectionId, list));
      assert.deepEqual(await groups(), [['group:new'], ['group:new']]);
    });

    it('[ENT-18] members that a sync no longer reads are deleted, and those of other connections stay', async () => {
      const other = target.connectionId;
      await replace(people('group:theirs', 1));
      const owner = { id: target.collectionId, organization_id: organizationId };
      const connectionId = await insertConnection(test.db, owner);
      const of = { id: connectionId, organization_id: organizationId };
      const jobId = await insertSyncJob(test.db, of, 'RUNNING');
      const claim = await claimJob(test.db, test.kind, { jobId, connectionId });
      target = { ...target, connectionId, jobId, claim };
      await replace(people('group:old'));
      await replace([...people('group:new', 2), ...people('group:new', 2)], { generation: 2 });
      assert.deepEqual(
        (await rows()).map(({ group_name, member }) => `${group_name} ${member}`).toSorted(),
        [0, 1].map((i) => `group:new ${person(i)}`),
      );
      target = { ...target, connectionId: other };
      assert.equal((await rows()).length, 1);
    });

    it('[ENT-18] members that an interrupted attempt wrote are never used', async () => {
      await replace(people('group:old', 1));
      const stopped = new Error('the source is away');
      function* broken() {
        yield* people('group:gone');
        throw stopped;
      }
      await assert.rejects(store(broken(), { generation: 2 }), stopped);
      assert.ok((await rows()).some(({ group_name }) => group_name === 'group:gone'));
      assert.deepEqual(await groups(), [['group:old'], []]);
      await replace(people('group:new', 1), { generation: 2 });
      assert.deepEqual(
        (await rows()).map(({ group_name }) => group_name),
        ['group:new'],
      );
    });

    it('[ENT-18] groups whose members are unknown are listed with the job and counted, and the other members are stored', async () => {
      const hidden = { reason: 'whose members are unknown', detail: 'forbidden', hint: 'Ask Ann.' };
      await replace([
        ...people('group:one', 1),
        skip('hidden', 'group', hidden),
        ...people('group:two', 1),
      ]);
      assert.deepEqual((await rows()).map(({ group_name }) => group_name).toSorted(), [
        'group:one',
        'group:two',
      ]);
      const { jobId } = target;
      const [listed, ...others] = await leftOut(test.db, jobId, {
        ...{ kind: 'skip', skip: 0, limit: 10 },
      });
      const { entity_id, stage, message, detail, hint } = must(listed);
      assert.deepEqual(
        [entity_id, stage, message, detail, hint],
        ['hidden', 'members', ...Object.values(hidden)],
      );
      assert.deepEqual(others, []);
      const job = await test.db
        .selectFrom('sync_jobs')
        .select(['entities_skipped', 'entities_failed', 'skipped_by_reason'])
        .where('id', '=', jobId)
        .executeTakeFirstOrThrow();
      assert.deepEqual(
        { ...job },
        {
          ...{ entities_skipped: 1, entities_failed: 0 },
          skipped_by_reason: { [hidden.reason]: 1 },
        },
      );
    });

    it('[JOB-43] a worker without the lease adds and removes no members', async () => {
      await store(people('group:begun', 1));
      const before = await rows();
      await stealJob(test.db, target.claim);
      await assert.rejects(store(people('group:late')), Fenced);
      assert.deepEqual(await rows(), before);
    });
  });
}
