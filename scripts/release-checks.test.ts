import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { integrityOf, isPublished, type ReleaseState, releaseFaults } from './release-checks.ts';

const good: ReleaseState = {
  version: '1.2.0',
  named: { 'package.json': '1.2.0', 'deploy/chart/Chart.yaml': '1.2.0' },
  changelog: '# Changelog\n\n## 1.2.0 — 2026-12-01\n\n### Added\n\n## 1.1.0 — 2026-11-01\n',
  changes: '',
  tags: ['v1.2.0'],
  repository: 'git+https://git.example/quarry.git',
};

describe('a release', () => {
  it('has no fault when all of it names one version, which is tagged and dated', () =>
    assert.deepEqual(releaseFaults(good), []));

  const faults: [name: string, change: Partial<ReleaseState>, sentence: RegExp][] = [
    [
      'another version in a file',
      { named: { 'deploy/chart/Chart.yaml': '1.1.0' } },
      /^deploy\/chart\/Chart\.yaml names 1\.1\.0, and the package 1\.2\.0$/,
    ],
    [
      'a changelog without a date',
      { changelog: '## 1.2.0 — unreleased\n' },
      /^CHANGELOG\.md begins with '## 1\.2\.0 — unreleased': write/,
    ],
    [
      'a changelog of the version before',
      { changelog: '## 1.1.0 — 2026-11-01\n' },
      /^CHANGELOG\.md begins with '## 1\.1\.0 — 2026-11-01'/,
    ],
    ['changes that are not committed', { changes: ' M README.md\n' }, /^the working tree has/],
    ['no repository', { repository: undefined }, /^packages\/server\/package\.json names no repo/],
    ['no tag', { tags: ['v1.1.0', 'v1.2'] }, /^the commit has no tag v1\.2\.0: /],
  ];
  for (const [name, change, sentence] of faults)
    it(`is refused for ${name}`, () => {
      const [found, ...others] = releaseFaults({ ...good, ...change });
      assert.match(found ?? '', sentence);
      assert.deepEqual(others, []);
    });
});

describe('a release that is run again', () => {
  const integrity = integrityOf(Buffer.from('archive'));

  it('publishes a version that the registry does not have', () =>
    assert.equal(isPublished({ version: '1.2.0', integrity, published: undefined }), false));

  it('goes on when the registry has the version with the same content', () =>
    assert.equal(isPublished({ version: '1.2.0', integrity, published: integrity }), true));

  it('is refused when the registry has the version with another content', () =>
    assert.throws(
      () => isPublished({ version: '1.2.0', integrity, published: integrityOf(Buffer.from('b')) }),
      /^Error: 1\.2\.0 is published with another content .*: raise the version$/,
    ));

  it('compares what npm writes into a lock file', () =>
    assert.equal(
      integrityOf(Buffer.from('')),
      'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    ));
});
