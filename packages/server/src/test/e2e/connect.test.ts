/**
 * Runs `quarry connect` as a process of its own, with and without a terminal, against a service with a provider beside it.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { push } from '../../sources/catalog/push.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openBrowser } from '../sign-in/browser.ts';
import { openSignInHouse, type SignInHouse } from '../sign-in/house.ts';
import { CLIENTS, PASTED_KEY, ROBOT_TOKEN } from '../sign-in/provider.ts';
import { json } from '../sign-in/token-peer.ts';
import { until } from '../until.ts';
import { launch, tempDir } from './process.ts';
import { CTRL_C, runAtTerminal } from './terminal.ts';

const [sqlite] = DATABASES;
const KEY = PASTED_KEY;

describe('quarry connect', () => {
  let house: SignInHouse;
  let dir: ReturnType<typeof tempDir>;
  let keyFile: string;
  before(async () => {
    house = await openSignInHouse(must(sqlite), { moreSources: async () => [push] });
    dir = tempDir();
    keyFile = join(dir.path, 'notebook.key');
    writeFileSync(keyFile, `${KEY}\n`);
  });
  after(async () => {
    await house.close();
    dir.remove();
  });
  beforeEach(() => {
    Object.assign(house.provider, { denies: false, leavesOut: [], person: 'ann@example.com' });
  });

  const env = (key = house.key) => ({
    QUARRY_API_KEY: key,
    QUARRY_HOST: '127.0.0.1',
    QUARRY_PORT: new URL(house.origin).port,
  });
  const ends: (() => boolean)[] = [];
  const started = (...how: Parameters<typeof launch>) => {
    const run = launch(...how);
    ends.push(() => run.child.kill('SIGKILL'));
    return run;
  };
  const command = (...args: string[]) => started(['connect', ...args], env());
  const terminal = (args: readonly string[], more: Record<string, string> = {}) => {
    const run = runAtTerminal(['connect', ...args], { ...env(), ...more });
    ends.push(run.end);
    return run;
  };
  // The commands of a test that has failed would wait for a sign-in or an answer, and the tests for their end.
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  const stored = async () => ({
    collections: (await house.ok('GET', '/v1/collections?limit=1000')).length,
    connections: (await house.ok('GET', '/v1/source-connections?limit=1000')).length,
  });
  const newest = async () => (await house.ok('GET', '/v1/source-connections?limit=1'))[0];

  describe('without a terminal', () => {
    it('connects with flags alone, follows the first sync, and prints JSON', async () => {
      const { exited } = command(
        ...['notebook', '--sign-in', 'key', '--secret-file', `key=${keyFile}`],
        ...['--set', 'project=weir', '--name', 'By flags', '--new-collection', 'Flags', '--json'],
        ...['--description', 'What the team writes', '--cron', '15 4 * * 1'],
      );
      const { code, stdout, stderr } = await exited;
      assert.equal(code, 0, stderr);
      const shown = JSON.parse(stdout);
      assert.deepEqual(
        [shown.name, shown.status, shown.config, shown.auth.account, shown.entities.total_entities],
        ['By flags', 'ACTIVE', { project: 'weir' }, 'robot', 2],
      );
      assert.deepEqual(
        [shown.description, shown.schedule.cron],
        ['What the team writes', '15 4 * * 1'],
      );
      assert.match(shown.readable_collection_id, /^flags-/);
      assert.match(stderr, /COMPLETED in .*: 2 inserted/);
      assert.ok(!`${stdout}${stderr}`.includes(KEY));
    });

    it('takes a secret from standard input', async () => {
      const { child, exited } = started(
        [
          ...['connect', 'notebook', '--sign-in', 'key', '--secret-file', 'key=-'],
          ...['--new-collection', 'Piped'],
        ],
        env(),
        ['sh', '-c', `printf '%s\\n' '${KEY}' | "$@"`, 'sh'],
      );
      const { code, stderr } = await exited;
      assert.equal(code, 0, stderr);
      assert.ok(child.pid);
      assert.equal((await newest()).auth.authenticated, true);
    });

    const refusals: [string, string[], RegExp][] = [
      [
        'an unknown source',
        ['fax'],
        /the source 'fax' does not exist: 'quarry list sources' names all 5\n/,
      ],
      [
        'a source with several ways',
        ['notebook'],
        /say how to sign in to Notebook: --sign-in key or browser/,
      ],
      [
        'a way that the source does not have',
        ['notebook', '--sign-in', 'service-account'],
        /Notebook has no sign-in by 'service-account': use --sign-in key or browser/,
      ],
      [
        'what is missing',
        ['notebook', '--sign-in', 'key'],
        /nobody can be asked without a terminal: give --secret-file key=<path>, --collection <readable_id> or --new-collection <name>, or run this in a terminal/,
      ],
      [
        'a missing client',
        ['own_notebook', '--sign-in', 'browser', '--new-collection', 'Mine'],
        /give --client-id <id>, or run/,
      ],
      [
        'a secret among the arguments',
        ['notebook', '--sign-in', 'key', '--set', 'key=abc'],
        /key is a secret, and other users of this machine see arguments: give --secret-file key=<path>/,
      ],
      [
        'a field that does not exist',
        ['notebook', '--sign-in', 'key', '--set', 'colour=red'],
        /notebook has no field 'colour' here; it has key, project/,
      ],
      [
        'a flag of another form',
        ['notebook', '--sign-in', 'key', '--set', 'project'],
        /--set takes <field>=<value>/,
      ],
      [
        'a file that cannot be read',
        ['notebook', '--sign-in', 'key', '--secret-file', 'key=/nowhere'],
        /\/nowhere cannot be read \(ENOENT/,
      ],
      [
        'two collections',
        ['notebook', '--collection', 'a', '--new-collection', 'b'],
        /'--new-collection <name>' cannot be used with option '-c, --collection <readable_id>'/,
      ],
      [
        'the wrong name of a new collection',
        ['notebook', '--sign-in', 'key', '--secret-file', 'key=FILE', '--new-collection', 'b'],
        /quarry: name: use at least 4 characters/,
      ],
      [
        'a collection that does not exist',
        ['notebook', '--sign-in', 'key', '--secret-file', 'key=FILE', '--collection', 'nope'],
        /quarry: the collection 'nope' does not exist: give another one, or --new-collection <name> to make one\n/,
      ],
      ['a time that is none', ['notebook', '--wait', 'long'], /not a number of minutes above 0/],
    ];
    for (const [what, args, message] of refusals)
      it(`names ${what}, and makes nothing`, async () => {
        const nothing = await stored();
        const { code, stdout, stderr } = await command(
          ...args.map((arg) => arg.replace('FILE', keyFile)),
        ).exited;
        assert.deepEqual([code, stdout], [1, '']);
        assert.match(stderr, message);
        assert.deepEqual(await stored(), nothing);
      });

    it('a wrong key and a wrong field leave nothing behind, not even the new collection', async () => {
      const nothing = await stored();
      const wrong = join(dir.path, 'wrong.key');
      writeFileSync(wrong, 'wrong-key-of-nobody');
      const flags = ['notebook', '--sign-in', 'key', '--new-collection', 'Gone'];
      const key = await command(...flags, '--secret-file', `key=${wrong}`).exited;
      assert.equal(key.code, 1);
      assert.match(
        key.stderr,
        /quarry: .*answered 401.*: check the credentials that --secret-file and --set give\n/,
      );
      assert.ok(!key.stderr.includes('wrong-key-of-nobody'));
      const short = await command(...flags, '--secret-file', `key=${keyFile}`, '--name', 'x')
        .exited;
      assert.equal(short.code, 1);
      assert.match(short.stderr, /quarry: name: use at least 4 characters\n$/);
      assert.deepEqual(await stored(), nothing);
    });

    it('prints a link for the browser, and goes on when somebody has signed in', async () => {
      const { output, exited } = command(
        ...['notebook', '--sign-in', 'browser', '--new-collection', 'Linked', '--no-open'],
      );
      const [link] = await until(() => /^http\S+authorize\S+$/m.exec(output.stderr));
      assert.match(output.stderr, /asks Notebook for these permissions: notes:read people:read/);
      await openBrowser().open(link);
      const { code, stdout, stderr } = await exited;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /waiting for the sign-in in the browser\n/);
      assert.match(stderr, /Signed in as ann@example\.com\.\n/);
      assert.match(stdout, /^COMPLETED in .*: 2 inserted/);
    });

    it('says why no sync follows for a source that is pushed, or searched live', async () => {
      const pushed = await command('push', '--new-collection', 'Pushed').exited;
      const { id } = await newest();
      assert.deepEqual([pushed.code, pushed.stdout], [0, '']);
      assert.ok(
        pushed.stderr.endsWith(
          `Your own programs send its records: POST /v1/source-connections/${id}/entities\n`,
        ),
        pushed.stderr,
      );
      const { output, exited } = command('live_notebook', '--new-collection', 'Live', '--no-open');
      const [link] = await until(() => /^http\S+authorize\S+$/m.exec(output.stderr));
      await openBrowser().open(link);
      const { code, stderr } = await exited;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Connected .*\nSearches ask it at once, so no sync copies it\.\n$/);
    });

    it('a sign-in that fails or takes too long leaves nothing behind', async () => {
      const nothing = await stored();
      const flags = ['notebook', '--sign-in', 'browser', '--new-collection', 'Gone', '--no-open'];
      house.provider.denies = true;
      const denied = command(...flags);
      const [link] = await until(() => /^http\S+authorize\S+$/m.exec(denied.output.stderr));
      await openBrowser().open(link);
      const refused = await denied.exited;
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /quarry: The person said <no>\.\n$/);
      const late = await command(...flags, '--wait', '0.01').exited;
      assert.equal(late.code, 1);
      assert.match(late.stderr, /quarry: nobody signed in within 0\.01 minutes\n$/);
      assert.deepEqual(await stored(), nothing);
    });

    it('a signal leaves nothing behind, also when another one comes with it', async () => {
      const nothing = await stored();
      for (const signals of [['SIGINT'], ['SIGTERM'], ['SIGINT', 'SIGTERM']] as const) {
        const { child, output, exited } = command(
          ...['notebook', '--sign-in', 'browser', '--new-collection', 'Gone', '--no-open'],
        );
        await until(() => output.stderr.includes('waiting for'));
        for (const signal of signals) child.kill(signal);
        const { code, stderr } = await exited;
        assert.equal(code, 130);
        assert.match(stderr, /\ninterrupted: nothing is connected\n$/);
        assert.deepEqual(await stored(), nothing);
      }
    });

    it('leaves nothing behind when nobody reads its messages any more', async () => {
      const nothing = await stored();
      const { child, output, exited } = command(
        ...['notebook', '--sign-in', 'browser', '--new-collection', 'Gone', '--no-open'],
      );
      await until(() => output.stderr.includes('waiting for'));
      const [link = ''] = /^http\S+authorize\S+$/m.exec(output.stderr) ?? [];
      child.stderr.destroy();
      // The next message, which cannot be written, tells who has signed in.
      await openBrowser().open(link);
      assert.equal((await exited).code, 130);
      assert.deepEqual(await stored(), nothing);
    });

    it('what cannot be removed is named, with how to remove it', async () => {
      const made = await house.ok('POST', '/v1/api-keys', { name: 'brief', role: 'member' });
      const { output, exited } = started(
        [
          ...['connect', 'notebook', '--sign-in', 'browser'],
          ...['--new-collection', 'Left over', '--no-open'],
        ],
        env(made.key),
      );
      await until(() => output.stderr.includes('waiting for'));
      const { id, readable_collection_id } = await newest();
      await house.ok('DELETE', `/v1/api-keys/${made.id}`);
      const { code, stderr } = await exited;
      assert.equal(code, 1);
      assert.ok(
        stderr.includes(`: DELETE /v1/source-connections/${id} removes it\n`) &&
          stderr.includes(`: DELETE /v1/collections/${readable_collection_id} removes it\n`),
        stderr,
      );
      await house.ok('DELETE', `/v1/collections/${readable_collection_id}`);
    });
  });

  describe('at a terminal', () => {
    it('asks for the key without showing it, again after a wrong one, and lists what can be chosen', async () => {
      await house.ok('POST', '/v1/collections', { name: 'Old notes', readable_id: 'old-notes' });
      const run = terminal(['notebook']);
      await run.sees(/Notebook: Notes behind a provider\./);
      await run.sees(
        /1 {2}with a key or a password \(key\)\s+2 {2}in a browser, as yourself \(browser\)/,
      );
      await run.answer(/Number \[1\]: /, '3');
      await run.answer(
        /'3' is not one of them: give a number from 1 to 2\.\s+Number \[1\]: /,
        '=browser',
      );
      await run.answer(/'=browser' is not one of them.*\s+Number \[1\]: /, '');
      await run.sees(/Key\s+Of the notebook/);
      await run.answer(/Key \(hidden\): /, 'wrong-key-of-nobody');
      await run.sees(/The values cannot be listed: .*answered 401/);
      await run.answer(/Key \(hidden\): /, '');
      await run.answer(/A value is needed\.\s+Key \(hidden\): /, KEY);
      await run.sees(
        /Project \(optional\)\s+One of them\s+1 {2}HERON \(heron\)\s+2 {2}WEIR \(weir\)/,
      );
      await run.answer(/nothing leaves it open: /, 'swan');
      await run.sees(/Nothing contains 'swan'\./);
      await run.answer(/nothing leaves it open: /, 'eir');
      await run.sees(/1 {2}WEIR \(weir\)/);
      await run.answer(/nothing leaves it open: /, '1');
      await run.answer(/Name of the connection \[Notebook\]: /, 'My heron');
      await run.sees(/Collection\s+The records go/);
      await run.answer(/=value: /, 'Old no');
      await run.sees(/1 {2}Old notes \(old-notes\)\s+2 {2}a new collection/);
      await run.answer(/=value: /, '1');
      await run.sees(/Connected 'My heron' \(\S+\) to the collection old-notes\./);
      await run.sees(/COMPLETED in .*: 2 inserted/);
      assert.equal(await run.exited, 0);
      const { name, config, readable_collection_id } = await newest();
      assert.deepEqual(
        [name, config, readable_collection_id],
        ['My heron', { project: 'weir' }, 'old-notes'],
      );
      assert.ok(!run.text().includes(KEY) && !run.text().includes('wrong-key'), run.text());
    });

    it('names a collection that does not exist before it asks anything', async () => {
      const run = terminal(['notebook', '--collection', 'nope']);
      await run.sees(/quarry: the collection 'nope' does not exist/);
      assert.equal(await run.exited, 1);
      assert.doesNotMatch(run.text(), /sign in/);
    });

    it('asks for another name of the collection and of the connection when the service refuses them', async () => {
      const run = terminal(['notebook', '--new-collection', 'b', '--name', 'x']);
      await run.answer(/Number \[1\]: /, 'key');
      await run.answer(/Key \(hidden\): /, KEY);
      await run.answer(/nothing leaves it open: /, '=weir');
      await run.answer(
        /name: use at least 4 characters\s+Name of the new collection \[Notebook\]: /,
        'Better name',
      );
      await run.answer(
        /This was refused: name: use at least 4 characters\s+Name of the connection: /,
        'Better connection',
      );
      await run.sees(/Connected 'Better connection' \(\S+\) to the collection better-name-/);
      await run.sees(/COMPLETED in /);
      assert.equal(await run.exited, 0);
      assert.deepEqual((await newest()).config, { project: 'weir' });
    });

    it('takes a service account by the path of its key', async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const path = join(dir.path, 'account.json');
      const account = {
        client_email: 'robot@example.iam.gserviceaccount.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${house.provider.url}/robot`,
      };
      writeFileSync(path, JSON.stringify(account));
      const granted = { access_token: ROBOT_TOKEN, token_type: 'Bearer', expires_in: 3600 };
      const grant = (response: Parameters<typeof json>[0]) => json(response, 200, granted);
      house.provider.instead.set('/robot', [grant, grant, grant]);
      const run = terminal(['robot_notebook', '--collection', 'old-notes', '--name', 'Robot']);
      await run.answer(/Path of the file: /, join(dir.path, 'nowhere.json'));
      await run.answer(/cannot be read \(ENOENT.*\)\s+Path of the file: /, path);
      await run.answer(/Project \[all\]: /, '');
      await run.sees(/COMPLETED in /);
      assert.equal(await run.exited, 0);
      assert.deepEqual((await newest()).config, { project: 'all' });
      assert.ok(!run.text().includes('PRIVATE KEY'));
    });

    it('opens the link without showing it to other users, and lets the account choose', async () => {
      const bin = join(dir.path, 'bin');
      const opened = join(dir.path, 'opened');
      mkdirSync(bin);
      writeFileSync(
        join(bin, 'xdg-open'),
        `#!/bin/sh\ncp "$1" "${opened}.html"\necho "$1" > "${opened}"\n`,
      );
      chmodSync(join(bin, 'xdg-open'), 0o755);
      const run = terminal(['notebook', '--sign-in', 'browser'], {
        DISPLAY: ':0',
        PATH: `${bin}:${process.env.PATH}`,
        TMPDIR: dir.path,
      });
      await run.answer(/Name of the connection \[Notebook\]: /, '');
      await run.answer(/=value: /, '+');
      await run.answer(/Name of the new collection \[Notebook\]: /, '');
      const [link] = await run.sees(/http\S+authorize\S+/);
      await run.sees(/It opens in your browser\./);
      const file = await until(() => existsSync(opened) && readFileSync(opened, 'utf8').trim());
      assert.doesNotMatch(file, /authorize/);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.ok(readFileSync(`${opened}.html`, 'utf8').includes(`url=${link}"`));
      await run.sees(/waiting for the sign-in in the browser, for 40 more minutes/);
      await openBrowser().open(link);
      await run.sees(/Signed in as ann@example\.com\./);
      assert.equal(existsSync(file), false);
      await run.answer(/nothing leaves it open: /, 'weir');
      await run.sees(/COMPLETED in .*: 2 inserted/);
      assert.equal(await run.exited, 0);
      const { config, auth, name } = await newest();
      assert.deepEqual(
        [config, auth.account, name],
        [{ project: 'weir' }, 'ann@example.com', 'Notebook'],
      );
    });

    it('says what to register where the operator has no client, and takes the one of the user', async () => {
      const run = terminal([
        'own_notebook',
        '--sign-in',
        'browser',
        '--collection',
        'old-notes',
        '--no-open',
      ]);
      const callback = `${house.origin}/v1/source-connections/callback`;
      await run.sees(
        new RegExp(
          `redirect address {2}${callback}\\s+scopes {12}notes:read people:read offline_access`,
        ),
      );
      await run.answer(/Client id: /, CLIENTS.basic.id);
      await run.answer(
        /Client secret, nothing for a public client \(hidden\): /,
        CLIENTS.basic.secret,
      );
      await run.answer(/Name of the connection/, 'Own notebook');
      const [link] = await run.sees(/http\S+authorize\S+/);
      await openBrowser().open(link);
      await run.answer(/nothing leaves it open: /, '');
      await run.sees(/COMPLETED in /);
      assert.equal(await run.exited, 0);
      assert.ok(!run.text().includes(CLIENTS.basic.secret));
    });

    it('says why a sign-in was refused, and gives a new link', async () => {
      const nothing = await stored();
      house.provider.denies = true;
      const args = [
        'notebook',
        '--sign-in',
        'browser',
        '--new-collection',
        'Retry',
        '--name',
        'Retry',
      ];
      const run = terminal([...args, '--no-open']);
      const [first] = await run.sees(/http\S+authorize\S+/);
      await openBrowser().open(first);
      await run.answer(/The person said <no>\.\s+Try again with a new link\? \[yes\]: /, '');
      const [second] = await run.sees(/http\S+authorize\S+/);
      assert.notEqual(second, first);
      await openBrowser().open(second);
      await run.answer(/Try again with a new link\? \[yes\]: /, 'no');
      await run.sees(/quarry: nobody has signed in/);
      assert.equal(await run.exited, 1);
      assert.deepEqual(await stored(), nothing);
    });

    it('Ctrl-C leaves nothing behind, at a question and while it waits', async () => {
      const nothing = await stored();
      const asking = terminal(['notebook', '--sign-in', 'key']);
      await asking.sees(/Key \(hidden\): /);
      asking.type(`half a se${CTRL_C}`);
      await asking.sees(/interrupted: nothing is connected/);
      assert.equal(await asking.exited, 130);
      assert.ok(!asking.text().includes('half'));
      const args = [
        'notebook',
        '--sign-in',
        'browser',
        '--new-collection',
        'Gone',
        '--name',
        'Gone',
      ];
      const waiting = terminal([...args, '--no-open']);
      await waiting.sees(/waiting for the sign-in/);
      waiting.type(`x${CTRL_C}`);
      await waiting.sees(/interrupted: nothing is connected/);
      assert.equal(await waiting.exited, 130);
      assert.deepEqual(await stored(), nothing);
    });

    it('Ctrl-C does not claim that nothing is connected when something could not be removed', async () => {
      const made = await house.ok('POST', '/v1/api-keys', { name: 'brief', role: 'member' });
      house.provider.denies = true;
      const run = terminal(
        [
          ...['notebook', '--sign-in', 'browser', '--new-collection', 'Left over'],
          ...['--name', 'Left over', '--no-open'],
        ],
        { QUARRY_API_KEY: made.key },
      );
      const [link] = await run.sees(/http\S+authorize\S+/);
      await openBrowser().open(link);
      await run.sees(/Try again with a new link\? \[yes\]: /);
      const { readable_collection_id } = await newest();
      await house.ok('DELETE', `/v1/api-keys/${made.id}`);
      run.type(CTRL_C);
      await run.sees(/DELETE \/v1\/collections\/left-over-\S+ removes it\s+interrupted\s*$/);
      assert.equal(await run.exited, 130);
      await house.ok('DELETE', `/v1/collections/${readable_collection_id}`);
    });

    it('a terminal that is closed leaves nothing behind, at a question and while it waits', async () => {
      const nothing = await stored();
      const asking = terminal(['notebook', '--sign-in', 'key', '--new-collection', 'Gone']);
      await asking.sees(/Key \(hidden\): /);
      await asking.hangUp();
      assert.deepEqual(await stored(), nothing);
      const args = ['notebook', '--sign-in', 'browser', '--new-collection', 'Gone'];
      const waiting = terminal([...args, '--name', 'Gone', '--no-open']);
      await waiting.sees(/waiting for the sign-in/);
      assert.notDeepEqual(await stored(), nothing);
      await waiting.hangUp();
      assert.deepEqual(await stored(), nothing);
    });
  });
});
