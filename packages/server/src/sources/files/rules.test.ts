import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesAtMost } from '../../test/processor-time.ts';
import { files } from '../catalog/files.ts';
import { createRules, type Patterns, type Rules } from './rules.ts';

/** Returns those of the paths that are read. The path of a folder ends with a slash. */
const taken = (rules: Rules, ...paths: string[]) =>
  paths.filter((path) =>
    path.endsWith('/')
      ? rules.folder(path.slice(0, -1), null).rules !== null
      : rules.file(path) === 'taken',
  );
const by = (patterns: Patterns, ...paths: string[]) => taken(createRules(patterns), ...paths);
const within = (gitignores: Record<string, string>, ...paths: string[]) => {
  let rules = createRules({});
  for (const [folder, text] of Object.entries(gitignores)) rules = rules.inside(folder, text);
  return taken(rules, ...paths);
};

describe('the rules of include and exclude', () => {
  it('[SRC-14] take all files when neither is set', () =>
    assert.deepEqual(by({}, 'a.md', 'b/', 'b/c', '.rc'), ['a.md', 'b/', 'b/c', '.rc']));

  it('[SRC-14] take all files when include is empty', () =>
    assert.deepEqual(by({ include: [], exclude: [] }, 'a'), ['a']));

  it('[SRC-14] take the files that include names, at any depth, and every folder on the way', () =>
    assert.deepEqual(
      by({ include: ['*.md', 'docs/'] }, 'a.md', 'x/b.md', 'x/c.txt', 'docs/d/e.txt', 'x/'),
      ['a.md', 'x/b.md', 'docs/d/e.txt', 'x/'],
    ));

  it('[SRC-14] leave out a file that a later pattern of include excludes', () =>
    assert.deepEqual(by({ include: ['*.md', '!secret.md'] }, 'a.md', 'x/secret.md'), ['a.md']));

  it('[SRC-14] leave out the files that exclude names, even if include names them', () =>
    assert.deepEqual(
      by(
        { include: ['*.md'], exclude: ['/drafts/', 'x.md'] },
        'a.md',
        'x.md',
        'drafts/b.md',
        'drafts/',
        'z/drafts/',
      ),
      ['a.md', 'z/drafts/'],
    ));

  it('distinguish upper and lower case', () =>
    assert.deepEqual(by({ exclude: ['README'] }, 'README', 'readme'), ['readme']));

  it('leave out the folders and files of Git itself', () =>
    assert.deepEqual(by({}, '.git/', 'a/.git/', 'a/.git', '.github/', '.gitignore', 'x.git/'), [
      '.github/',
      '.gitignore',
      'x.git/',
    ]));

  it('[SRC-14] leave out folders in which include cannot match anything', () => {
    const include = ['/docs/**/*.md', 'src/a[b]/x.md', '/n\\*tes/', '!/other/y.md'];
    assert.deepEqual(
      by(
        { include },
        'docs/',
        'docs/a/',
        'src/',
        'src/ab/',
        'src/ab/c/',
        'lib/',
        'other/',
        'n*tes/',
      ),
      ['docs/', 'docs/a/', 'src/', 'src/ab/', 'src/ab/c/', 'n*tes/'],
    );
    assert.deepEqual(by({ include: [...include, 'x.txt'] }, 'lib/a/'), ['lib/a/']);
  });

  it('apply only exclude to the target of a link', () => {
    const rules = createRules({ include: ['/a/*.md'], exclude: ['b.txt'] }).ofTargets();
    assert.deepEqual(taken(rules, 'a.txt', 'b.txt', 'c/', '.env'), ['a.txt', 'c/']);
  });
});

