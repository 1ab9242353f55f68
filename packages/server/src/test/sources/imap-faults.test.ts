/** Tests the imap source against servers that misbehave, and a connection that breaks at any place. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { imap } from '../../sources/catalog/imap.ts';
import { openSession } from '../../sources/imap/session.ts';
import { ImapCredentials } from '../../sources/imap/settings.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { selfSigned } from '../certificate.ts';
import { DATABASES } from '../databases.ts';
import { type DovecotServer, needsDovecot, PASSWORD, startDovecot } from '../dovecot-server.ts';
import { anywhere, NO_DATA_DIR } from '../environment.ts';
import { contextOf, itemsOf, pullAll } from './harness.ts';
import { attached, multipart, openAccount, plain } from './imap-account.ts';
import { openCutter, openFake, type Script } from './imap-fake.ts';

const ANSWER =
  '* 1 FETCH (UID 1 INTERNALDATE "02-Mar-2026 10:00:00 +0000" RFC822.SIZE 9 ENVELOPE ("Mon, 02 Mar 2026 10:00:00 +0000" "Hello" NIL NIL NIL NIL NIL NIL NIL "<a@b>") BODYSTRUCTURE ("text" "plain" NIL NIL NIL "7bit" 5 1 NIL NIL NIL NIL))';
const usual: Script = {
  'UID SEARCH': () => ['* ESEARCH (TAG "x") UID ALL 1', '% OK done'],
  'UID FETCH': () => [ANSWER, '% OK done'],
};

const credentialsAt = (port: number) => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  user: 'ann@example.org',
  password: PASSWORD,
});

/** Pulls from a server that answers as the script says. */
async function pullFrom(script: Script, options: { cursor?: unknown; greeting?: string } = {}) {
  const fake = await openFake({ ...usual, ...script }, options.greeting);
  try {
    const items = await pullAll(
      imap,
      { credentials: credentialsAt(fake.port), config: {} },
      { cursor: options.cursor ?? null },
    );
    return { items, asked: fake.asked };
  } finally {
    await fake.close();
  }
}

async function errorOf(script: Script, options: { greeting?: string } = {}): Promise<SourceError> {
  const error = await pullFrom(script, options).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SourceError, String(error));
  assert.ok(!error.message.includes(PASSWORD), error.message);
  return error;
}

/** A client asks for the delimiter of names before it lists them. */
const answer = (line: string) => (args: string) =>
  args === '"" ""' ? ['* LIST (\\Noselect) "/" ""', '% OK done'] : [line];

