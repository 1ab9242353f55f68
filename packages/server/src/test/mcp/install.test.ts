import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { CLIENTS, type ClientMachine } from '../../cli/install/clients.ts';
import { localCommand } from '../../cli/install/connection.ts';
import { entryIn } from '../../cli/install/edit.ts';
import type { InstallFlags } from '../../cli/install/file-change.ts';
import { install } from '../../cli/install/install.ts';
import { tryEntry } from '../../cli/install/try-entry.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { runToEnd } from '../e2e/process.ts';
import { COLLECTION, type House, openHouse } from './house.ts';

const clientNamed = (id: string) => must(CLIENTS.find((client) => client.id === id));

describe('quarry mcp install', () => {
  let house: House;
  let home: string;

  before(async () => {
    house = await openHouse(must(DATABASES[0]));
  });
  after(() => house.close());
  beforeEach(() => {
    home = fs.mkdtempSync(join(tmpdir(), 'quarry-install-'));
  });
  afterEach(() => fs.rmSync(home, { recursive: true }));

  const machineOf = (env: Record<string, string> = {}): ClientMachine => ({
    platform: 'linux',
    home,
    env: { SERVICE_API_KEY: house.adminKey, SERVICE_BASE_URL: house.address, ...env },
  });

  /** Returns what the command printed. */
  async function run(
    names: string[],
    flags: Partial<InstallFlags> = {},
    {
      env = {},
      confirm = async () => true,
    }: { env?: Record<string, string>; confirm?: () => Promise<boolean> } = {},
  ): Promise<string> {
    let said = '';
    const say = (text: string) => {
      said += text;
    };
    await install(names, { name: 'quarry', ...flags }, { machine: machineOf(env), say, confirm });
    return said;
  }

  const fileOf = (id: string) => clientNamed(id).file(machineOf());

  function put(id: string, text: string | Buffer, mode = 0o644): string {
    const path = fileOf(id);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text, { mode });
    return path;
  }

  /** Returns every file and folder with its mode and content. */
  const everything = () =>
    fs
      .readdirSync(home, { recursive: true, withFileTypes: true })
      .map((one) => {
        const path = join(one.parentPath, one.name);
        const text = one.isFile() ? fs.readFileSync(path, 'utf8') : '';
        return [relative(home, path), fs.lstatSync(path).mode.toString(8), text].join(' ');
      })
      .toSorted();

  /** Returns the keys with this name, newest first. */
  const keysNamed = async (wanted: string) =>
    (await house.call('GET', '/v1/api-keys?limit=100')).body.filter(
      ({ name }: { name: string }) => name === wanted,
    );

  const variants = CLIENTS.flatMap(({ id }) => [
    { id, hosted: false },
    ...(id === 'claude' ? [] : [{ id, hosted: true }]),
  ]);

  for (const { id, hosted } of variants)
    it(`sets up ${id}${hosted ? ' for the hosted mode' : ''}, tries the entry, and can undo it`, async () => {
      const said = await run([id], { hosted, yes: true });
      const path = fileOf(id);
      assert.match(
        said,
        /it answers: version 0\.5\.7 serves 'Harbour' \(harbour\) with \d+ tools: /,
      );
      assert.ok(said.includes(`search-${COLLECTION}`) && said.includes(path), said);
      const { title } = clientNamed(id);
      const [key] = await keysNamed(title);
      assert.deepEqual([key.role, key.collections, key.search_as], ['read', null, false]);
      assert.ok(said.includes(`the key '${title}' was made for it, which only reads`), said);
      assert.equal(fs.statSync(path).mode & 0o777, 0o600);
      const text = fs.readFileSync(path, 'utf8');
      for (const everywhere of [said, text]) assert.ok(!everywhere.includes(house.adminKey));
      assert.equal(/"?url"?\s*[:=]/.test(text), hosted);
      const again = await run([id], { yes: true, hosted });
      assert.match(again, /the key of the entry before was revoked[\s\S]*it answers/);
      const replaced = await keysNamed(title);
      assert.equal(replaced.length, 1);
      assert.notEqual(replaced[0].id, key.id);
      const undone = await run([id], { undo: true, yes: true });
      assert.match(undone, new RegExp(`is as it was before\nthe key '${title}' was revoked`));
      assert.deepEqual([await keysNamed(title), everything()], [[], []]);
    });

  it('writes a key into the entry that cannot make another one, and says so', async () => {
    const key = await house.keyOf('read');
    const said = await run(['cursor'], { yes: true, apiKey: key });
    assert.match(said, /your key was written into it, because only an admin key can make one/);
    assert.ok(fs.readFileSync(fileOf('cursor'), 'utf8').includes(key));
    assert.match(
      await run(['cursor'], { yes: true, apiKey: key }),
      /nothing to change[\s\S]*it answers/,
    );
    assert.deepEqual(await keysNamed('Cursor'), []);
  });

  it('limits the key to the collection that is named, and replaces one whose key was revoked', async () => {
    await run(['cursor'], { yes: true, collection: COLLECTION });
    const [key] = await keysNamed('Cursor');
    assert.deepEqual(key.collections, [COLLECTION]);
    await house.call('DELETE', `/v1/api-keys/${key.id}`);
    const again = await run(['cursor'], { yes: true });
    assert.match(again, /the key of the entry before was revoked/);
    const [second, ...others] = await keysNamed('Cursor');
    assert.deepEqual([second.collections, others], [null, []]);
  });

  it('makes no key when the file cannot be written, and keeps the key of the entry before', async () => {
    await run(['cursor'], { yes: true });
    const before = await keysNamed('Cursor');
    const path = fileOf('cursor');
    const confirm = async () => {
      fs.appendFileSync(path, '// theirs');
      return true;
    };
    await assert.rejects(run(['cursor'], {}, { confirm }), /was changed by another program/);
    assert.deepEqual(await keysNamed('Cursor'), before);
  });

  it('undoes without a service, and names the key that still works', async () => {
    await run(['cursor'], { yes: true });
    const env = { SERVICE_API_KEY: '' };
    const said = await run(['cursor'], { undo: true, yes: true }, { env });
    assert.match(
      said,
      /is as it was before\nthe key 'Cursor' still works at http.*: revoke it there/,
    );
    assert.deepEqual(everything(), []);
  });

  it('refuses the hosted mode for Claude Desktop, which cannot read the address of a server from its file', async () => {
    await assert.rejects(run(['claude'], { hosted: true, yes: true }), /as a connector/);
    assert.deepEqual(everything(), []);
  });

  it('keeps other entries in the file, and restores the file byte for byte', async () => {
    const text = '// mine\r\n{ "servers": { "a": { "env": { "K": "top secret" } } }, }';
    const path = put('vscode', text, 0o640);
    const before = everything();
    const said = await run(['vscode'], { yes: true });
    assert.ok(!said.includes('top secret'), said);
    assert.match(said, /others on this machine may read the key/);
    assert.equal(fs.statSync(path).mode & 0o777, 0o640);
    assert.equal(fs.readFileSync(`${path}.quarry-backup`, 'utf8'), text);
    assert.match(fs.readFileSync(path, 'utf8'), /^\/\/ mine\r\n\{"?.*"a": \{ "env"/);
    // A second run overwrites the entry of the first run. Undo still restores the original file.
    await run(['vscode'], { yes: true, hosted: true });
    await run(['vscode'], { undo: true, yes: true });
    assert.deepEqual(everything(), before);
    await assert.rejects(run(['vscode'], { undo: true, yes: true }), /nothing to undo/);
  });

  it('does not undo changes that another program made after the first run', async () => {
    const path = put('cursor', '{}');
    await run(['cursor'], { yes: true });
    const theirs = fs.readFileSync(path, 'utf8').replace('{', '{ "theirs": 1,');
    fs.writeFileSync(path, theirs);
    const before = everything();
    await assert.rejects(run(['cursor'], { undo: true, yes: true }), /was changed since/);
    assert.deepEqual(everything(), before);
    await run(['cursor'], { yes: true, hosted: true });
    await run(['cursor'], { undo: true, yes: true });
    assert.equal(fs.readFileSync(path, 'utf8'), theirs);
  });

  it('with --only-entry removes only its own entry', async () => {
    for (const id of ['cursor', 'codex']) {
      const path = fileOf(id);
      await run([id], { yes: true });
      fs.appendFileSync(path, id === 'codex' ? '\n# theirs\n[theirs]\na = 1\n' : '// theirs\n');
      await run([id], { undo: true, onlyEntry: true, yes: true });
      const left = fs.readFileSync(path, 'utf8');
      assert.equal(entryIn(clientNamed(id), left, 'quarry'), undefined);
      assert.match(left, /theirs/);
      assert.deepEqual(fs.readdirSync(dirname(path)), [path.split('/').at(-1)]);
      await assert.rejects(run([id], { undo: true, onlyEntry: true, yes: true }), /has no entry/);
    }
  });

  it('sets up a second collection under another name', async () => {
    await run(['cursor'], { yes: true });
    await run(['cursor'], { yes: true, name: 'second' });
    const text = fs.readFileSync(fileOf('cursor'), 'utf8');
    assert.deepEqual(Object.keys(JSON.parse(text).mcpServers), ['second', 'quarry']);
    assert.equal((await keysNamed('Cursor (second)')).length, 1);
    const said = await run(['cursor'], { undo: true, yes: true });
    assert.match(said, /the key 'Cursor' was revoked/);
    assert.match(said, /the key 'Cursor \(second\)' was revoked/);
  });

  it('revokes only keys of entries that are gone, and knows the others for later', async () => {
    const earlier = (await keysNamed('Cursor')).length;
    await run(['cursor'], { yes: true });
    await run(['cursor'], { yes: true, name: 'second' });
    await run(['cursor'], { undo: true, onlyEntry: true, yes: true, name: 'second' });
    assert.equal((await keysNamed('Cursor (second)')).length, 0);
    assert.equal((await keysNamed('Cursor')).length, earlier + 1);
    const said = await run(['cursor'], { undo: true, onlyEntry: true, yes: true });
    assert.match(said, /the key 'Cursor' was revoked/);

    const path = fileOf('cursor');
    await run(['cursor'], { yes: true });
    // The next installation keeps a copy of this file, which has an entry with a key.
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('{', '{ "theirs": 1,'));
    await run(['cursor'], { yes: true, name: 'second' });
    await run(['cursor'], { undo: true, yes: true });
    assert.match(fs.readFileSync(path, 'utf8'), /"theirs"/);
    assert.equal((await keysNamed('Cursor')).length, earlier + 1);
    assert.equal((await keysNamed('Cursor (second)')).length, 0);
  });

  it('changes nothing with --dry-run, or when the user answers no', async () => {
    put('cursor', '{}');
    const before = everything();
    assert.match(await run(['cursor', 'codex'], { dryRun: true }), /\+ +"command"/);
    const no = { confirm: async () => false };
    assert.match(await run(['cursor', 'codex'], {}, no), /nothing was changed\n$/);
    assert.deepEqual(everything(), before);
  });

  it('changes nothing when the file changes while the user is asked', async () => {
    const path = put('cursor', '{}');
    const confirm = async () => {
      fs.writeFileSync(path, '{ "theirs": 1 }');
      return true;
    };
    await assert.rejects(
      run(['cursor'], {}, { confirm }),
      /was changed by another program just now/,
    );
    assert.equal(fs.readFileSync(path, 'utf8'), '{ "theirs": 1 }');
    assert.deepEqual(fs.readdirSync(dirname(path)), ['mcp.json']);
  });

  it('as a command writes nothing when there is no terminal to ask on', async () => {
    const env = { HOME: home, SERVICE_API_KEY: house.adminKey, SERVICE_BASE_URL: house.address };
    const asked = await runToEnd(['mcp', 'install', 'cursor'], env);
    assert.deepEqual([asked.code, fs.readdirSync(home)], [1, []]);
    assert.match(
      asked.stderr,
      /^quarry: the change cannot be confirmed without a terminal: give --yes, or --dry-run/,
    );
    const { code, stdout } = await runToEnd(['mcp', 'install', 'cursor', '--yes'], env);
    assert.equal(code, 0);
    assert.match(stdout, /it answers: version 0\.5\.7/);
  });

  it('leaves links, folders and broken files as they are, with an error', async () => {
    const path = fileOf('cursor');
    fs.mkdirSync(dirname(path));
    for (const [make, message] of [
      [() => fs.writeFileSync(path, '{ "mcpServers": '), /mcp\.json: it is not JSON: line 1/],
      [() => fs.writeFileSync(path, Buffer.from([0xff, 0xfe])), /is not text in UTF-8/],
      [() => fs.mkdirSync(path), /is not a regular file/],
      [() => fs.symlinkSync('other.json', path), /is a link to other\.json: name that file/],
    ] as const) {
      fs.rmSync(path, { recursive: true, force: true });
      make();
      const before = everything();
      // The client codex could be set up, but with one failing client, none is set up.
      await assert.rejects(run(['codex', 'cursor'], { yes: true }), message);
      assert.deepEqual(everything(), before);
    }
    fs.rmSync(dirname(path), { recursive: true });
    fs.writeFileSync(dirname(path), '');
    await assert.rejects(run(['cursor'], { yes: true }), /one of its folders is a file/);
    assert.deepEqual(fs.readdirSync(home), ['.cursor']);
  });

  it('reports a missing permission, and changes nothing', async () => {
    const path = put('cursor', '{}');
    const before = everything();
    fs.chmodSync(dirname(path), 0o500);
    // The administrator may write to every folder, so the test gives up this right.
    const isRoot = process.geteuid?.() === 0;
    const confirm = async () => {
      if (isRoot) process.seteuid?.(65534);
      return true;
    };
    try {
      await assert.rejects(run(['cursor'], {}, { confirm }), /cannot be \w+: no permission$/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    fs.chmodSync(dirname(path), 0o755);
    assert.deepEqual(everything(), before);
  });

  it('writes the file that --file names', async () => {
    const file = join(home, 'else.json');
    await run(['vscode'], { file, yes: true });
    assert.deepEqual(fs.readdirSync(home).toSorted(), ['else.json', 'else.json.quarry-undo']);
    await assert.rejects(run(['vscode', 'cursor'], { file }), /--file is the file of one client/);
  });

  it('without a client lists the clients and their state', async () => {
    put('cursor', '{ "mcpServers": { "quarry": {} } }');
    put('codex', 'a = ');
    put('vscode', '{}');
    const before = everything();
    const said = await run([]);
    assert.match(said, /^claude +no Claude Desktop found$/m);
    assert.match(said, /^cursor +Cursor, set up: .*mcp\.json$/m);
    assert.match(said, /^vscode +VS Code, not set up: .*mcp\.json$/m);
    assert.match(said, /^codex +Codex, which cannot be set up: it is not TOML/m);
    assert.match(said, /quarry mcp install cursor vscode codex\n$/);
    assert.deepEqual(everything(), before);
  });

  for (const [what, names, flags, env, message] of [
    [
      'a client that nobody knows',
      ['emacs'],
      {},
      {},
      /client 'emacs' is not known: give one of claude, /,
    ],
    ['no key', ['cursor'], {}, { SERVICE_API_KEY: '' }, /which key\? Give --api-key/],
    ['a wrong key', ['cursor'], { apiKey: 'wrong' }, {}, /key/],
    ['no such collection', ['cursor'], { collection: 'none-such' }, {}, /none-such/],
    [
      'an address that is none',
      ['cursor'],
      { baseUrl: 'nowhere' },
      {},
      /'nowhere' is not an address/,
    ],
    [
      'nobody there',
      ['cursor'],
      { baseUrl: 'http://127.0.0.1:2' },
      {},
      /no Quarry answers at http:\/\/127\.0\.0\.1:2: start it, or give --base-url/,
    ],
    ['a name that is none', ['cursor'], { name: 'a b' }, {}, /--name takes/],
    ['--undo of nothing', [], { undo: true }, {}, /name the clients/],
    ['--only-entry alone', ['cursor'], { onlyEntry: true }, {}, /--only-entry works only together/],
  ] as const)
    it(`refuses ${what}`, async () => {
      await assert.rejects(run([...names], { yes: true, ...flags }, { env }), message);
      assert.deepEqual(everything(), []);
    });

  it('sets up all collections, or the one that --collection names', async () => {
    const { body } = await house.call('POST', '/v1/collections', {
      body: { name: 'Second', readable_id: 'second' },
    });
    try {
      const said = await run(['cursor'], { yes: true });
      assert.match(said, /serves all 2 collections with 8 tools: search, fetch, /);
      assert.doesNotMatch(fs.readFileSync(fileOf('cursor'), 'utf8'), /COLLECTION/);
      assert.match(
        await run(['cursor'], { yes: true, collection: 'second' }),
        /'Second' \(second\)/,
      );
    } finally {
      await house.call('DELETE', `/v1/collections/${body.readable_id}`);
    }
  });

  it('a failing entry is reported with the reason', async () => {
    const start = localCommand();
    const env = { SERVICE_BASE_URL: house.address, SERVICE_API_KEY: house.adminKey };
    for (const [entry, message] of [
      [{ ...start, env: { ...env, SERVICE_API_KEY: '' } }, /SERVICE_API_KEY is missing/],
      [
        { ...start, env: { ...env, SERVICE_COLLECTION: 'none-such' } },
        /^Error: API error \(404\): /,
      ],
      [{ command: join(home, 'nothing'), args: [], env }, /ENOENT/],
      [{ url: `${house.address}/mcp` }, /key/],
    ] as const)
      await assert.rejects(tryEntry(entry), message);
  });

  it('reports a server that does not answer, and can be undone afterwards', async () => {
    // This server is the API without its tool server.
    const partly = createServer(async (request, response) => {
      if (request.url === '/mcp') return response.writeHead(404).end('no such page');
      const { authorization = '', 'content-type': sent } = request.headers;
      const headers = { authorization, ...(sent !== undefined && { 'content-type': sent }) };
      const { method = '' } = request;
      const body = method === 'POST' ? await text(request) : null;
      const answer = await fetch(house.address + request.url, { method, headers, body });
      const type = answer.headers.get('content-type') ?? '';
      return response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => partly.once('listening', resolve));
    const baseUrl = `http://127.0.0.1:${(partly.address() as AddressInfo).port}`;
    try {
      await assert.rejects(
        run(['cursor'], { baseUrl, hosted: true, yes: true }),
        /^Error: Cursor was set up, but gets no answer: [\s\S]*--undo$/,
      );
      await run(['cursor'], { undo: true, yes: true });
      assert.deepEqual(everything(), []);
    } finally {
      partly.close();
    }
  });
});
