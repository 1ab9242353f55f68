import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { must } from '../../util.ts';
import { CLIENTS } from './clients.ts';
import { editedText, entryIn, secretsIn } from './edit.ts';

const client = (id: string) => must(CLIENTS.find((one) => one.id === id));
const [vscode, claude, codex] = [client('vscode'), client('claude-code'), client('codex')];

const ENTRY = { command: '/usr/bin/node', args: ['-C', 'a "b" \\c'], env: { KEY: 'é\u007f' } };
const put = (one: typeof vscode, text: string) =>
  editedText(one, text, { name: 'quarry', entry: ENTRY });
const take = (one: typeof vscode, text: string) =>
  editedText(one, text, { name: 'quarry', entry: undefined });
const bodyOf = (indent: string, eol = '\n') =>
  JSON.stringify(ENTRY, null, 2).replaceAll('\n', eol + indent);

describe('an entry in a JSON file', () => {
  for (const [what, text, wanted] of [
    ['of an empty file', '', `{\n  "servers": {\n    "quarry": ${bodyOf('    ')}\n  }\n}\n`],
    ['of no server', '{}', `{\n  "servers": {\n    "quarry": ${bodyOf('    ')}\n  }\n}`],
    [
      'of an empty list of servers',
      '{\n  "servers": {},\n  "inputs": []\n}\n',
      `{\n  "servers": {\n    "quarry": ${bodyOf('    ')}\n  },\n  "inputs": []\n}\n`,
    ],
    [
      'keeps comments, commas and the layout of others',
      '// mine\n{\n  "servers": { // all\n    // one\n    "a": { "command":"x" }, // behind\n  },\n}\n',
      `// mine\n{\n  "servers": { // all\n    "quarry": ${bodyOf('    ')},\n    // one\n    "a": { "command":"x" }, // behind\n  },\n}\n`,
    ],
    [
      'replaces one that was there, and nothing else',
      '{\n  "servers": {\n    // ours\n    "quarry": {\n      "url": "x"\n    }, // that was it\n    "a": {}\n  }\n}\n',
      `{\n  "servers": {\n    // ours\n    "quarry": ${bodyOf('    ')}, // that was it\n    "a": {}\n  }\n}\n`,
    ],
    [
      'stays in the line of a file of one line',
      '{"servers":{"a":{"command":"x"}},"n":1e2}',
      `{"servers":{"quarry":${JSON.stringify(ENTRY)},"a":{"command":"x"}},"n":1e2}`,
    ],
    [
      'replaces in a line',
      '{"servers":{"quarry":{"url":"x"}}}',
      `{"servers":{"quarry":${JSON.stringify(ENTRY)}}}`,
    ],
    [
      'of a file whose other members come first',
      '{\n  "inputs": []\n}\n',
      `{\n  "servers": {\n    "quarry": ${bodyOf('    ')}\n  },\n  "inputs": []\n}\n`,
    ],
    [
      'with the line ends of the file',
      '\uFEFF{\r\n  "inputs": []\r\n}\r\n',
      `\uFEFF{\r\n  "servers": {\r\n    "quarry": ${bodyOf('    ', '\r\n')}\r\n  },\r\n  "inputs": []\r\n}\r\n`,
    ],
    [
      'with the tabs of the file',
      '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}\n',
      `{\n\t"servers": {\n\t\t"quarry": ${JSON.stringify(ENTRY, null, '\t').replaceAll('\n', '\n\t\t')},\n\t\t"a": {}\n\t}\n}\n`,
    ],
  ] as const)
    it(what, () => {
      assert.equal(put(vscode, text), wanted);
      assert.deepEqual(structuredClone(entryIn(vscode, wanted, 'quarry')), ENTRY);
      assert.equal(put(vscode, wanted), wanted);
    });

  for (const [what, text, wanted] of [
    [
      'as the first',
      '{\n  "servers": {\n    "quarry": {\n      "a": 1\n    },\n    // one\n    "a": {}\n  }\n}\n',
      '{\n  "servers": {\n    // one\n    "a": {}\n  }\n}\n',
    ],
    [
      'as the last',
      '{\n  "servers": {\n    "a": {}, // , not this one\n    "quarry": {}\n  }\n}\n',
      '{\n  "servers": {\n    "a": {} // , not this one\n  }\n}\n',
    ],
    ['as the only one', '{"servers":{"quarry":{}},"n":1}', '{"servers":{},"n":1}'],
    [
      'with a comma behind the last',
      '{\n  "servers": {\n    "a": {},\n    "quarry": {} /* x */,\n  }\n}',
      '{\n  "servers": {\n    "a": {},\n  }\n}',
    ],
    ['that is not there', '{ "servers": { "a": {} } }', '{ "servers": { "a": {} } }'],
    ['of a file without servers', '{ }', '{ }'],
  ] as const)
    it(`is removed ${what}`, () => assert.equal(take(vscode, text), wanted));

  for (const [text, message] of [
    ['{ "servers": ', /^Error: it is not JSON: line 1, /],
    ['{\n  "servers": {},\n  oops\n}', /^Error: it is not JSON: line 3, InvalidSymbol$/],
    ['// nothing\n', /^Error: it is not JSON/],
    ['[]', /^Error: the file is not an object$/],
    ['{ "servers": [] }', /^Error: 'servers' is not an object$/],
    ['{ "servers": null }', /^Error: 'servers' is not an object$/],
    ['{ "servers": { "a": {} }, "servers": { "b": {} } }', /cannot be edited safely/],
  ] as const)
    it(`is not added to the invalid file ${text}`, () => {
      assert.throws(() => put(vscode, text), message);
    });
});

