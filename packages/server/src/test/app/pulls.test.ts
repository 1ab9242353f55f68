/**
 * Tests where a pull commits, what it sweeps, where the next pull begins, and how changes of the connection affect
 * pulls.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import type { Source } from '../../sources/define.ts';
import {
  bookmark,
  checkpoint,
  fail,
  listed,
  lost,
  type SourceItem,
  skip,
} from '../../sources/items.ts';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';
import { page, testWorld, type World, whole } from './source.ts';

for (const database of DATABASES) {
  describe(`pulls on ${database.name}`, () => {
    let quarry: TestQuarry;
    let world: World;
    let checked: { config: unknown; credentials: unknown }[] = [];
    let refusal: SourceError | undefined;
    let collection: string;
    let connection: string;
    let made = 0;

    before(async () => {
      const test = testWorld();
      world = test.world;
      const source: Source = {
        ...test.source,
        async check(context) {
          checked.push({ config: context.config, credentials: context.credentials });
          if (refusal) throw refusal;
          await test.source.check?.(context);
        },
      };
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([['world', source]]),
      });
    });
    after(() => quarry.close());
    beforeEach(async () => {
      Object.assign(world, { items: [], members: [], pulls: [], password: 'right' });
      refusal = undefined;
      collection = `pulls-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Pulls', readable_id: collection });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        name: 'The world',
        short_name: 'world',
        readable_collection_id: collection,
        authentication: { credentials: { password: 'right' } },
        sync_immediately: false,
        schedule: { cron: null, continuous: true, cursor_field: 'at' },
      });
      connection = id;
      checked = [];
    });

    const run = (items: World['items']) => {
      world.items = items;
      return quarry.sync(connection);
    };
    const patch = (body: object) =>
      quarry.call('PATCH', `/v1/source-connections/${connection}`, body);
    const records = async () => {
      const rows = await quarry.ok('GET', `/v1/entities?source_connection_id=${connection}`);
      return rows.map((row: { entity_id: string }) => row.entity_id).toSorted();
    };
    const breakOff = () => {
      throw new SourceError('fatal', 'the world went away');
    };
    const long = (id: string): SourceItem =>
      page(id, {
        text: Array.from(
          { length: 150 },
          (_, i) => `## Part ${i} of ${id}\n\n${'word '.repeat(150)}`,
        ).join('\n\n'),
      });

    it('[JOB-36] after a full pull that failed, the next pull is full again', async () => {
      assert.equal((await run([page('a'), checkpoint(1), breakOff])).status, 'failed');
      assert.deepEqual(await records(), ['a']);
      const second = await run([...whole(page('a')), checkpoint(2)]);
      assert.deepEqual([second.sync_metadata.full, second.entities_kept], [true, 1]);
      const third = await run([]);
      assert.equal(third.sync_metadata.full, false);
      assert.deepEqual(
        world.pulls.map(({ cursor }) => cursor),
        [null, null, 2],
      );
    });

    it('[ENT-18] somebody who leaves a group finds nothing more after an incremental pull, once the list of members is a day old', async () => {
      const ann = () => quarry.find(collection, 'text', {}, { 'x-principals': 'user:ann' });
      const readAt = async (at: number | null) => {
        const all = quarry.db.updateTable('connections').set({ members_read_at: at });
        await all.where('id', '=', connection).execute();
      };
      const DAY_MS = 24 * 3_600_000;
      world.members = [{ group: 'group:g', member: 'user:ann' }];
      await run([
        ...whole(page('a', { access: { viewers: ['group:g'], isPublic: false } })),
        checkpoint(1),
      ]);
      const found = ['a__chunk_0'];
      world.members = [];
      // The cases are a list of the last hours, an old list, a list of an older version, and one from a clock that was set back.
      const cases = [
        [Date.now() - DAY_MS + 3_600_000, found],
        [Date.now() - DAY_MS, []],
        [null, []],
        [Date.now() + DAY_MS, []],
      ] as const;
      for (const [at, expected] of cases) {
        world.members = [{ group: 'group:g', member: 'user:ann' }];
        await readAt(null);
        assert.equal((await run([])).sync_metadata.full, false);
        assert.deepEqual(await ann(), found);
        world.members = [];
        await readAt(at);
        assert.equal((await run([])).sync_metadata.full, false);
        assert.deepEqual(await ann(), expected, String(at));
      }
    });

    it('[JOB-38] an incremental pull deletes nothing that it does not name, and a failed one keeps the cursor of its last checkpoint', async () => {
      world.members = [{ group: 'group:g', member: 'user:ann' }];
      await run([
        ...whole(page('a', { access: { viewers: ['group:g'], isPublic: false } })),
        checkpoint(1),
      ]);
      world.members = [];
      assert.equal((await run([checkpoint(2)])).entities_deleted, 0);
      assert.equal((await run([listed('elsewhere')])).entities_deleted, 0);
      assert.deepEqual(await records(), ['a']);
      assert.deepEqual(await quarry.find(collection, 'text', {}, { 'x-principals': 'user:ann' }), [
        'a__chunk_0',
      ]);
      assert.deepEqual(
        world.pulls.map(({ cursor }) => cursor),
        [null, 1, 2],
      );
      await run([breakOff]);
      await run([page('b'), checkpoint(3), breakOff]);
      await run([]);
      assert.deepEqual(world.pulls.at(-1)?.cursor, 3);
    });

    it('[JOB-26] [JOB-38] an incremental pull deletes a record whose new file is left out, because searches must not find its earlier text', async () => {
      await run([...whole(page('a', { text: 'heron' }), page('b')), checkpoint(1)]);
      const file = { path: '/nowhere/a.png', name: 'a.png', size: 1, inode: '1' };
      const job = await run([page('a', { text: '', file }), checkpoint(2)]);
      assert.deepEqual([job.entities_skipped, job.entities_deleted], [1, 1]);
      assert.deepEqual(await records(), ['b']);
      const keyword = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await quarry.find(collection, 'heron', keyword), []);
    });

    const pages = (count: number) => Array.from({ length: count }, (_, i) => page(`p${i}`));

    it('[CON-18] when two requests delete a connection at the same time, one of them answers 404', async () => {
      const remove = () => quarry.call('DELETE', `/v1/source-connections/${connection}`);
      const answers = await Promise.all([remove(), remove()]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404]);
    });

    if (isSmokeEnough(database)) return;

    it('[JOB-24] [JOB-25] a record that is first unchanged and then changed within one pull counts once', async () => {
      await run([...whole(...pages(300)), checkpoint(1)]);
      world.items = whole(...pages(300), page('p0', { text: 'The heron came back.' }));
      const { entities_kept, entities_updated } = await quarry.sync(
        connection,
        '?force_full_sync=true',
      );
      assert.deepEqual([entities_kept, entities_updated], [299, 1]);
      const keyword = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await quarry.find(collection, 'heron', keyword), ['p0__chunk_0']);
    });

    it('[JOB-20] [JOB-21] a job ends as usual when its source reports texts with characters that no database can store', async () => {
      const odd = (about: string) => `${about} \0 \ud800.`;
      const even = (about: string) => `${about}  \ufffd.`;
      const job = await run([
        page('a'),
        skip('b', 'Page', { reason: odd('left out'), detail: odd('too odd'), hint: odd('rename') }),
        fail('c', 'Page', new SourceError('skip', odd('broken'), { hint: odd('mend') })),
        lost('d', new SourceError('transient', odd('no answer'))),
        bookmark(1),
        () => {
          throw new SourceError('fatal', odd('the world ended'), { hint: odd('wait') });
        },
      ]);
      assert.deepEqual([job.status, job.error], ['failed', even('the world ended')]);
      const row = quarry.db
        .selectFrom('sync_jobs')
        .select('error_details')
        .where('id', '=', job.id);
      const { error_details } = await row.executeTakeFirstOrThrow();
      assert.equal(error_details?.hint, even('wait'));
      assert.deepEqual(job.skipped_by_reason, { [even('left out')]: 1 });
      const of = (kind: string) =>
        quarry.ok('GET', `/v1/source-connections/${connection}/jobs/${job.id}/${kind}`);
      const [skipped] = await of('skipped');
      assert.deepEqual(
        [skipped.reason, skipped.detail, skipped.hint],
        ['left out', 'too odd', 'rename'].map(even),
      );
      assert.deepEqual(
        (await of('failures')).map((one: Record<string, string>) => [one.message, one.hint]),
        [
          [even('broken'), even('mend')],
          [even('no answer'), null],
        ],
      );
    });

    it('[JOB-23] a job that fails counts the unchanged records of its completed batches', async () => {
      await run([...whole(...pages(250)), breakOff]);
      const job = await run([...pages(250), breakOff]);
      assert.deepEqual([job.status, job.entities_kept], ['failed', 200]);
    });

    it('a pull commits a batch in parts of about 200 chunks, and never divides an entity', async () => {
      const versions = async () =>
        (
          await quarry.db
            .selectFrom('indexes')
            .innerJoin('collections', 'collections.id', 'indexes.collection_id')
            .select('indexes.version')
            .where('collections.readable_id', '=', collection)
            .executeTakeFirstOrThrow()
        ).version;
      const before = await versions();
      const job = await run(whole(long('a'), long('b'), page('c')));
      assert.equal(job.entities_inserted, 3);
      assert.ok(job.sync_metadata.chunks_written > 300);
      // The first commit has a, and the second has b and c: a and b have 150 chunks each and do not
      // fit into one commit.
      assert.equal((await versions()) - before, 2);
    });

    it('[JOB-21] a lost partition is listed as a failure of the job', async () => {
      const gone = new SourceError('transient', 'no answer');
      const job = await run([lost('', gone), lost('x/y', gone)]);
      assert.deepEqual(
        [job.status, job.entities_failed, job.entities_encountered],
        ['completed', 2, { partition: 2 }],
      );
      const failures = await quarry.ok(
        'GET',
        `/v1/source-connections/${connection}/jobs/${job.id}/failures`,
      );
      assert.deepEqual(
        failures.map(({ created_at, ...failure }: { created_at: string }) => failure),
        ['(all)', 'x/y'].map((entity_id) => ({
          entity_id,
          entity_type: 'partition',
          stage: 'pull',
          message: 'no answer',
          hint: null,
        })),
      );
    });

    it('[JOB-35] a change of the configuration or cursor field makes the next pull begin from the start; other changes do not', async () => {
      const isFull = async () =>
        (await run([...whole(page('a')), checkpoint(1)])).sync_metadata.full;
      assert.equal(await isFull(), true);
      await patch({ name: 'New name', schedule: { cron: '0 3 * * *' } });
      assert.equal(await isFull(), false);
      await patch({ schedule: { cursor_field: 'other' } });
      assert.equal(await isFull(), true);
      await patch({ config: { part: 'one' } });
      assert.equal(await isFull(), true);
      assert.equal(await isFull(), false);
    });

    it('[JOB-37] a job whose configuration changes while it runs becomes a full sync at its next attempt', async () => {
      await run([...whole(page('a'), page('b')), checkpoint(1)]);
      const changed = async () => {
        await patch({ config: { part: 'one' } });
        world.items = [...whole(page('b')), checkpoint(3)];
        throw new SourceError('transient', 'no answer');
      };
      const job = await run([page('a'), checkpoint(2), changed]);
      assert.deepEqual(
        world.pulls.map(({ cursor }) => cursor),
        [null, 1, null],
      );
      assert.deepEqual([job.sync_metadata.full, job.entities_deleted], [true, 1]);
      assert.deepEqual(await records(), ['b']);
      assert.equal((await run([])).sync_metadata.full, false);
    });

    it('[CON-20] the source checks a change with the settings as they would be afterwards, and the error names the wrong field', async () => {
      await patch({ name: 'New name' });
      assert.deepEqual(checked, []);
      await patch({ config: { part: 'one' } });
      world.password = 'newer';
      await patch({ authentication: { credentials: { password: 'newer' } } });
      assert.deepEqual(checked, [
        { config: { part: 'one' }, credentials: { password: 'right' } },
        { config: { part: 'one' }, credentials: { password: 'newer' } },
      ]);
      const wrong = await patch({ authentication: { credentials: { password: 'wrong' } } });
      assert.deepEqual(
        [wrong.status, wrong.body.code, wrong.body.detail[0].loc],
        [422, 'credentials_refused', ['body', 'authentication', 'credentials']],
      );
      const codes = {
        config: 'invalid',
        transient: 'source_unreachable',
        rate_limited: 'source_unreachable',
        fatal: 'source_failed',
      } as const;
      for (const [kind, code] of Object.entries(codes)) {
        refusal = new SourceError(kind as keyof typeof codes, `answer ${kind}`);
        const { status, body } = await patch({
          auth: { direct: { credentials: { password: 'newer' } } },
        });
        assert.deepEqual(
          [status, body.code, body.detail[0].msg, body.detail[0].loc],
          [
            422,
            code,
            `answer ${kind}`,
            kind === 'config' ? ['body', 'config'] : ['body', 'auth', 'direct', 'credentials'],
          ],
        );
      }
    });

    it('[JOB-44] no deletion is held back after a change of the configuration, even if no full sync has completed before', async () => {
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      assert.equal((await run([...whole(...pages), checkpoint(1), breakOff])).status, 'failed');
      await patch({ config: { part: 'one' } });
      assert.equal((await run(whole())).entities_deleted, 60);
    });

    it('[JOB-44] only deletions that were held back can be confirmed, and a full sync then makes them', async () => {
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      const first = await run([...whole(...pages), checkpoint(1)]);
      const confirm = (job: string) =>
        quarry.call('POST', `/v1/source-connections/${connection}/jobs/${job}/confirm-deletions`);
      const none = await confirm(first.id);
      assert.deepEqual([none.status, none.body.code], [409, 'conflict']);
      world.items = [...whole(), checkpoint(2)];
      const held = await quarry.sync(connection, '?force_full_sync=true');
      assert.equal(held.entities_deleted, 0);
      assert.equal((await confirm(held.id)).status, 200);
      const { sync_metadata, entities_deleted } = await quarry.settled(connection);
      assert.deepEqual(
        [sync_metadata.trigger, sync_metadata.full, entities_deleted],
        ['confirmation', true, 60],
      );
    });

    it('[CON-33] a job that does not ask the source leaves NEEDS_REAUTH as it is', async () => {
      world.password = 'newer';
      await run([]);
      const status = async () =>
        (await quarry.ok('GET', `/v1/source-connections/${connection}`)).status;
      assert.equal(await status(), 'NEEDS_REAUTH');
      await quarry.ok('POST', `/v1/source-connections/${connection}/reprocess`);
      assert.equal((await quarry.settled(connection)).status, 'completed');
      assert.equal(await status(), 'NEEDS_REAUTH');
    });

    it('[JOB-44] deletions that were held back can be confirmed after an incremental sync, but not after another full sync', async () => {
      const pages = Array.from({ length: 60 }, (_, i) => page(`p${i}`));
      await run([...whole(...pages), checkpoint(1)]);
      world.items = [...whole(), checkpoint(2)];
      const held = await quarry.sync(connection, '?force_full_sync=true');
      const again = await quarry.sync(connection, '?force_full_sync=true');
      assert.equal((await run([checkpoint(3)])).sync_metadata.full, false);
      const confirm = (job: string) =>
        quarry.call('POST', `/v1/source-connections/${connection}/jobs/${job}/confirm-deletions`);
      assert.equal((await confirm(held.id)).status, 409);
      world.items = [...whole(), checkpoint(4)];
      assert.equal((await confirm(again.id)).status, 200);
      assert.equal((await quarry.settled(connection)).entities_deleted, 60);
    });

    it('[JOB-35] a cursor is not stored when the cursor field has changed since the job began', async () => {
      const other = async () => {
        await patch({ schedule: { cursor_field: 'other' } });
      };
      await run([...whole(page('a')), other, checkpoint(1)]);
      assert.equal((await run([...whole(page('a')), checkpoint(2)])).sync_metadata.full, true);
      await patch({ schedule: { cursor_field: 'at' } });
      await run([...whole(page('a')), checkpoint(3)]);
      assert.equal((await run([other, page('b'), checkpoint(4)])).sync_metadata.full, false);
      assert.equal((await run([])).sync_metadata.full, true);
    });
  });
}
