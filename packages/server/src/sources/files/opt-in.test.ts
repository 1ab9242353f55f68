import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  OTHER_FILES,
  OTHER_FOLDERS,
  SECRET_FILES,
  SECRET_FOLDERS,
} from '../../test/documents/left-out-names.ts';
import { createRules, type DefaultOmission, type Rules } from './rules.ts';

const FILES = [...SECRET_FILES, ...OTHER_FILES];
const FOLDERS = [...SECRET_FOLDERS, ...OTHER_FOLDERS];
const BROAD = [
  '*',
  '**',
  '/**',
  '*.*',
  '.*',
  '**/*',
  'a/',
  'a',
  '/a/**',
  'a/**/*',
  '*.json',
  '*.txt',
];

const isTaken = (rules: Rules, path: string) => rules.file(path) === 'taken';
const isEntered = (rules: Rules, path: string) => rules.folder(path, null).rules !== null;
const by = (...include: string[]) => createRules({ include });

function told(rules: Rules, path: string): DefaultOmission {
  const verdict = rules.file(path);
  assert.ok(typeof verdict === 'object', `${path}: ${verdict}`);
  return verdict;
}

/** Returns the pattern in a hint. */
const patternOf = ({ hint }: DefaultOmission): string => JSON.parse(/"\/.*"/.exec(hint)![0]);

