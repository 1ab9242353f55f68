/** Tests a disk of the database that fills up during a sync and has room again later. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { openStream } from '../event-stream.ts';
import { until } from '../until.ts';
import { diskFull } from './disk-full.ts';
import { hurryJobs, openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

const FULL = 'the disk of the database is full';
const SHOWN = `${FULL}: free room on it, and the service goes on by itself`;
/** This many bytes are enough for the small rows of the service itself. */
const LITTLE = 8 * 1024;
/** The text cannot be compressed. */
const LARGE = {
  text: Array.from({ length: LITTLE / 8 }, () => randomBytes(8).toString('hex')).join(' '),
};

for (const database of DATABASES) {
  describe(`a disk without room on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let first: string;
    let second: string;
    let made = 0;
    const disk = diskFull(database.name);

    before(async () => {
      const test = await database.open();
      const { source, world: made } = testWorld();
      world = made;
      quarry = await openTestQuarry(
        { ...test, db: test.db.withPlugin(disk.plugin) },
        { sources: new Map([['world', source]]) },
      );
      await quarry.api.listen({ host: '127.0.0.1', port: 0 });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      const collection = `full-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Full', readable_id: collection });
      const connect = async (name: string) => {
        const { id } = await quarry.ok('POST', '/v1/source-connections', {
          name,
          short_name: 'world',
          readable_collection_id: collection,
          authentication: { credentials: { password: 'right' } },
          sync_immediately: false,
          schedule: { cron: null },
        });
        return id as string;
      };
      first = await connect('First');
      second = await connect('Second');
      world.pulls = [];
    });
    afterEach(() => {
      disk.room = Number.POSITIVE_INFINITY;
    });

    /**
     * Starts a sync. When its first pull begins, the database starts to refuse every write of more than `room` bytes.
     */
    async function fillDuring(connection: string, room: number): Promise<string> {
      world.items = [
        () => {
          if (world.pulls.length === 1) disk.room = room;
        },
        ...whole(page('a', LARGE), page('b', LARGE)),
      ];
      return (await quarry.ok('POST', `/v1/source-connections/${connection}/run`)).id;
    }
    const run = async (connection: string): Promise<string> =>
      (await quarry.ok('POST', `/v1/source-connections/${connection}/run`)).id;
    const jobOf = (id: string) => quarry.ok('GET', `/v1/sync/jobs/${id}`);
    const untilItWaits = (id: string) =>
      until(async () => ((await jobOf(id)).waits_for === null ? undefined : true));

    /** Returns what the job waits for, from each of the four places that show it. */
    async function shownWaits(connection: string, job: string) {
      const path = `/v1/source-connections/${connection}`;
      const { port } = quarry.api.server.address() as AddressInfo;
      const stream = await openStream(
        `http://127.0.0.1:${port}${path}/jobs/${job}/stream`,
        quarry.key,
      );
      const { waits_for: streamed } = (await stream.next()) as any;
      stream.leave();
      const [ofConnection] = await quarry.ok('GET', `${path}/jobs`);
      const { body } = await quarry.call('GET', '/v1/sync/jobs');
      const listed = body.find(({ id }: { id: string }) => id === job);
      return [streamed, ofConnection.waits_for, listed.waits_for, (await jobOf(job)).waits_for];
    }
    const ready = async () => {
      const { status, body } = await quarry.call('GET', '/health/ready');
      return [status, body.detail ?? body.status];
    };

    it('[JOB-48] a job shows that it waits for room on the disk, does not ask its source meanwhile, and goes on when there is room', async () => {
      const id = await fillDuring(first, LITTLE);
      await untilItWaits(id);
      const other = await run(second);
      const expected = Array(4).fill({ reason: SHOWN, until: null });
      assert.deepEqual(await shownWaits(first, id), expected);
      assert.deepEqual(await shownWaits(second, other), expected);
      assert.deepEqual(await ready(), [503, `not ready: ${SHOWN}`]);
      // The worker has tried both jobs again, but it does not ask the source while the disk is full.
      await until(async () => {
        for (const lane of [first, second]) await hurryJobs(quarry.db, lane);
        const rows = await quarry.db.selectFrom('jobs').select(['attempts']).execute();
        return rows.length === 2 && rows.every(({ attempts }) => attempts >= 2) ? true : undefined;
      });
      assert.equal(world.pulls.length, 1);
      assert.deepEqual(await shownWaits(first, id), expected);
      const path = `/v1/source-connections/${second}/jobs/${other}/cancel`;
      assert.match((await quarry.ok('POST', path)).status, /^CANCELL/);
      assert.equal((await quarry.settled(second)).status, 'cancelled');

      disk.room = Number.POSITIVE_INFINITY;
      const job = await quarry.settled(first, { hurry: true });
      assert.deepEqual(
        [job.status, job.entities_inserted, job.error, job.waits_for],
        ['completed', 2, null, null],
      );
      await until(async () => ((await ready())[0] === 200 ? true : undefined));
    });

    it('[JOB-48] a job also shows that it waits when the database refuses even the row that notes this', async () => {
      const id = await fillDuring(first, 0);
      await untilItWaits(id);
      assert.deepEqual(await shownWaits(first, id), Array(4).fill({ reason: SHOWN, until: null }));
      assert.deepEqual(await ready(), [503, `not ready: ${SHOWN}`]);
      const refused = await quarry.call('POST', '/v1/collections', { name: 'No room' });
      assert.equal(refused.status, 503);
      assert.match(refused.body.detail, new RegExp(`^${FULL}`));

      disk.room = Number.POSITIVE_INFINITY;
      const job = await quarry.settled(first, { hurry: true });
      assert.deepEqual([job.status, job.entities_inserted], ['completed', 2]);
      await until(async () => ((await ready())[0] === 200 ? true : undefined));
    });
  });
}