describe('a mail server that misbehaves', () => {
  it('is understood when it answers as usual', async () => {
    const { items } = await pullFrom({});
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['stub', 'listed', 'checkpoint'],
    );
  });

  it('refuses the sign-in for a reason, which decides what happens next', async () => {
    for (const [answer, kind] of [
      ['NO [AUTHENTICATIONFAILED] wrong password', 'auth'],
      ['NO [EXPIRED] the password has expired', 'auth'],
      ['NO LOGIN failed.', 'auth'],
      ['NO [UNAVAILABLE] the directory is away', 'transient'],
      ['NO [INUSE] the mailbox is busy', 'transient'],
      ['NO [LIMIT] too many connections', 'rate_limited'],
      ['NO [THROTTLED] slow down', 'rate_limited'],
      ['NO [OVERQUOTA] Account exceeded command or bandwidth limits', 'rate_limited'],
      ['NO Maximum number of connections from user+IP exceeded', 'rate_limited'],
      ['NO [PRIVACYREQUIRED] use TLS', 'config'],
    ] as const) {
      const error = await errorOf({ LOGIN: () => [`% ${answer}`] });
      assert.equal(error.kind, kind, answer);
      assert.match(error.message, /^127\.0\.0\.1:\d+ answered: /);
    }
    const overQuota = await errorOf({ LOGIN: () => ['% NO [OVERQUOTA] enough for today'] });
    assert.equal(overQuota.retryAfter, 3600);
  });

  it('never sees its repetition of the password in an error', async () => {
    const error = await errorOf({
      LOGIN: () => [`% NO [AUTHENTICATIONFAILED] ${PASSWORD} is not the password`],
    });
    assert.match(error.message, /answered: … is not the password$/);
  });

  it('ends the connection, and the sync goes on later', async () => {
    for (const script of [
      { LIST: () => ['* BYE the server goes down for a while'] },
      { 'UID SEARCH': () => ['% NO [SERVERBUG] internal error'] },
      { 'UID FETCH': () => ['* BYE internal error'] },
    ] as Script[])
      assert.equal((await errorOf(script)).kind, 'transient');
    const full = await errorOf({}, { greeting: '* BYE [UNAVAILABLE] too many users' });
    assert.equal(full.kind, 'transient');
  });

  it('is left when it stays silent in the middle of an answer, or answers without an end', async () => {
    for (const [command, line, says] of [
      ['LIST', '* LIST () "/" {12}\r\nINB…', /cannot be reached: Socket timeout/],
      ['UID SEARCH', '* ESEARCH UID ALL 1…', /Socket timeout|does not list/],
    ] as const) {
      const fake = await openFake({ ...usual, [command]: answer(line) });
      const ctx = contextOf(imap, { credentials: credentialsAt(fake.port) });
      const session = await openSession(
        { ...ctx, credentials: ImapCredentials.parse(ctx.credentials) },
        { connectMs: 5000, silenceMs: 1500, commandMs: 60_000 },
      );
      if (command !== 'LIST') await session.open('INBOX');
      await assert.rejects(
        () => (command === 'LIST' ? session.list() : session.uids(undefined)),
        (error: unknown) =>
          error instanceof SourceError && error.kind === 'transient' && says.test(error.message),
      );
      await session.close();
      await fake.close();
    }
    const slow = await openFake({ ...usual, LIST: answer('* LIST () "/" INBOX…') });
    const ctx = contextOf(imap, { credentials: credentialsAt(slow.port) });
    const session = await openSession(
      { ...ctx, credentials: ImapCredentials.parse(ctx.credentials) },
      { connectMs: 5000, silenceMs: 60_000, commandMs: 50 },
    );
    await assert.rejects(() => session.list(), /takes too long to answer$/);
    assert.equal(session.isUsable, false);
    await slow.close();
  });

  it('cannot fill the memory with a literal that it only announces', async () => {
    const error = await errorOf({ 'UID FETCH': () => ['* 1 FETCH (UID 1 BODY[1] {4000000000}'] });
    assert.equal(error.kind, 'transient');
    assert.match(error.message, /exceeds maximum allowed size/);
  });

  it('loses no messages when it lists fewer than it counts, or does not open a folder', async () => {
    const { items: first } = await pullFrom({});
    const { cursor } = must(itemsOf(first, 'checkpoint')[0]);
    const grown = [
      '* LIST () "/" INBOX',
      '* STATUS INBOX (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 1)',
      '% OK done',
    ];
    for (const [script, says] of [
      [
        { 'UID SEARCH': () => ['* ESEARCH UID', '% OK done'] },
        /counts 1 messages in the folder, and lists 0$/,
      ],
      [{ EXAMINE: () => ['% NO [NOPERM] not for you'] }, /answered: not for you$/],
      [{ EXAMINE: () => ['% NO [NONEXISTENT] gone'] }, /answered: gone$/],
    ] as [Script, RegExp][]) {
      const { items } = await pullFrom({ LIST: () => grown, ...script }, { cursor });
      assert.deepEqual(
        items.map(({ kind }) => kind),
        ['lost', 'checkpoint'],
      );
      assert.match(must(itemsOf(items, 'lost')[0]).error.message, says);
      // The next sync tries again.
      assert.deepEqual(itemsOf(items, 'checkpoint')[0]?.cursor, cursor);
    }
  });

  it('that answers no question about messages keeps what is stored of its folder', async () => {
    const silent = { 'UID FETCH': () => ['% NO [NOPERM] not for you'] };
    const { items: full } = await pullFrom(silent);
    assert.deepEqual(
      full.map(({ kind }) => kind),
      ['lost', 'checkpoint'],
    );
    const { cursor } = must(itemsOf((await pullFrom({})).items, 'checkpoint')[0]);
    const replaced = {
      ...silent,
      LIST: () => [
        '* LIST () "/" INBOX',
        '* STATUS INBOX (MESSAGES 1 UIDNEXT 3 UIDVALIDITY 1)',
        '% OK done',
      ],
      EXAMINE: () => ['* 1 EXISTS', '* OK [UIDVALIDITY 1] .', '* OK [UIDNEXT 3] .', '% OK done'],
      'UID SEARCH': () => ['* ESEARCH UID ALL 2', '% OK done'],
    };
    const { items } = await pullFrom(replaced, { cursor });
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['lost', 'checkpoint'],
    );
    assert.deepEqual(itemsOf(items, 'checkpoint')[0]?.cursor, cursor);
  });

  it('that lists no folders at all is not taken for an empty one', async () => {
    const error = await errorOf({ LIST: () => ['% OK done'] });
    assert.equal(error.kind, 'config');
  });

  it('without LIST-STATUS is asked for each folder, and without ESEARCH lists every UID', async () => {
    const plainServer = {
      CAPABILITY: () => ['* CAPABILITY IMAP4rev1', '% OK done'],
      LOGIN: () => ['% OK done'],
      LIST: () => ['* LIST () "." INBOX', '* LIST () "." INBOX.Sub', '% OK done'],
      LSUB: () => ['% OK done'],
      STATUS: (args: string) => [
        `* STATUS ${args.split(' ')[0]} (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 1)`,
        '% OK done',
      ],
      'UID SEARCH': () => ['* SEARCH 1', '% OK done'],
    };
    const greeting = '* OK hello';
    const { items, asked } = await pullFrom(plainServer, { greeting });
    assert.equal(itemsOf(items, 'stub').length, 1);
    assert.ok(asked.includes('UID SEARCH ALL'), asked.join('\n'));
    const { cursor } = must(itemsOf(items, 'checkpoint')[0]);
    const again = await pullFrom(plainServer, { cursor, greeting });
    assert.deepEqual(again.items, []);
    assert.ok(again.asked.every((line) => !line.startsWith('EXAMINE')));
  });

  it('is asked for nothing but the state of the folders when nothing has changed', async () => {
    const { items } = await pullFrom({});
    const { cursor } = must(itemsOf(items, 'checkpoint')[0]);
    const again = await pullFrom({}, { cursor });
    assert.deepEqual(again.items, []);
    const commands = new Set(again.asked.map((line) => line.split(' ')[0]));
    for (const one of commands)
      assert.ok(['CAPABILITY', 'LOGIN', 'LIST', 'LSUB', 'LOGOUT'].includes(must(one)), one);
  });
});

