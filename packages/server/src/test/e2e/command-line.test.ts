/** Tests the commands that people use every day, as processes against a running service. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../until.ts';
import { launch, runToEnd, type Server, startServer, tempDir } from './process.ts';

describe('the command line of people', () => {
  let dir: ReturnType<typeof tempDir>;
  let server: Server;
  let key = '';
  before(async () => {
    dir = tempDir();
    server = await startServer(dataDir(), { env: {} });
    key = readFileSync(join(dataDir(), 'command.key'), 'utf8').trim();
    folder('bills', { 'plumber.md': '# Plumber\n\nThe tap cost 240 euros in March.\n' });
    folder('recipes', { 'soup.md': '# Onion soup\n\nFry four onions for half an hour.\n' });
  });
  after(async () => {
    await server.kill();
    dir.remove();
  });

  const dataDir = () => join(dir.path, 'data');
  const quarry = (...args: string[]) => runToEnd(args, { QUARRY_DATA_DIR: dataDir() });
  const call = async (path: string) => {
    const response = await fetch(`${server.address}${path}`, { headers: { 'x-api-key': key } });
    return (await response.json()) as any;
  };

  function folder(name: string, files: Readonly<Record<string, string>>): string {
    const path = join(dir.path, name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  }

  it('adds folders to one collection, which it makes for the first', async () => {
    const none = await quarry('list');
    assert.deepEqual([none.code, none.stdout], [0, 'Nothing is here yet: quarry add ~/notes\n']);
    const first = await quarry('add', join(dir.path, 'bills'));
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^COMPLETED in .*: 1 inserted\n/);
    assert.match(first.stderr, /Connected 'bills' \(.*\) to the collection everything\.\n/);
    const second = await quarry('add', join(dir.path, 'recipes'), '--name', 'What we cook');
    assert.equal(second.code, 0, second.stderr);
    const listed = await quarry('list');
    assert.match(
      listed.stdout,
      /^everything {2}Everything\n( {2}(What we cook|bills {7}) {2}files {2}1 record {2}[-\da-f]{36}\n){2}$/,
    );
    const [collection] = JSON.parse((await quarry('list', 'everything', '--json')).stdout);
    assert.deepEqual(
      collection.connections.map(({ config }: { config: { path: string } }) => config.path).sort(),
      [join(dir.path, 'bills'), join(dir.path, 'recipes')],
    );
  });

  it('adds a folder once, unless another collection is named', async () => {
    const before = await call('/v1/source-connections');
    const again = await quarry('add', join(dir.path, 'bills'));
    assert.equal(again.code, 0);
    assert.match(again.stderr, /^'bills' in the collection everything reads this folder already/);
    const renamed = await quarry('add', join(dir.path, 'bills'), '--name', 'Invoices');
    assert.equal(renamed.code, 1);
    assert.match(renamed.stderr, /reads this folder already, and was not changed/);
    assert.deepEqual(await call('/v1/source-connections'), before);
  });

  it('knows a folder that was connected with a slash at its end', async () => {
    const slashed = folder('slashed', { 'a.md': 'A note.\n' });
    const made = await fetch(`${server.address}/v1/source-connections`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ name: 'Slashed', short_name: 'files', readable_collection_id: 'everything' },
        config: { path: `${slashed}/` },
      }),
    });
    assert.equal(made.status, 200, await made.text());
    const again = await quarry('add', slashed);
    assert.match(again.stderr, /^'Slashed' in the collection everything reads this folder already/);
    const removed = await quarry('rm', slashed, '--yes');
    assert.match(removed.stdout, /^deleted the connection 'Slashed'/);
  });

  it('says which files were left out, and why', async () => {
    const mixed = folder('mixed', { 'a.md': 'A note.\n', 'safe.kdbx': 'secret', '.env': 'KEY=1' });
    const added = await quarry('add', mixed, '--new-collection', 'Mixed');
    assert.match(added.stderr, /Connected 'mixed'/);
    const [, id = ''] = /what was skipped: quarry skipped (\S+)/.exec(added.stdout) ?? [];
    const skipped = await quarry('skipped', id);
    assert.match(skipped.stdout, /^safe\.kdbx {2}left out as secrets/m);
    assert.match(skipped.stdout, /^\.env {2}left out as secrets.*\n {2}\S/m);
    const json = JSON.parse((await quarry('skipped', 'mixed', '--json')).stdout);
    assert.deepEqual(json.map(({ entity_id }: { entity_id: string }) => entity_id).sort(), [
      '.env',
      'safe.kdbx',
    ]);
    assert.equal((await quarry('skipped', 'bills')).stdout, 'Nothing was left out.\n');
    assert.equal((await quarry('rm', 'mixed', '--yes')).code, 0);
    // Without a question, only a connection is meant.
    assert.match((await quarry('rm', 'Mixed', '--yes')).stderr, /no connection is called 'Mixed'/);
    const asked = await quarry('rm', 'Mixed');
    assert.match(asked.stderr, /cannot be confirmed without a terminal/);
    const removed = await quarry('rm', 'Mixed', '--collection', '--yes');
    assert.match(removed.stdout, /^deleted the collection mixed/);
  });

  it('adds nothing that it does not understand, and says what it could be', async () => {
    const before = await call('/v1/source-connections');
    const cases: [string[], RegExp][] = [
      [[join(dir.path, 'bills/plumber.md')], /plumber\.md is a file: add the folder that it is in/],
      [[join(dir.path, 'nothing')], /the folder .*nothing does not exist/],
      [['githb'], /no folder 'githb' here, and no source is called so; did you mean 'github'\?/],
      [['ftp://example.org/x'], /ftp:\/\/ is not known: give a folder, postgres:/],
      [['postgres://nobody:wrong@127.0.0.1:1/shop'], /127\.0\.0\.1/],
      [['linear'], /say how to sign in to Linear: --sign-in key or browser/],
    ];
    for (const [args, message] of cases) {
      const refused = await quarry('add', ...args);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, message);
    }
    assert.equal((await call('/v1/source-connections')).length, before.length);
  });

  it('finds a connection by its name, by a part of it and by its folder', async () => {
    for (const name of ['What we cook', 'what WE cook', 'cook', join(dir.path, 'recipes')]) {
      const synced = await quarry('sync', name);
      assert.equal(synced.code, 0, name);
      assert.match(synced.stdout, /^COMPLETED .*: 1 kept\n/);
    }
    const wrong = await quarry('sync', 'bils');
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /no connection is called 'bils'; did you mean 'bills'\?/);
    const several = await quarry('sync', 'files');
    assert.match(
      several.stderr,
      /2 connections fit 'files': give the id of one of them:\n {2}\S+ /,
    );
  });

  it('searches all collections or one, and shows where the words are', async () => {
    const found = await quarry('search', 'tap', 'euros', '--limit', '1');
    assert.equal(found.code, 0, found.stderr);
    assert.equal(
      found.stdout.replace(/just now|\d+ (s|min) ago/, 'T'),
      `1. plumber.md  everything › Plumber › T\n   ${join(dir.path, 'bills/plumber.md')}\n   The tap cost 240 euros in March.\n`,
    );
    const json = JSON.parse((await quarry('search', 'onions', '--json')).stdout);
    assert.equal(json.results[0].metadata.name, 'soup.md');
    const one = await quarry('search', 'onions', '--collection', 'everything', '-n', '1');
    assert.match(one.stdout, /^1\. soup\.md /);
    const wrong = await quarry('search', 'onions', '--collection', 'everythin');
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /'everythin' does not exist; did you mean 'everything'\?/);
    assert.equal((await quarry('search')).code, 1);
  });

  it('answers a question from the collection that fits it, and names the sources', async () => {
    const answered = await quarry('ask', 'How long must the onions fry?');
    assert.equal(answered.code, 0, answered.stderr);
    assert.match(answered.stdout, /^Fry four onions for half an hour\. ?\[1\]\n/);
    assert.match(answered.stdout, /\nSources in everything:\n1\. soup\.md\n/);
    assert.match(answered.stderr, /^The question asks for one thing\.$/m);
    const json = JSON.parse((await quarry('ask', 'How long must onions fry?', '--json')).stdout);
    assert.equal(json.answer.citations.length, 1);
  });

  it('asks another service by its address, and only with a key of it', async () => {
    const elsewhere = { QUARRY_DATA_DIR: join(dir.path, 'elsewhere') };
    const asked = ['search', 'onions', '-n', '1', '--url', server.address];
    const keyless = await runToEnd(asked, elsewhere);
    assert.equal(keyless.code, 1);
    assert.match(keyless.stderr, /^quarry: no key for http:.*: set QUARRY_API_KEY/);
    const found = await runToEnd(asked, { ...elsewhere, QUARRY_API_KEY: key });
    assert.match(found.stdout, /^1\. soup\.md /);
    const noAddress = await runToEnd(['list', '--url', 'nonsense'], elsewhere);
    assert.match(noAddress.stderr, /QUARRY_URL: give an address such as https:/);
  });

  it('ends with 1 when a search finds nothing, and says so', async () => {
    const empty = join(dir.path, 'empty');
    const other = await startServer(empty, { env: {} });
    try {
      const none = await runToEnd(['search', 'onions'], { QUARRY_DATA_DIR: empty });
      assert.deepEqual([none.code, none.stdout], [1, "Nothing is found for 'onions'.\n"]);
      const unanswered = await runToEnd(['ask', 'Why?'], { QUARRY_DATA_DIR: empty });
      assert.deepEqual([unanswered.code, unanswered.stdout], [1, "Nothing is found for 'Why?'.\n"]);
    } finally {
      await other.kill();
    }
  });

  it('removes only what was named, and nothing without a yes', async () => {
    const doomed = folder('doomed', { 'a.md': 'Gone soon.\n' });
    assert.equal((await quarry('add', doomed, '--new-collection', 'Short lived')).code, 0);
    const unsure = await quarry('rm', 'doomed');
    assert.equal(unsure.code, 1);
    assert.match(unsure.stderr, /cannot be confirmed without a terminal: give --yes/);
    const removed = await quarry('rm', doomed, '--yes');
    assert.match(
      removed.stdout,
      /^deleted the connection 'doomed' \(files\) with its 1 record in short-lived/,
    );
    const collections = await call('/v1/collections');
    const { readable_id } = collections.find(
      ({ name }: { name: string }) => name === 'Short lived',
    );
    const wrong = await quarry('rm', 'short', '--collection', '--yes');
    assert.match(wrong.stderr, /the collection 'short' does not exist/);
    assert.equal((await quarry('rm', readable_id, '--collection', '--yes')).code, 0);
    const left = await call('/v1/source-connections');
    assert.deepEqual(left.map(({ name }: { name: string }) => name).sort(), [
      'What we cook',
      'bills',
    ]);
    assert.equal((await call('/v1/collections')).length, collections.length - 1);
  });

  it('[KEY-04] lists keys without their values, and revokes the one that is named', async () => {
    const made = await quarry('keys', 'create', '--name', 'A script', '--role', 'read');
    const value = made.stdout.trim();
    const listed = await quarry('keys', 'list');
    assert.match(listed.stdout, /[-\da-f]{36} {2}A script +read +never used +all collections\n/);
    assert.doesNotMatch(listed.stdout, /quarry_/);
    const wrong = await quarry('keys', 'revoke', 'A scrip');
    assert.match(wrong.stderr, /no key is called 'A scrip'; did you mean 'A script'\?/);
    const works = () =>
      fetch(`${server.address}/v1/collections`, { headers: { 'x-api-key': value } });
    assert.equal((await works()).status, 200);
    assert.equal((await quarry('keys', 'revoke', 'A script')).code, 0);
    assert.equal((await works()).status, 401);
  });

  it('prints a link that signs in once', async () => {
    const { stdout } = await quarry('open', '--no-browser');
    const token = /#token=(\S+)\n$/.exec(stdout)?.[1];
    const use = () =>
      fetch(`${server.address}/v1/auth/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.address },
        body: JSON.stringify({ token }),
      });
    const signedIn = await use();
    assert.equal(signedIn.status, 200);
    assert.match(signedIn.headers.get('set-cookie') ?? '', /HttpOnly/i);
    assert.equal((await use()).status, 401);
  });

  it('prints the last lines of the log, and follows it, also when a new one begins', async () => {
    const file = join(dataDir(), 'quarry.log');
    const line = (msg: string) => `${JSON.stringify({ level: 30, time: 1, msg })}\n`;
    appendFileSync(file, line('one') + line('two'));
    const { stdout } = await quarry('logs', '--lines', '2');
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text).msg),
      ['one', 'two'],
    );
    const follower = launch(['logs', '-f', '-n', '1', '--data-dir', dataDir()]);
    const shows = (msg: string) => until(() => follower.output.stdout.includes(`"${msg}"`));
    try {
      await shows('two');
      appendFileSync(file, line('three'));
      await shows('three');
      rmSync(file);
      writeFileSync(file, line('four'));
      await shows('four');
    } finally {
      follower.child.kill();
    }
    assert.doesNotMatch(follower.output.stdout, /"one"/);
  });

  it('says at a second start that it runs, and how to open or stop it', async () => {
    const second = await quarry('start', '--port', '0');
    assert.deepEqual([second.code, second.stdout], [1, '']);
    assert.match(
      second.stderr,
      new RegExp(`runs already at ${server.address} .*'quarry open'.*'quarry stop'`),
    );
  });

  it('completes commands and options in a shell', async () => {
    const script = await quarry('completion', 'bash');
    assert.match(script.stdout, /complete .*-F \S+ quarry/);
    const words = async (...typed: string[]) =>
      (await quarry('complete', '--', ...typed)).stdout
        .split('\n')
        .map((row) => row.split('\t')[0]);
    assert.ok((await words('stat')).includes('status'));
    assert.ok((await words('search', '--')).includes('--collection'));
  });
});
