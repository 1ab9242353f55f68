import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOtherArchive } from './pack/archives.ts';

describe('the archives of the package', () => {
  it('that a new one replaces are those of other versions, and no other files', () => {
    const made = 'quarry-0.2.0.tgz';
    const files = [
      ...['quarry-0.1.0.tgz', 'quarry-0.2.0-rc.1.tgz', made, 'quarry-chart-0.1.0.tgz'],
      ...['quarry.service', 'my-quarry-0.1.0.tgz', 'quarry-0.1.0.tgz.asc', 'Dockerfile'],
    ];
    const replaced = files.filter((file) => isOtherArchive(file, made));
    assert.deepEqual(replaced, ['quarry-0.1.0.tgz', 'quarry-0.2.0-rc.1.tgz']);
  });
});