describe('the address of a mail server', () => {
  it('is judged by the operator before anything is sent to it', async () => {
    const environment = createSourceEnvironment({
      singleUser: false,
      QUARRY_DATA_DIR: NO_DATA_DIR,
      QUARRY_SOURCE_NETWORKS: [],
      QUARRY_FILES_ROOTS: [],
      QUARRY_ALLOW_LOOPBACK: false,
    });
    const fake = await openFake(usual);
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.1', '[::1]']) {
      const settings = { credentials: { ...credentialsAt(fake.port), host, security: 'tls' } };
      await assert.rejects(
        async () => must(imap.check)(contextOf(imap, settings, { environment })),
        (error: unknown) => error instanceof SourceError && error.kind === 'config',
        host,
      );
    }
    assert.deepEqual(fake.asked, []);
    await fake.close();
  });
});

describe('a connection to Dovecot', needsDovecot, () => {
  it('is encrypted, and the certificate must belong to the host', async () => {
    const tls = selfSigned('mail.example.org');
    const server = await startDovecot({ tls });
    const account = { port: server.port, user: 'tls@example.org', password: PASSWORD };
    const check = (credentials: object) => {
      const ctx = contextOf(
        imap,
        { credentials: { ...account, ...credentials } },
        { environment: { ...anywhere, allowHost: async () => '127.0.0.1' } },
      );
      return must(imap.check)(ctx);
    };
    await check({ host: 'mail.example.org', certificate: tls.certificate });
    await assert.rejects(
      check({ host: 'mail.example.org' }),
      /does not prove that it is the right/,
    );
    await assert.rejects(
      check({ host: 'other.example.org', certificate: tls.certificate }),
      /does not prove that it is the right server: Hostname/,
    );
    await server.stop();
  });

  describe('that breaks', () => {
    let server: DovecotServer;
    let quarry: TestQuarry;
    before(async () => {
      server = await startDovecot();
      quarry = await openTestQuarry(await must(DATABASES[0]).open());
      await quarry.ok('POST', '/v1/collections', { name: 'Mail', readable_id: 'mail' });
    });
    after(async () => {
      await quarry?.close();
      await server?.stop();
    });

    it('is opened again, wherever it breaks, and nothing is lost, doubled or deleted', async () => {
      const account = await openAccount(server);
      await account.create('Work');
      for (let i = 0; i < 30; i++) await account.append('INBOX', { subject: `Note ${i}` });
      for (let i = 0; i < 5; i++)
        await account.append('Work', {
          subject: `Plan ${i}`,
          body: multipart('mixed', [
            plain('See it.'),
            attached(`plan-${i}.txt`, 'word '.repeat(5000)),
          ]),
        });
      const cutter = await openCutter(server.port);
      const connect = async (name: string) => {
        const { id } = await quarry.ok('POST', '/v1/source-connections', {
          name,
          short_name: 'imap',
          readable_collection_id: 'mail',
          authentication: { credentials: { ...account.credentials, port: cutter.port } },
          sync_immediately: false,
          schedule: { cron: null, continuous: true },
        });
        return id;
      };
      const whole = await connect('Whole');
      const from = cutter.cuts.answered;
      assert.equal((await quarry.sync(whole)).entities_inserted, 40);
      const total = cutter.cuts.answered - from;
      const steps = 8;
      for (let step = 0; step < steps; step++) {
        const id = await connect(`Cut ${step}`);
        cutter.cutAfter(Math.floor((total * (step + 0.5)) / steps));
        const job = await quarry.sync(id);
        assert.equal(cutter.cuts.count, step + 1);
        assert.deepEqual(
          [job.status, job.entities_inserted, job.entities_failed],
          ['completed', 40, 0],
          JSON.stringify(job),
        );
        const again = await quarry.sync(id, '?force_full_sync=true');
        assert.deepEqual(
          [again.entities_inserted, again.entities_updated, again.entities_deleted],
          [0, 0, 0],
        );
        await quarry.ok('DELETE', `/v1/source-connections/${id}`);
      }
      await cutter.close();
      await account.close();
    });
  });
});
