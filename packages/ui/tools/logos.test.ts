import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalog } from '../../server/src/sources/catalog.ts';
import { LOGO_NAMES, readLogos } from './logos.ts';

describe('the logos of sources', () => {
  it('belong to sources of the catalog', () => {
    const unknown = Object.keys(LOGO_NAMES).filter((name) => !catalog.has(name));
    assert.deepEqual(unknown, []);
  });

  it('are pictures that load and run nothing', () => {
    const logos = readLogos();
    assert.deepEqual(
      [...logos.keys()].toSorted(),
      [...new Set(Object.values(LOGO_NAMES))].toSorted(),
    );
    for (const [name, svg] of logos) {
      assert.match(
        svg,
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ [\d.]+"><.+<\/svg>$/s,
        name,
      );
      assert.doesNotMatch(svg, /<script|<foreignObject|\bon\w+=|href="(?!#)/i, name);
    }
  });
});
