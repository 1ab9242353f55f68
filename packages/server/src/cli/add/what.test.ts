import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { recognize } from './what.ts';

describe('what a person adds', () => {
  it('is a database, a website or a repository by the form of its address', () => {
    const cases: [string, ReturnType<typeof recognize>][] = [
      [
        'postgresql://ann:secret@db.example.org/the%20shop',
        {
          shortName: 'postgresql',
          name: 'the shop',
          given: { credentials: { url: 'postgresql://ann:secret@db.example.org/the%20shop' } },
        },
      ],
      [
        'mariadb://ann@db.example.org',
        {
          shortName: 'mysql',
          name: 'db.example.org',
          given: { credentials: { url: 'mariadb://ann@db.example.org' } },
        },
      ],
      [
        'https://docs.example.org/start',
        {
          shortName: 'web',
          name: 'docs.example.org',
          given: { config: { start_urls: ['https://docs.example.org/start'] } },
        },
      ],
      [
        'https://example.org/team/handbook.git',
        {
          shortName: 'git',
          name: 'handbook',
          given: { config: { url: 'https://example.org/team/handbook.git' } },
        },
      ],
      [
        'git@example.org:team/handbook.git',
        {
          shortName: 'git',
          name: 'handbook',
          given: { config: { url: 'git@example.org:team/handbook.git' } },
        },
      ],
      ['Google Drive', { shortName: 'google_drive' }],
      ['slack', { shortName: 'slack' }],
    ];
    for (const [text, recognized] of cases) assert.deepEqual(recognize(text), recognized);
  });

  it('is a folder where one exists, by its whole path', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quarry-what-')));
    const before = process.cwd();
    try {
      writeFileSync(join(folder, 'a.md'), '');
      process.chdir(folder);
      const recognized = {
        shortName: 'files',
        name: basename(folder),
        given: { config: { path: folder } },
      };
      assert.deepEqual(recognize('.'), recognized);
      assert.deepEqual(recognize(folder), recognized);
      assert.deepEqual(recognize('~').given?.config, { path: homedir() });
      assert.throws(() => recognize('a.md'), /a\.md is a file: add the folder that it is in/);
      assert.throws(() => recognize('./b'), /the folder .*b does not exist/);
      assert.throws(() => recognize('ftp://example.org'), /ftp:\/\/ is not known/);
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });
});
