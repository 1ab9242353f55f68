/**
 * Plays a person at a real Dovecot: random messages are written, moved, copied, read and deleted, and folders are made,
 * renamed, deleted and made again, also while a sync runs; Quarry is killed again and again. After each round, Quarry must
 * hold exactly the messages that the mailbox has, and after the last one a full sync must find nothing to change.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DovecotServer, needsDovecot, startDovecot } from '../dovecot-server.ts';
import { type Server, startServer, TEST_KEY, tempDir, untilSynced } from '../e2e/process.ts';
import {
  attached,
  type MailAccount,
  multipart,
  openAccount,
  plain,
} from '../sources/imap-account.ts';
import { playRounds, soakRandom } from './soak.ts';

const ROUNDS = 6;
const EDITS = 8;

describe('a real mailbox and kill -9', needsDovecot, () => {
  let dovecot: DovecotServer;
  let account: MailAccount;
  let server: Server;
  let connection: string;
  const dir = tempDir();
  const dice = soakRandom();
  /** Maps subjects to the numbers of their files. */
  const written = new Map<string, number>();
  let made = 0;
  let renamed = 0;

  const start = () => startServer(dir.path, { env: { QUARRY_API_KEY: TEST_KEY } });
  before(async () => {
    dovecot = await startDovecot();
    account = await openAccount(dovecot);
    server = await start();
    await server.call('POST', '/v1/collections', { name: 'Mail', readable_id: 'mail' });
    for (const folder of ['Work', 'Work/Inner', 'Zoo']) await account.create(folder);
    for (let i = 0; i < 30; i++) await write('INBOX');
    const { status, body } = await server.call('POST', '/v1/source-connections', {
      name: 'Mail',
      short_name: 'imap',
      readable_collection_id: 'mail',
      authentication: { credentials: account.credentials },
      sync_immediately: false,
      schedule: { cron: null, continuous: true },
    });
    assert.equal(status, 200, JSON.stringify(body));
    connection = body.id;
  });
  after(async () => {
    await server?.kill();
    await account?.close();
    await dovecot?.stop();
    dir.remove();
  });

  async function write(folder: string): Promise<void> {
    made++;
    const subject = `Note ${made}`;
    const files = dice.below(4) === 0 ? 1 + dice.below(2) : 0;
    written.set(subject, files);
    const parts = Array.from({ length: files }, (_, i) =>
      attached(`${made}-${i}.txt`, `File ${i}.`),
    );
    await account.append(folder, {
      subject,
      ...(files > 0 && { body: multipart('mixed', [plain(`About ${made}.`), ...parts]) }),
    });
  }

  const isEdited = (path: string) => !['Junk', 'Drafts'].includes(path);
  const folders = async () =>
    (await account.client.list()).map(({ path }) => path).filter(isEdited);

  async function edit(): Promise<void> {
    const all = await folders();
    const folder = dice.pick(all);
    const other = dice.pick(all.filter((path) => path !== folder));
    const uids = await account.uids(folder);
    const uid = uids.length > 0 ? dice.pick(uids) : null;
    const own = all.filter((path) => !['INBOX', 'Trash'].includes(path) && !path.includes('/'));
    const kind = dice.below(12);
    if (kind < 4 || uid === null) return write(folder);
    if (kind < 6) return void (await account.move(folder, uid, other));
    if (kind === 6) return void (await account.copy(folder, uid, other));
    if (kind < 9) return void (await account.expunge(folder, uid));
    if (kind === 9) return void (await account.flag(folder, uid, ['\\Seen']));
    if (kind === 10 && own.length > 0) {
      const from = dice.pick(own);
      return void (await account.rename(from, `${from.slice(0, 8)}-${++renamed}`));
    }
    // The folder is made again with the same name, and so gets another UIDVALIDITY.
    const leaf = own.find((path) => !all.some((one) => one.startsWith(`${path}/`)));
    if (leaf === undefined) return void (await account.create(`Folder ${made}`));
    await account.deleteFolder(leaf);
    await account.create(leaf);
  }

  /** Returns what must be stored: each message once, and each of its files. */
  async function expected(): Promise<Map<string, number>> {
    const subjects = new Set<string>();
    for (const folder of await folders()) {
      if (folder === 'Trash' || folder.startsWith('Trash/')) continue;
      const lock = await account.client.getMailboxLock(folder);
      try {
        const found =
          account.client.mailbox && account.client.mailbox.exists > 0
            ? await account.client.fetchAll('1:*', { envelope: true })
            : [];
        for (const { envelope } of found) subjects.add(envelope?.subject ?? '');
      } finally {
        lock.release();
      }
    }
    return new Map([...subjects].map((subject) => [subject, written.get(subject) ?? 0]));
  }

  async function assertHeld(): Promise<void> {
    const { body } = await server.call(
      'GET',
      `/v1/entities?source_connection_id=${connection}&limit=1000`,
    );
    const ids: string[] = body.map((row: { entity_id: string }) => row.entity_id);
    const files = Map.groupBy(
      ids.filter((id) => id.split('/').length === 3),
      (id) => id.split('/').slice(0, 2).join('/'),
    );
    const held = ids
      .filter((id) => id.split('/').length === 2)
      .map((id) => files.get(id)?.length ?? 0);
    const must = await expected();
    assert.equal(held.length, must.size, 'the number of messages');
    assert.deepEqual(held.toSorted(), [...must.values()].toSorted(), 'the numbers of files');
    assert.equal(new Set(ids).size, ids.length);
    for (const subject of [...must.keys()].slice(-3)) {
      const { body } = await server.call('POST', '/v1/collections/mail/search', {
        query: subject,
        limit: 5,
        generate_answer: false,
      });
      const names = body.results.map((one: { metadata: { name: string } }) => one.metadata.name);
      assert.ok(names.includes(subject), `'${subject}' finds ${names}`);
    }
  }

  const run = () => server.call('POST', `/v1/source-connections/${connection}/run`);

  it('[JOB-37] [JOB-43] holds after each round what the mailbox has', async (t) => {
    let kills = 0;
    const rounds = await playRounds(ROUNDS, async () => {
      for (let i = 0; i < EDITS; i++) await edit();
      await run();
      // The person goes on while the sync runs, and half of the time Quarry is killed meanwhile.
      for (let i = dice.below(4); i > 0; i--) await edit();
      if (dice.below(2) === 0) {
        await server.kill();
        kills++;
        server = await start();
      }
      await untilSynced(server, connection);
      await run();
      await untilSynced(server, connection);
      await assertHeld();
    });
    t.diagnostic(`${rounds} rounds, ${kills} kills, ${made} messages`);
    await server.call('POST', `/v1/source-connections/${connection}/run?force_full_sync=true`);
    await untilSynced(server, connection);
    const { body } = await server.call('GET', `/v1/source-connections/${connection}/jobs?limit=1`);
    const { entities_inserted, entities_updated, entities_deleted, entities_failed } = body[0];
    assert.deepEqual(
      [entities_inserted, entities_updated, entities_deleted, entities_failed],
      [0, 0, 0, 0],
    );
  });
});
