import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { robotsOf } from './robots.ts';

const allows = (text: string, path: string) => robotsOf(text).allows(`https://example.org${path}`);

describe('robots.txt', () => {
  it('follows the longest rule, and of two of the same length the one that allows', () => {
    const text = 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c\nAllow: /c\n';
    assert.deepEqual(
      ['/a', '/a/b', '/a/bc', '/b', '/c', '/'].map((path) => allows(text, path)),
      [false, true, true, true, true, true],
    );
  });

  it('takes the groups for us, all of them together, and otherwise those for all robots', () => {
    const others = 'User-agent: *\nDisallow: /\n\n';
    assert.equal(allows(others, '/x'), false);
    const ours = `${others}user-agent: QUARRY/2.0\nDisallow: /a\n\nUser-agent: other\nUser-agent: quarry\nSitemap: /s\nDisallow: /b\n`;
    assert.deepEqual(
      ['/x', '/a', '/b'].map((path) => allows(ours, path)),
      [true, false, false],
    );
    assert.equal(allows('User-agent: quarrybot\nDisallow: /', '/x'), true);
    assert.equal(allows(`${others}User-agent: quarry\nDisallow:\n`, '/x'), true);
  });

  it('knows wildcards, ends, comments, escapes and every form of line break', () => {
    const text =
      '\ufeffUser-agent: *\rDisallow: /*.pdf$ # no files\r\nDisallow: /gr\u00f6\u00dfe\nDisallow: /%7eann\nDisallow: /q?a=*&b\n';
    const refused = ['/x/y.pdf', '/gr%C3%B6%C3%9Fe', '/~ann', '/q?a=1&b=2'];
    for (const path of refused) assert.equal(allows(text, path), false, path);
    for (const path of ['/x.pdf?page=1', '/ann', '/q?a=1'])
      assert.equal(allows(text, path), true, path);
  });

  it('reads the pause, within reason', () => {
    const delay = (value: string) => robotsOf(`User-agent: *\nCrawl-delay: ${value}`).delayMs;
    assert.deepEqual(['2', '0.5', '100000', '-1', 'x'].map(delay), [2000, 500, 60_000, 0, 0]);
  });

  it('never forbids robots.txt itself, and changes its digest with its rules', () => {
    const text = 'User-agent: *\nDisallow: /';
    assert.equal(allows(text, '/robots.txt'), true);
    assert.notEqual(robotsOf(text).digest, robotsOf(`${text}x`).digest);
  });
});
