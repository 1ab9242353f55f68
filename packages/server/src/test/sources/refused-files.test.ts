/** Tests through the whole service that searches forget a file which its service still lists but no longer sends. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { outline } from '../../sources/catalog/outline.ts';
import { slackHistory } from '../../sources/catalog/slack-history.ts';
import type { Source } from '../../sources/define.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import type { CloudFake } from './cloud-company.ts';
import { json, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import {
  assertCompleted,
  type CloudQuarry,
  openCloudQuarry,
  openCloudStage,
} from './cloud-stage.ts';
import { openOutlineCompany } from './outline-company.ts';
import { openSlackCloud } from './slack-cloud.ts';

describe('a file that is listed and not sent', () => {
  let cloud: CloudQuarry;
  let company: CloudFake;
  before(async () => {
    cloud = await openCloudQuarry(await must(DATABASES[0]).open(), [outline, slackHistory]);
  });
  after(() => cloud.quarry.close());
  afterEach(() => company.peer.close());

  /** Copies the company, and returns functions that sync and that find the file by its word. */
  async function copied(source: Source, made: CloudFake, id: string) {
    company = made;
    const stage = await openCloudStage(cloud, source, made);
    assertCompleted(await stage.incremental());
    const word = must(made.expected().get(id), id);
    const find = async () => {
      const chunks = await cloud.quarry.find(stage.collection, word, {
        retrieval_strategy: 'keyword',
      });
      return chunks.filter((chunk) => chunk.startsWith(id));
    };
    assert.equal((await find()).length, 1);
    const sync = async () => {
      const job = await stage.incremental();
      assertCompleted(job);
      assert.equal(job.sync_metadata.full, false);
      return job;
    };
    return { find, sync, held: () => stage.heldIds() };
  }
  const refuse = (path: RegExp, answer: PeerAnswer) => {
    company.peer.fault = ({ url }: PeerRequest) => (path.test(url.pathname) ? answer : undefined);
  };

  for (const status of [403, 404])
    it(`is not found in Outline by those who could read its collection before, after a ${status}`, async () => {
      const wiki = await openOutlineCompany();
      const { find, sync } = await copied(outline, wiki, `${wiki.guide.id}/${wiki.plan}`);
      wiki.handbook.permission = null;
      refuse(/attachments\.redirect$/, json(status, { ok: false, error: 'refused', status }));
      const job = await sync();
      assert.deepEqual(job.skipped_by_reason, { 'not given out by Outline': 1 });
      assert.equal(job.entities_failed, 0);
      assert.deepEqual(await find(), []);
    });

  it('is not found in Slack by those who could read its channel before it became private', async () => {
    const slack = await openSlackCloud();
    const { design } = slack;
    const post = must(design.messages.find(({ files }) => files.length > 0));
    const id = `${design.id}/${post.ts}/${post.files[0]}`;
    const { find, sync } = await copied(slackHistory, slack, id);
    design.kind = 'private_channel';
    refuse(/^\/files-pri\//, { status: 403, headers: { 'content-type': 'text/html' }, body: 'No' });
    const job = await sync();
    assert.deepEqual(job.skipped_by_reason, { 'not given out by Slack': 1 });
    assert.deepEqual(await find(), []);
  });

  it('is not found in Slack when it is deleted before its channel becomes private', async () => {
    const slack = await openSlackCloud();
    const { design } = slack;
    const post = must(design.messages.find(({ files }) => files.length > 0));
    const id = `${design.id}/${post.ts}/${post.files[0]}`;
    const { find, sync, held } = await copied(slackHistory, slack, id);
    slack.removeFile(design, post);
    design.kind = 'private_channel';
    const job = await sync();
    assert.equal(job.entities_deleted, 1);
    assert.deepEqual(await find(), []);
    assert.ok(!(await held()).includes(id));
  });
});