describe('the rules of .gitignore files', () => {
  it('apply patterns at any depth, and patterns with a slash to their folder', () =>
    assert.deepEqual(
      within(
        { '': '*.log\n/only\na/b\ndist/\n' },
        'x.log',
        'y/x.log',
        'only',
        'y/only',
        'a/b',
        'y/a/b',
        'dist',
        'dist/',
        'y/dist/',
        'k',
      ),
      ['y/only', 'y/a/b', 'dist', 'k'],
    ));

  it('apply only within the folder of the file', () =>
    assert.deepEqual(
      within(
        { '': '', pkg: '*.log\n/top\nout/\nin/er' },
        'a.log',
        'pkg/a.log',
        'pkg/x/a.log',
        'top',
        'pkg/top',
        'pkg/x/top',
        'pkg/out/',
        'pkg/x/out/',
        'out/',
        'pkg/in/er',
        'pkg/x/in/er',
        'in/er',
        'x/pkg/top',
      ),
      ['a.log', 'top', 'pkg/x/top', 'out/', 'pkg/x/in/er', 'in/er', 'x/pkg/top'],
    ));

  it('can be reversed by a later pattern or a deeper file', () =>
    assert.deepEqual(
      within(
        { '': '*.log\n!keep.log\nbuild/', pkg: '!a.log\nkeep.log\n!build/' },
        'a.log',
        'keep.log',
        'pkg/a.log',
        'pkg/keep.log',
        'pkg/build/',
        'pkg/build/x',
        'build/',
      ),
      ['keep.log', 'pkg/a.log', 'pkg/build/', 'pkg/build/x'],
    ));

  it('leave out everything below an ignored folder', () =>
    assert.deepEqual(within({ '': 'a/\n!a/b' }, 'a/', 'a/b'), []));

  it('work in a folder whose name looks like a pattern', () =>
    assert.deepEqual(
      within({ 'a*[b]?\\c': 'x\n!y' }, 'a*[b]?\\c/x', 'a*[b]?\\c/d/x', 'aabbc/x', 'a*[b]?\\c/y'),
      ['aabbc/x', 'a*[b]?\\c/y'],
    ));

  it('accept comments, empty lines, byte order marks and CRLF', () =>
    assert.deepEqual(
      within(
        { sub: '\uFEFF*.log\r\n\r\n# *.md\r\n#v\r\n\\#x\r\n\\!y\r\nz  \r\nout/ \r\n' },
        'sub/a.log',
        'sub/a.md',
        'sub/#x',
        'sub/!y',
        'sub/z',
        'sub/#v',
        'sub/w',
        'sub/in/out/',
      ),
      ['sub/a.md', 'sub/#v', 'sub/w'],
    ));

  it('[SRC-14] ignore a line of spaces, in any folder', () => {
    const blanks = ' \n\t\n! \n!\n';
    assert.deepEqual(within({ '': blanks, sub: blanks }, 'a/', 'sub/a/', 'sub/a/b', 'sub/c'), [
      'a/',
      'sub/a/',
      'sub/a/b',
      'sub/c',
    ]);
    assert.deepEqual(within({ '': 'out/', sub: '! ' }, 'sub/out/'), []);
  });

  it('cannot take in files that exclude names', () => {
    const rules = createRules({ exclude: ['*.key'] }).inside('', '!*.key');
    assert.deepEqual(taken(rules, 'a.key'), []);
  });

  it('cannot take in files that include does not name', () => {
    const rules = createRules({ include: ['*.md'] })
      .inside('', null)
      .inside('a', '!b.txt');
    assert.deepEqual(taken(rules, 'a/b.txt', 'a/b.md'), ['a/b.md']);
  });

  it('[SRC-14] refuse a pattern that could match in too many ways', () => {
    const often = (times: number) => `a${'/**/a'.repeat(times)}/b`;
    assert.throws(() => within({ '': `x\n${often(4)}` }), {
      name: 'SourceError',
      kind: 'skip',
      message: 'the folder cannot be read: its .gitignore is too ambiguous',
    });
    const path = { path: '/tmp' };
    const isTaken = (pattern: string) =>
      files.config.safeParse({ ...path, include: [pattern], exclude: [pattern] }).success;
    assert.deepEqual([often(4), `**/${often(3)}`, '**/a/***/b/**/c/**/'].map(isTaken), [
      false,
      false,
      false,
    ]);
    const fine = [often(3), '**/a/**/b/**/*.md', '**/**/**/**/**/a', '**/a/**/b/**/c/**'];
    assert.deepEqual(fine.map(isTaken), [true, true, true, true]);
    assert.deepEqual(within({ '': often(3) }, `${'a/'.repeat(40)}c`), [`${'a/'.repeat(40)}c`]);
  });

  it('match a pattern with very many possibilities without delay', () => {
    takesAtMost(1000, () => {
      const rules = createRules({}).inside('', `${'*a'.repeat(40)}b`);
      assert.deepEqual(taken(rules, 'a'.repeat(255)), ['a'.repeat(255)]);
    });
  });
});