describe('any JSON file', () => {
  const word = fc.string({ minLength: 1, maxLength: 4 });
  const servers = fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
  const file = fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
  const indent = fc.constantFrom(undefined, 1, 2, 4, '\t');

  it('keeps everything else, and is unchanged after the entry is added and removed', () => {
    fc.assert(
      fc.property(file, servers, indent, fc.boolean(), (others, mine, space, windows) => {
        const { quarry: _, ...rest } = mine;
        const lines = JSON.stringify({ ...others, servers: rest }, null, space);
        const text = windows ? lines.replaceAll('\n', '\r\n') : lines;
        const result = put(vscode, text);
        assert.deepEqual(JSON.parse(result).servers.quarry, ENTRY);
        const restored = take(vscode, result);
        if (Object.keys(rest).length > 0) assert.equal(restored, text);
        else assert.deepEqual(JSON.parse(restored), JSON.parse(text));
      }),
    );
  });
});

describe('a table in a TOML file', () => {
  const TABLE = [
    '[mcp_servers.quarry]',
    'command = "/usr/bin/node"',
    'args = [ "-C", "a \\"b\\" \\\\c" ]',
    '',
    '[mcp_servers.quarry.env]',
    'KEY = "é\\u007f"',
  ].join('\n');
  const MINE = [
    '# mine',
    'model = "x" # why',
    'big = 9007199254740993',
    '',
    '[mcp_servers.a]',
    'command = "y"   # spaces',
    'text = """',
    '[mcp_servers.b]',
    '"""',
  ].join('\n');

  for (const [what, text, wanted] of [
    ['of an empty file', '', `${TABLE}\n`],
    ['goes behind the rest', `${MINE}\n`, `${MINE}\n\n${TABLE}\n`],
    ['goes behind a line without an end', MINE, `${MINE}\n\n${TABLE}\n`],
    [
      'takes the place of the one that was there',
      `${MINE}\n\n[ mcp_servers . "quarry" ] # old\nurl = "x"\n[mcp_servers.quarry.http_headers]\nA = "b"\n\n# next\n[other]\nc = 1\n`,
      `${MINE}\n\n${TABLE}\n\n# next\n[other]\nc = 1\n`,
    ],
    [
      'takes the place of parts in several places',
      '[mcp_servers.quarry]\nurl = "x"\n[other]\nc = 1\n[mcp_servers.quarry.http_headers]\nA = "b"\n[[more]]\nd = 1\n',
      `${TABLE}\n[other]\nc = 1\n[[more]]\nd = 1\n`,
    ],
    [
      'with the line ends of the file',
      'model = "x"\r\n',
      `model = "x"\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}\r\n`,
    ],
  ] as const)
    it(what, () => {
      assert.equal(put(codex, text), wanted);
      assert.deepEqual(structuredClone(entryIn(codex, wanted, 'quarry')), ENTRY);
      assert.equal(put(codex, wanted), wanted);
    });

  it('is removed', () => {
    assert.equal(take(codex, `${TABLE}\n\n# next\n[other]\nc = 1\n`), '\n# next\n[other]\nc = 1\n');
    assert.equal(take(codex, MINE), MINE);
  });

  for (const [text, message] of [
    ['model = ', /^Error: it is not TOML: /],
    ['mcp_servers = 1', /^Error: 'mcp_servers' is not an object$/],
    ['mcp_servers = { a = { url = "x" } }', /cannot be edited safely/],
    ['mcp_servers.quarry.url = "x"', /cannot be edited safely/],
    ['[mcp_servers]\nquarry = { url = "x" }', /cannot be edited safely/],
    ['text = """\n[mcp_servers.quarry]\n"""', /cannot be edited safely/],
    ['text = """\nx\n[mcp_servers.quarry]\n[b]\n"""', /cannot be edited safely/],
  ] as const)
    it(`is not added to the invalid file ${JSON.stringify(text)}`, () => {
      assert.throws(() => put(codex, text), message);
    });
});

describe('the secrets in a file', () => {
  it('are the values in the environment and the headers of all servers', () => {
    const text = JSON.stringify({
      mcpServers: {
        a: {
          env: { TOKEN: 'abcdef"\\', SHORT: 'true', SERVICE_COLLECTION: 'my-notes' },
          url: 'http://x',
        },
        b: { headers: { Authorization: 'Bearer 123' }, http_headers: null },
        c: 1,
      },
    });
    assert.deepEqual(secretsIn(claude, text), ['abcdef\\"\\\\', 'Bearer 123']);
    assert.deepEqual(secretsIn(codex, '[mcp_servers.a.http_headers]\nX-Key = "secret"'), [
      'secret',
    ]);
    assert.deepEqual(secretsIn(codex, ''), []);
  });
});
