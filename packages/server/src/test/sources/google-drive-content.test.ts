/** Tests the content of files of google_drive: what is exported, downloaded and left out. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { docxFile, paragraph } from '../documents/docx-file.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { type DriveHouse, openDriveHouse } from './google-drive-house.ts';
import { type DrivePeer, openDrive } from './google-drive-peer.ts';
import { refused } from './google-drive-refusal.ts';

const MB = 2 ** 20;
const google = (type: string) => `application/vnd.google-apps.${type}`;
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('files of google_drive', () => {
  let drive: DrivePeer;
  let world: DrivePeer['world'];
  let house: DriveHouse;
  before(async () => {
    drive = await openDrive();
    world = drive.world;
    house = await openDriveHouse(drive);
  });
  after(async () => {
    await house.close();
    await drive.peer.close();
  });
  beforeEach(() => drive.clear());

  const file = (id: string, name: string, more: object) =>
    world.put({ id, name, parent: 'root-my', ...more });
  const docx = (word: string) => Buffer.from(docxFile(paragraph(`The ${word} flies.`)));
  const asked = (path: RegExp) =>
    drive.peer.requests.filter(({ url }) => path.test(url.pathname + url.search)).length;

  it('are exported if they are documents of Google, and are downloaded otherwise', async () => {
    file('doc', 'Plan', { mimeType: google('document'), content: docx('heron') });
    file('sheet', 'Budget', { mimeType: google('spreadsheet'), content: pdfFile([['egret']]) });
    file('slides', 'Talk', { mimeType: google('presentation'), content: 'osprey' });
    file('drawing', 'Map', { mimeType: google('drawing'), content: pdfFile([['curlew']]) });
    file('text', 'notes.md', { content: 'falcon' });
    file('pdf', 'Invoice v1.2', { mimeType: 'application/pdf', content: pdfFile([['linnet']]) });
    file('docx', 'Letter', { mimeType: DOCX, content: docx('plover') });
    const { having, first, record } = await house.follow();
    assert.deepEqual([first.entities_inserted, first.entities_failed], [7, 0]);
    for (const [id, word] of [
      ['doc', 'heron'],
      ['sheet', 'egret'],
      ['slides', 'osprey'],
      ['drawing', 'curlew'],
      ['text', 'falcon'],
      ['pdf', 'linnet'],
      ['docx', 'plover'],
    ] as const)
      assert.deepEqual(await having(word), [id]);
    // People know the file by its own name, whatever it is exported as.
    assert.equal((await record('doc')).metadata.name, 'Plan');
  });

  it('are left out without a request for their content if they have no text or cannot be downloaded', async () => {
    file('form', 'Survey', { mimeType: google('form') });
    file('picture', 'bird.png', { mimeType: 'image/png', content: 'png' });
    file('closed', 'secret.md', { content: 'heron', canDownload: false });
    const { first, skipped } = await house.follow();
    assert.deepEqual(first.skipped_by_reason, {
      'of a kind without text': 2,
      'closed for downloads': 1,
    });
    assert.match(JSON.stringify(await skipped(first)), /The owner can allow/);
    assert.equal(asked(/alt=media|export/), 0);
  });

  it('are left out if Google does not export them, and an earlier content is not found any more', async () => {
    file('doc', 'Plan', { mimeType: google('document'), content: docx('heron') });
    const { having, sync, skipped } = await house.follow();
    drive.settings.exportBytes = 10;
    world.change('doc', { content: docx('egret') });
    const job = await sync();
    assert.deepEqual(job.skipped_by_reason, { 'too large to export': 1 });
    assert.deepEqual([job.entities_failed, job.entities_deleted], [0, 1]);
    const [shown] = await skipped(job);
    assert.match(shown.detail, /This file is too large to be exported/);
    assert.match(shown.hint, /10 MB/);
    assert.deepEqual(await having('heron'), []);
  });

  it('are not found any more when they grow too large or are closed for downloads', async () => {
    file('grows', 'grows.md', { content: 'heron' });
    file('closes', 'closes.md', { content: 'heron' });
    const { having, sync } = await house.follow();
    world.change('grows', { content: 'heron', claimedSize: 21 * MB });
    world.change('closes', { canDownload: false });
    const job = await sync();
    assert.deepEqual([job.entities_deleted, job.entities_skipped], [2, 2]);
    assert.deepEqual(await having('heron'), []);
    assert.equal(asked(/alt=media/), 2);
  });

  it('are not requested if they are too large, and are read only up to the limit if they claim to be smaller', async () => {
    let sent = 0;
    const endless = () =>
      Readable.from(
        (function* () {
          for (; sent < 200 * MB; sent += MB) yield Buffer.alloc(MB, 'x');
        })(),
      );
    file('honest', 'honest.md', { content: 'heron', claimedSize: 100 * MB });
    file('liar', 'liar.md', { content: endless, claimedSize: 1024 });
    file('small', 'small.md', { content: 'egret' });
    const { first, ids, skipped } = await house.follow();
    assert.deepEqual(first.skipped_by_reason, { 'too large': 2 });
    assert.deepEqual(await ids(), ['small']);
    assert.equal(asked(/honest\?alt/), 0);
    // Some of what was sent waits in buffers of sockets.
    assert.ok(sent < 60 * MB, `${sent / MB} MB were read`);
    assert.match(JSON.stringify(await skipped(first)), /more than 20 MB/);
  });

  it('are not found any more, with their old text and old readers, when Google does not send them', async () => {
    for (const [reason, expected] of [
      ['cannotDownloadAbusiveFile', 'not given out by Google'],
      ['downloadQuotaExceeded', 'downloaded too often'],
      ['notFound', 'not given out by Google'],
    ] as const) {
      drive.clear();
      file('a', 'a.md', { content: 'heron' });
      file('b', 'b.md', { content: 'heron' });
      const { having, sync, full, skipped } = await house.follow();
      world.change('a', { content: 'heron and egret' });
      const status = reason === 'notFound' ? 404 : 403;
      drive.peer.fault = ({ url }) =>
        url.pathname.endsWith('/a') && url.searchParams.has('alt')
          ? refused(status, 'The file is not sent.', { reason })
          : undefined;
      const job = await sync();
      assert.deepEqual(job.skipped_by_reason, { [expected]: 1 });
      assert.match(JSON.stringify(await skipped(job)), /The file is not sent/);
      assert.deepEqual(await having('heron'), ['b']);
      drive.peer.fault = () => undefined;
      await full();
      assert.deepEqual(await having('heron'), ['a', 'b']);
    }
  });
});
