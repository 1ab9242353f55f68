import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  OTHER_FILES,
  OTHER_FOLDERS,
  SECRET_FILES,
  SECRET_FOLDERS,
} from '../../test/documents/left-out-names.ts';
import { fileReason, folderReason, reasonBySiblings, secretFolderReason } from './by-name.ts';
import { BY_SIBLINGS } from './left-out.ts';

const isSecret = (why: { reason: string } | null) => why?.reason === 'left out as secrets';

describe('names that are left out by default', () => {
  it('[CON-41] match every pattern of the lists, in upper and lower case and at any depth', () => {
    for (const [names, judge] of [
      [[...SECRET_FILES, ...OTHER_FILES], fileReason],
      [[...SECRET_FOLDERS, ...OTHER_FOLDERS], folderReason],
    ] as const)
      for (const name of names)
        for (const path of [name, name.toUpperCase(), name.toLowerCase(), `a/b/${name}`])
          assert.ok(judge(path), path);
  });

  it('[CON-41] include copies of secret files, and of folders of secrets', () => {
    for (const name of SECRET_FILES)
      for (const copy of ['$&~', '$&.bak', '#$&#', '$& (1)', 'Copy of $&'])
        assert.ok(isSecret(fileReason(name.replace(/[^/]+$/, copy))), `${copy} ${name}`);
    for (const name of SECRET_FOLDERS) {
      assert.ok(isSecret(folderReason(`${name}.old`)), name);
      assert.ok(isSecret(folderReason(`x/${name} copy`)), name);
    }
  });

  it('include no other names', () => {
    for (const name of [
      'README.md',
      'notes.txt',
      'id_cards.md',
      'id_cards.txt',
      'environment.md',
      'keys.md',
      'monkey.json',
      'keyboard.json',
      'package.json',
      'credentials.md',
      'passwords.md',
      'secret.md',
      'secrets/README.md',
      'design-tokens.json',
      'token.ts',
      'cookies.txt',
      '.gitignore',
      '.github',
      '.editorconfig',
      'Makefile',
      'index.js',
      'a.map.md',
    ])
      assert.equal(fileReason(name), null, name);
    for (const name of [
      'build',
      'dist',
      'out',
      'target',
      'bin',
      'public',
      'vendor',
      'pods',
      'env',
      'secrets',
      'keys',
      'CVs',
      '.config',
      'gh',
      'docs',
      '.github',
      '.obsidian',
    ])
      assert.equal(folderReason(name), null, name);
  });

  it('[CON-41] include everything in a folder of secrets, wherever the folder is', () => {
    for (const path of ['/home/ann/.ssh', '/home/ann/.SSH/old', '/.aws/x/y', '/a/.config/gh'])
      assert.ok(isSecret(secretFolderReason(path)), path);
    for (const path of ['/', '/home/ann', '/srv/node_modules/docs', '/a/.config'])
      assert.equal(secretFolderReason(path), null, path);
  });

  it('[CON-41] include folders with ordinary names only beside the files that create them', () => {
    for (const { folders, files, reason } of BY_SIBLINGS)
      for (const folder of folders.split(' ')) {
        assert.equal(reasonBySiblings(folder, ['README.md', 'src', 'main.c']), null, folder);
        const file = files
          .trim()
          .split(/\s+/)[0]!
          .replaceAll(/[{}]|,.*/g, '')
          .replace('*', 'x');
        assert.equal(reasonBySiblings(folder.toUpperCase(), ['a', file])?.reason, reason, folder);
      }
    assert.equal(reasonBySiblings('docs', ['package.json', 'Cargo.toml']), null);
  });
});