describe('taking in files that are left out by default', () => {
  it('[CON-41] is not possible with a broad pattern', () => {
    for (const pattern of BROAD) {
      const rules = by(pattern);
      for (const name of FILES) assert.ok(!isTaken(rules, `a/${name}`), `${pattern} ${name}`);
      for (const name of FOLDERS) assert.ok(!isEntered(rules, `a/${name}`), `${pattern} ${name}`);
    }
  });

  it('[CON-41] is suggested for a left-out file that include would otherwise take', () => {
    assert.deepEqual(createRules({}).file('a/.env'), {
      reason: 'left out as secrets',
      detail: 'environment variables',
      hint: 'To take it in, set include to ["*", "/a/.env"].',
    });
    assert.equal(told(by('a/'), 'a/.env').hint, 'To take it in, add "/a/.env" to include.');
    assert.equal(by('b/').file('a/.env'), 'unwanted');
    assert.deepEqual(createRules({}).folder('a/node_modules', null).omission, {
      reason: 'left out as dependencies',
      detail: 'packages that a package manager has fetched',
      hint: 'To take it in, set include to ["*", "/a/node_modules/"].',
    });
    assert.deepEqual(by('/b/*').folder('a/node_modules', null), { rules: null, omission: null });
    assert.equal(createRules({ exclude: ['*.pem'] }).file('a.pem'), 'unwanted');
  });

  it('[CON-41] is possible with the pattern of the hint, which takes only the named file', () => {
    for (const name of FILES) {
      const pattern = patternOf(told(createRules({}), `a/${name}`));
      assert.ok(isTaken(by('*', pattern), `a/${name}`), pattern);
      assert.ok(isTaken(by('*', pattern), 'a/b.md'), pattern);
      assert.ok(!isTaken(by('*', pattern), `b/${name}`), pattern);
    }
    for (const name of FOLDERS) {
      const { omission } = createRules({}).folder(`a/${name}`, null);
      const rules = by('*', patternOf(omission!));
      const inside = rules.folder(`a/${name}`, null).rules?.inside(`a/${name}`, null);
      assert.ok(inside && isTaken(inside, `a/${name}/b.md`), name);
      assert.ok(!isTaken(inside, `a/${name}/.env`), name);
    }
  });

  it('[CON-41] is possible with the pattern of the hint for every possible name', () => {
    for (const name of [
      'a b.pem',
      'a*[b]?.pem',
      'a\\b.pem',
      '#a.pem',
      '!a.pem',
      '.env ',
      'ä.pem',
      'new\nline.pem',
    ]) {
      const pattern = patternOf(told(createRules({}), name));
      assert.ok(isTaken(by(pattern), name), pattern);
    }
  });

  it('[CON-41] is possible with a pattern that contains the name, or the part that the lists match', () => {
    const taken: [pattern: string, path: string][] = [
      ['.env', 'a/.env'],
      ['.env*', 'a/.env.local'],
      ['*.env', 'prod.env'],
      ['*.pem', 'a/b.pem'],
      ['certs/*.pem', 'certs/b.pem'],
      ['/a/**/*.key', 'a/b/c.key'],
      ['id_*', 'id_rsa'],
      ['ID_RSA', 'ID_RSA'],
      ['.bash_history', '.bash_history'],
      ['secrets/db.yml', 'secrets/db.yml'],
    ];
    for (const [pattern, path] of taken) assert.ok(isTaken(by(pattern), path), pattern);
    const left: [pattern: string, path: string][] = [
      ['*.json', 'credentials.json'],
      ['*.yml', 'secrets.yml'],
      ['secrets/*', 'secrets/db.yml'],
      ['.e*', '.env'],
      ['*rsa*', 'id_rsa'],
      ['docs', 'docs/.env'],
      ['*.pem', '.env'],
      ['.env/', '.env'],
      ['!.env', '.env'],
      ['\\*.pem', 'a.pem'],
    ];
    for (const [pattern, path] of left) assert.ok(!isTaken(by('*', pattern), path), pattern);
  });

  it('[CON-41] is possible for a part of a left-out folder, without the rest of it', () => {
    const include = ['*.md', '/node_modules/left-pad/', 'x/**/node_modules/keep/*.txt'];
    const { rules, omission } = by(...include).folder('node_modules', null);
    assert.equal(omission?.reason, 'left out as dependencies');
    assert.ok(rules);
    const inside = rules.inside('node_modules', null);
    assert.equal(inside.file('node_modules/a.md'), 'unwanted');
    assert.deepEqual(inside.folder('node_modules/other', null), { rules: null, omission: null });
    const wanted = inside.folder('node_modules/left-pad', null);
    assert.equal(wanted.omission, null);
    assert.ok(wanted.rules && isTaken(wanted.rules, 'node_modules/left-pad/index.js'));
    assert.equal(told(wanted.rules, 'node_modules/left-pad/.npmrc').reason, 'left out as secrets');
    assert.ok(isEntered(wanted.rules, 'node_modules/left-pad/node_modules'));
    assert.ok(!isEntered(wanted.rules, 'node_modules/left-pad/.ssh'));

    const deep = by(...include).folder('x/a/b/node_modules', null).rules;
    assert.ok(deep && isEntered(deep, 'x/a/b/node_modules/keep'));
    assert.ok(isTaken(deep, 'x/a/b/node_modules/keep/a.txt'));
    assert.ok(!isTaken(deep, 'x/a/b/node_modules/keep/a.md'));
    assert.ok(!isEntered(by(...include), 'y/node_modules'));
  });

  it('[CON-41] is possible by its name for a folder that is left out because of other files', () => {
    const why = { reason: 'left out as build output', detail: 'made' };
    assert.equal(by('*', 'a/').folder('a/build', why).rules, null);
    for (const pattern of ['build/', 'build', '/a/build/', 'BUILD/'])
      assert.equal(by('*', pattern).folder('a/build', why).rules !== null, pattern !== 'BUILD/');
  });

  it('[CON-41] is possible only by its name for a file in a folder of secrets', () => {
    const rules = createRules({ include: ['*', 'config'] }, '/home/ann/.ssh');
    assert.equal(told(rules, 'known_hosts').reason, 'left out as secrets');
    assert.ok(isTaken(rules, 'config'));
    assert.equal(rules.folder('old', null).rules, null);
  });

  it('[CON-41] is not possible with include when a .gitignore leaves the file out too, and the hint says so', () => {
    const rules = by('*', '.env').inside('', '.env\n.pem\nnode_modules/\n.venv/');
    assert.equal(rules.file('.env'), 'unwanted');
    const plain = createRules({}).inside('', '.env\nnode_modules/');
    const hint = 'A .gitignore file leaves it out as well, and include does not change that.';
    assert.equal(told(plain, '.env').hint, hint);
    assert.equal(plain.folder('node_modules', null).omission?.hint, hint);
  });
});
