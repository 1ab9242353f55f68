/** Runs `quarry import airweave` as a process, from an Airweave that the vendor's SDK can read into a real Quarry. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AirweaveSDKClient } from '@airweave/sdk';
import { EVENT_TYPES } from '../../events/types.ts';
import { until } from '../until.ts';
import { AIRWEAVE_KEY, type AirweaveServer, openAirweaveServer } from './airweave-server.ts';
import { launch, runToEnd, type Server, startServer, TEST_KEY, tempDir } from './process.ts';
import { CTRL_C, runAtTerminal } from './terminal.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
const OAUTH = { method: 'oauth_browser', authenticated: true } as const;

describe('the Airweave of these tests', () => {
  let airweave: AirweaveServer;
  before(async () => {
    airweave = await openAirweaveServer();
  });
  after(() => airweave.close());

  const clientWith = (apiKey: string) =>
    new AirweaveSDKClient({ apiKey, baseUrl: airweave.address });

  it("is read by the vendor's SDK: pages, details and errors", async () => {
    const client = clientWith(AIRWEAVE_KEY);
    for (let i = 0; i < 3; i++)
      await client.collections.create({ name: `Shelf ${i}`, readable_id: `shelf-${i}` });
    const ids = async (skip: number, limit: number) =>
      (await client.collections.list({ skip, limit })).map(({ readable_id }) => readable_id);
    assert.deepEqual(
      [await ids(0, 2), await ids(2, 2), await ids(4, 2)],
      [['shelf-2', 'shelf-1'], ['shelf-0'], []],
    );
    const made = airweave.addConnection({
      name: 'Code',
      readable_collection_id: 'shelf-1',
      config: { repo_name: 'acme/shop' },
      schedule: { cron: '0 6 * * *' },
      auth: OAUTH,
    });
    const [listed] = await client.sourceConnections.list();
    assert.deepEqual([listed?.id, listed?.auth_method], [made.id, 'oauth_browser']);
    const shown = await client.sourceConnections.get(made.id);
    assert.deepEqual(
      [shown.config, shown.schedule?.cron, shown.auth.method],
      [{ repo_name: 'acme/shop' }, '0 6 * * *', 'oauth_browser'],
    );
    const refused = clientWith('wrong').collections.list({}, { maxRetries: 0 });
    await assert.rejects(refused, { statusCode: 403 });
    await assert.rejects(client.sourceConnections.get('nothing'), { statusCode: 404 });
    airweave.fail('/collections', { status: 429, body: {}, headers: { 'retry-after': '1' } });
    const limited = client.collections.list({}, { maxRetries: 0 });
    await assert.rejects(limited, { statusCode: 429 });
    assert.equal((await client.collections.list()).length, 3);
  });
});

describe('quarry import airweave', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let airweave: AirweaveServer;
  before(async () => {
    dir = tempDir();
    const sources = join(dir.path, 'sources.json');
    const client = { client_id: 'ours', client_secret: 'of-the-operator' };
    writeFileSync(sources, JSON.stringify({ linear: client, gmail: client, slack: client }));
    [server, airweave] = await Promise.all([
      startServer(join(dir.path, 'data'), {
        env: { QUARRY_API_KEY: TEST_KEY, QUARRY_SOURCES_FILE: sources },
      }),
      openAirweaveServer(),
    ]);
  });
  afterEach(async () => {
    airweave.reset();
    for (const path of ['webhooks/subscriptions', 'collections'])
      for (const one of await all(path))
        await server.call('DELETE', `/v1/${path}/${one.readable_id ?? one.id}`);
  });
  after(async () => {
    await server.kill();
    airweave.close();
    dir.remove();
  });

  const env = () => ({
    QUARRY_DATA_DIR: join(dir.path, 'data'),
    QUARRY_API_KEY: TEST_KEY,
    AIRWEAVE_API_KEY: AIRWEAVE_KEY,
  });
  const words = (...more: string[]) => ['import', 'airweave', airweave.address, ...more];
  const imports = (...more: string[]) => runToEnd(words(...more), env());
  const all = async (path: string): Promise<any[]> =>
    (await server.call('GET', `/v1/${path}?limit=1000`)).body;
  const collectionIds = async () =>
    (await all('collections')).map(({ readable_id }) => readable_id).sort();
  const isEmpty = async () => assert.deepEqual(await collectionIds(), []);

  it('shows the plan, makes it, and says what is left to do', async () => {
    airweave.addCollection({ name: 'Support', readable_id: 'support' });
    airweave.addCollection({ name: 'Bad', readable_id: 'bad' });
    airweave.addConnection({
      name: 'Tickets',
      description: 'What the team builds',
      short_name: 'linear',
      readable_collection_id: 'support',
      schedule: { cron: '30 5 * * 1' },
      auth: OAUTH,
    });
    airweave.addConnection({
      name: "Ann's issues",
      short_name: 'jira',
      readable_collection_id: 'support',
      config: { project_keys: ['OPS', 'WEB'], zephyr_scale_api_token: 'hidden-value' },
      auth: OAUTH,
    });
    airweave.addConnection({
      name: 'Customers',
      short_name: 'hubspot',
      readable_collection_id: 'support',
      auth: OAUTH,
    });
    airweave.addConnection({
      name: 'Lost',
      short_name: 'linear',
      readable_collection_id: 'bad',
      auth: OAUTH,
    });
    airweave.addWebhook({ filter_types: ['sync.completed', 'sync.cancelling'] });
    airweave.addWebhook({ url: 'https://hooks.invalid/all' });
    airweave.addWebhook({
      url: 'https://hooks.example.com/off',
      filter_types: ['collection.deleted'],
      disabled: true,
    });
    airweave.addWebhook({ url: 'http://10.0.0.7/', filter_types: ['sync.failed'] });
    airweave.addWebhook({ filter_types: ['search.completed'] });

    const planned = await imports('--dry-run');
    assert.equal(planned.code, 0, planned.stderr);
    await isEmpty();
    for (const line of [
      /^Will be made:\n {2}collection support 'Support'\n/,
      /\n {2}connection 'Tickets' \(linear\) in support\n/,
      /\n {2}connection 'Ann's issues' \(jira\) in support\n {4}The setting zephyr_scale_api_token is left out, because jira has no such setting in Quarry/,
      /\nCannot be imported:\n {2}collection bad 'Bad'\n {4}Quarry refuses its name: /,
      /\n {2}connection 'Customers' \(hubspot\) in support\n {4}Quarry has no source 'hubspot' here\.\n/,
      /\n {2}connection 'Lost' \(linear\) in bad\n {4}Its collection 'bad' is not imported\.\n/,
      /\n {2}webhook https:\/\/hooks\.example\.com\/airweave \(sync\.completed\)\n {4}Quarry sends no sync\.cancelling\.\n/,
      /\n {2}webhook https:\/\/hooks\.invalid\/all \(all events\)\n/,
      /\n {2}webhook http:\/\/10\.0\.0\.7\/ \(sync\.failed\)\n {4}Quarry refuses its url: use an https URL\.\n/,
      /\n {2}webhook \S+ \(no event of Quarry\)\n {4}Quarry sends no search\.completed\.\n/,
    ])
      assert.match(planned.stdout, line);

    const done = await imports('--yes');
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^made the collection support 'Support'\nmade the connection 'Tick/);
    assert.deepEqual(await collectionIds(), ['support']);
    const [connection, ...others] = await all('source-connections');
    assert.deepEqual(others, []);
    assert.deepEqual(
      [connection.name, connection.description, connection.status, connection.schedule.cron],
      ['Tickets', 'What the team builds', 'PENDING_AUTH', '30 5 * * 1'],
    );
    assert.deepEqual([connection.sync.total_runs, connection.sync.last_job], [0, null]);
    const page = `${server.address}/collections/support/connections/${connection.id}`;
    assert.ok(done.stdout.includes(`'Tickets' (linear) in support\n    ${page}\n`), done.stdout);
    const webhooks = (await all('webhooks/subscriptions')).map((one) => [
      one.url,
      one.filter_types,
      one.disabled,
    ]);
    assert.deepEqual(webhooks, [
      ['https://hooks.example.com/off', ['collection.deleted'], true],
      ['https://hooks.invalid/all', [...EVENT_TYPES], false],
      ['https://hooks.example.com/airweave', ['sync.completed'], false],
    ]);
    for (const { id } of await all('webhooks/subscriptions')) {
      assert.ok(done.stdout.includes(`\n    ${server.address}/webhooks/${id}\n`), id);
      // The webhooks come last, so that they are not told of the import itself.
      const { body } = await server.call('GET', `/v1/webhooks/subscriptions/${id}`);
      assert.deepEqual(body.delivery_attempts, []);
    }
    assert.match(
      done.stdout,
      /quarry connect jira --name 'Ann'\\''s issues' --collection support --set project_keys=OPS,WEB\n/,
    );
    assert.ok(airweave.heard.every((line) => line.startsWith('GET ')));
    for (const text of [planned.stdout, planned.stderr, done.stdout, done.stderr])
      assert.doesNotMatch(text, new RegExp(`${AIRWEAVE_KEY}|hidden-value|whsec_`));

    const again = await imports('--yes');
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /^There is nothing to import that is not there\.\n/);
    assert.match(again.stderr, /Is in Quarry already, and is left alone:\n {2}collection support/);
    assert.ok(again.stdout.includes(`    ${page}\n`), 'the sign-in is still to be done');
    assert.equal((await all('source-connections')).length, 1);
    assert.equal((await all('webhooks/subscriptions')).length, 3);
  });

  it('prints commands that need nothing but the secret', async () => {
    airweave.addCollection({ name: 'Support', readable_id: 'support' });
    airweave.addConnection({
      name: 'Code; echo "$HOME"',
      description: 'Of the shop',
      short_name: 'github',
      readable_collection_id: 'support',
      config: { repo_name: 'acme/shop', branch: '', sync_pull_requests: true },
      schedule: { cron: '0 4 * * *' },
    });
    const { stdout } = await imports('--yes', '--url', server.address);
    const [command = ''] = /quarry connect github .*/.exec(stdout) ?? [];
    const program = join(dir.path, 'quarry');
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} -C quarry ${MAIN} "$@"\n`);
    chmodSync(program, 0o700);
    const typed = launch([], { ...env(), PATH: `${dir.path}:${process.env.PATH}` }, [
      ...['sh', '-c', `${command} --sign-in key`],
    ]);
    const { stderr } = await typed.exited;
    assert.match(
      stderr,
      /nobody can be asked without a terminal: give --secret-file token=<path>,/,
    );
    assert.doesNotMatch(stderr, /--set|--collection/);
    assert.match(
      command,
      / --description 'Of the shop' --cron '0 4 \* \* \*' --url http:\S+ --set repositories=acme\/shop --set kinds=files,pull_requests$/,
    );
  });

  it('keeps what Quarry can keep of schedules and settings, and tells the rest', async () => {
    airweave.addCollection({ name: 'Mail', readable_id: 'mail' });
    const made = (name: string, more: Partial<Parameters<typeof airweave.addConnection>[0]>) =>
      airweave.addConnection({ name, readable_collection_id: 'mail', auth: OAUTH, ...more });
    made('Wrong cron', { short_name: 'linear', schedule: { cron: '61 * * * *' } });
    made('No cron', { short_name: 'linear', schedule: {} });
    made('Live', { short_name: 'slack', schedule: { cron: '0 4 * * *' } });
    made('Mails', {
      short_name: 'gmail',
      config: { included_labels: ['inbox'], after_date: null },
    });
    made('Refused', { short_name: 'gmail', config: { excluded_categories: ['nonsense'] } });
    const done = await imports('--json', '--yes');
    assert.equal(done.code, 1, done.stderr);
    assert.match(
      done.stderr,
      /The schedule is not kept \('61 \* \* \* \*' is not a cron expression .*\)\. Quarry's own one takes its place\.\n/,
    );
    const results = JSON.parse(done.stdout);
    assert.deepEqual(
      results.map((one: any) => `${one.outcome} ${one.name}`),
      ['made Mail', 'made Wrong cron', 'made No cron', 'made Live', 'made Mails', 'failed Refused'],
    );
    assert.match(results[5].notes[0], /excluded_categories|Invalid option/);
    assert.match(
      results[1].sign_in_page,
      /^http:.*\/collections\/mail\/connections\/[-\da-f]{36}$/,
    );
    const connections = new Map((await all('source-connections')).map((one) => [one.name, one]));
    assert.deepEqual(
      ['Wrong cron', 'No cron', 'Live'].map((name) => connections.get(name).schedule.cron),
      ['*/5 * * * *', null, null],
    );
    assert.deepEqual(connections.get('Mails').config.included_labels, ['inbox']);
    assert.equal(connections.size, 4);
  });

  it('takes two things with one name for two, and makes neither again', async () => {
    airweave.addCollection({ name: 'Twins', readable_id: 'twins' });
    for (let i = 0; i < 2; i++) {
      airweave.addConnection({
        name: 'Same',
        short_name: 'linear',
        readable_collection_id: 'twins',
        auth: OAUTH,
      });
      airweave.addWebhook({ filter_types: ['sync.failed', 'sync.completed'] });
    }
    const planned = JSON.parse((await imports('--dry-run', '--json')).stdout);
    assert.deepEqual(
      planned.map(({ kind, outcome }: any) => `${outcome} ${kind}`),
      ['collection', ...Array(2).fill('source_connection'), ...Array(2).fill('webhook')].map(
        (kind) => `planned ${kind}`,
      ),
    );
    await isEmpty();
    const makes = async (made: number) => {
      const { code, stdout, stderr } = await imports('--yes');
      assert.equal(code, 0, stderr);
      assert.equal(stdout.match(/^made /gm)?.length ?? 0, made);
      assert.equal((await all('source-connections')).length, 2);
      assert.equal((await all('webhooks/subscriptions')).length, 2);
    };
    await makes(5);
    await makes(0);
    for (const path of ['source-connections', 'webhooks/subscriptions']) {
      const [one] = await all(path);
      await server.call('DELETE', `/v1/${path}/${one.id}`);
    }
    await makes(2);
  });

  it('reads all pages, and completes what a killed run has begun', async () => {
    const ids = Array.from({ length: 205 }, (_, i) => `shelf-${1000 + i}`);
    for (const readable_id of ids) airweave.addCollection({ name: readable_id, readable_id });
    const killed = launch(words('--yes'), env());
    await until(() => killed.output.stdout.includes('made the collection'));
    killed.child.kill('SIGKILL');
    await killed.exited;
    const before = (await collectionIds()).length;
    assert.ok(before > 0 && before < ids.length, String(before));
    const { code, stdout, stderr } = await imports('--yes');
    assert.equal(code, 0, stderr);
    assert.equal(stdout.match(/^made /gm)?.length, ids.length - before);
    assert.deepEqual(await collectionIds(), ids);
  });

  describe('when Airweave is busy or fails', () => {
    const limited = (seconds: string) => ({
      status: 429,
      body: { detail: 'Rate limit exceeded' },
      headers: { 'retry-after': seconds },
    });
    const broken = { status: 500, body: { detail: 'database is gone' } };
    const withOne = () => {
      airweave.addCollection({ name: 'Support', readable_id: 'support' });
      return `/source-connections/${airweave.addConnection({ readable_collection_id: 'support' }).id}`;
    };

    it('waits for a limit as long as it is asked to, within two minutes', async () => {
      const path = withOne();
      airweave.fail(path, limited('1'));
      const short = await imports('--yes');
      assert.equal(short.code, 0, short.stderr);
      assert.match(short.stderr, /Airweave takes no more requests for now: the next try .* in 1 s/);
      assert.equal(airweave.heard.filter((line) => line === `GET ${path}`).length, 2);
      airweave.fail('/collections', limited('3600'));
      const long = await imports('--yes');
      assert.equal(long.code, 1);
      assert.match(long.stderr, /takes no more requests for 3600 s\. Nothing was imported: run/);
    });

    it('tries failures again, and makes nothing when they stay', async () => {
      const path = withOne();
      airweave.fail(path, broken, 5);
      const failed = await imports('--yes');
      assert.equal(failed.code, 1);
      assert.match(
        failed.stderr,
        /quarry: Airweave has answered 500 to GET \S+ 5 times \(database is gone\)\. Nothing was imported: look into its log, and run the command again\n$/,
      );
      await isEmpty();
      airweave.fail(path, broken, 1);
      const passed = await imports('--yes');
      assert.equal(passed.code, 0, passed.stderr);
      assert.deepEqual(await collectionIds(), ['support']);
    });

    it('goes on without a connection that is gone, and without webhooks where there are none', async () => {
      const path = withOne();
      const gone = { status: 404, body: { detail: 'Not found' } };
      airweave.fail(path, gone);
      airweave.fail('/webhooks/subscriptions', gone);
      const { code, stdout, stderr } = await imports('--dry-run');
      assert.equal(code, 0, stderr);
      assert.match(stderr, /this Airweave has no webhooks, so none are imported\n/);
      assert.equal(stdout, "Will be made:\n  collection support 'Support'\n\n");
    });
  });

  describe('the address and the key', () => {
    it('that are wrong are named with what to do, and the key is never shown', async () => {
      const cases: [string[], RegExp][] = [
        [['localhost:8001'], /'localhost:8001' is not an address: give that of Airweave's API/],
        [['http://ann:pw@localhost:8001'], /leave user and password out of the address/],
        [['http://127.0.0.1:2'], /no Airweave answers at http:\/\/127\.0\.0\.1:2 \(ECONNREFUSED\)/],
        [
          [server.address],
          /does not answer as Airweave's API does \(.*\): give the address of the/,
        ],
        [
          [airweave.address, 'wrong-key-0123'],
          /Airweave refuses the key \(Invalid or expired API key …\): give one of 'API Keys'/,
        ],
        [
          [airweave.address, 'two\nlines'],
          /the key of Airweave has characters that cannot be sent/,
        ],
      ];
      for (const [args, message] of cases) {
        const { code, stdout, stderr } = await runToEnd(['import', 'airweave', ...args], env());
        assert.deepEqual([code, stdout], [1, ''], stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /wrong-key-0123|two.lines/);
      }
    });

    it('of another service are recognized, whatever it answers', async () => {
      for (const body of ['<html>Airweave</html>', { collections: [] }, [{ id: 1 }]]) {
        airweave.fail('/collections', { status: 200, body });
        const { code, stderr } = await imports('--yes');
        assert.equal(code, 1);
        assert.match(
          stderr,
          /^quarry: the server at \S+ does not answer as Airweave's API does \(/,
        );
      }
    });

    it('lead to nowhere else: no redirect to another server is followed', async () => {
      const stranger = await openAirweaveServer();
      try {
        const headers = { location: `${stranger.address}/collections` };
        airweave.fail('/collections', { status: 307, body: {}, headers });
        const { code, stderr } = await imports('--yes');
        assert.equal(code, 1);
        assert.match(
          stderr,
          /no Airweave answers at \S+ \(redirects to http:\S+\): check the address/,
        );
        assert.deepEqual(stranger.heard, []);
      } finally {
        stranger.close();
      }
    });

    it('are told when the key is sent where others can read it', async () => {
      const open = await runToEnd(['import', 'airweave', 'http://airweave.invalid/'], env());
      assert.match(
        open.stderr,
        /^the key goes to http:\/\/airweave\.invalid unencrypted, where others can read it/,
      );
      const own = await imports('--dry-run');
      assert.doesNotMatch(own.stderr, /unencrypted/);
    });

    it('come from an argument, or from standard input', async () => {
      const { AIRWEAVE_API_KEY: _, ...keyless } = env();
      const none = await runToEnd(words('--dry-run'), keyless);
      assert.equal(none.code, 1);
      assert.match(none.stderr, /no key of Airweave: set AIRWEAVE_API_KEY, or give - as the key/);
      const given = await runToEnd(words(AIRWEAVE_KEY, '--dry-run'), keyless);
      assert.equal(given.code, 0, given.stderr);
      const piped = launch(words('-', '--dry-run'), keyless, [
        ...['sh', '-c', `printf '%s\\n' '${AIRWEAVE_KEY}' | "$@"`, 'sh'],
      ]);
      assert.equal((await piped.exited).code, 0, piped.output.stderr);
    });
  });

  it('stops when Quarry refuses the key, and says how to go on', async () => {
    airweave.addCollection({ name: 'Support', readable_id: 'support' });
    const { body } = await server.call('POST', '/v1/api-keys', { name: 'Reads', role: 'read' });
    const reader = await runToEnd(words('--yes'), { ...env(), QUARRY_API_KEY: body.key });
    assert.equal(reader.code, 1);
    assert.match(
      reader.stderr,
      /\nquarry: .*member.*\. What was imported stays: run the command again to complete it\n$/,
    );
    const told = await runToEnd(words('--yes', '--json'), { ...env(), QUARRY_API_KEY: body.key });
    assert.deepEqual([told.code, JSON.parse(told.stdout)], [1, []]);
    await isEmpty();
  });

  it('asks before it makes anything, and makes nothing without a yes', async () => {
    airweave.addCollection({ name: 'Support', readable_id: 'support' });
    const deaf = await imports();
    assert.equal(deaf.code, 1);
    assert.match(deaf.stderr, /cannot be confirmed without a terminal: give --yes, or --dry-run/);
    await isEmpty();
    const { AIRWEAVE_API_KEY: _, ...keyless } = env();
    const stopped = runAtTerminal(words(), keyless);
    await stopped.sees(/Key of Airweave \(hidden\): /);
    stopped.type(CTRL_C);
    assert.equal(await stopped.exited, 130);
    const unsure = runAtTerminal(words(), keyless);
    await unsure.answer(/Key of Airweave \(hidden\): /, AIRWEAVE_KEY);
    await unsure.answer(/Make 1 collection\? \[y\/N\] /, 'n');
    assert.equal(await unsure.exited, 1);
    assert.match(unsure.text(), /nothing was imported/);
    assert.ok(!unsure.text().includes(AIRWEAVE_KEY));
    await isEmpty();
    const sure = runAtTerminal(words(), env());
    await sure.answer(/Make 1 collection\? \[y\/N\] /, 'y');
    assert.equal(await sure.exited, 0);
    assert.deepEqual(await collectionIds(), ['support']);
  });
});
