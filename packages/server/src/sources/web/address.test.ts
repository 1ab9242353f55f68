import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf, matcherOf, scopeOf } from './address.ts';

describe('addresses of pages', () => {
  it('have one form, however they are written', () => {
    for (const [link, address] of [
      ['HTTP://Example.ORG:80/a/../b/./c#d', 'http://example.org/b/c'],
      ['https://ann:secret@example.org/', 'https://example.org/'],
      ['/%7Eann/%e4%2f?x=%41', 'https://base.org/~ann/%E4%2F?x=A'],
      ['?utm_source=x&b=2&fbclid=1&a=1&gclid', 'https://base.org/dir/page?b=2&a=1'],
      ['/a;jsessionid=AB12?PHPSESSID=x', 'https://base.org/a'],
      ['//other.org', 'https://other.org/'],
      [' /spaces \n', 'https://base.org/spaces'],
      ['https://b\u00fccher.example/', 'https://xn--bcher-kva.example/'],
    ] as const)
      assert.equal(addressOf(link, 'https://base.org/dir/page'), address, link);
  });

  it('are none for other schemes, broken links and very long ones', () => {
    for (const link of [
      'mailto:a@b.c',
      'javascript:0',
      'data:,x',
      'ftp://x/',
      'http://',
      'http://[',
      `/${'x'.repeat(10_000)}`,
    ])
      assert.equal(addressOf(link, 'https://base.org/'), null, link.slice(0, 20));
  });
});

describe('patterns of paths', () => {
  it('are beginnings with wildcards and an end', () => {
    for (const [pattern, path, isMatch] of [
      ['/docs/', '/docs/a', true],
      ['/docs/', '/doc', false],
      ['*.pdf$', '/a.pdf', true],
      ['*.pdf$', '/a.pdf.html', false],
      ['/a*b*c', '/axxbyyc', true],
      ['/a*b*c', '/acb', false],
      ['/a$', '/a', true],
      ['/a$', '/ab', false],
      ['/*a$', '/aba', true],
      ['/ab*ba$', '/aba', false],
      ['*', '/', true],
    ] as const)
      assert.equal(matcherOf(pattern)(path), isMatch, `${pattern} ${path}`);
  });

  it('take time in proportion to the path, whatever they are', () => {
    const matches = matcherOf(`/${'*a'.repeat(400)}b`);
    for (let i = 0; i < 2000; i++) assert.equal(matches(`/${'a'.repeat(2000)}`), false);
  });
});

describe('the scope of a crawl', () => {
  it('is the hosts of the start addresses and the named ones, with what the patterns choose', () => {
    const scope = scopeOf({
      start_urls: ['https://a.org/start'],
      hosts: ['B.org', 'c.org:8080'],
      include: ['/docs/'],
      exclude: ['/docs/old'],
    });
    assert.deepEqual(scope.hosts, ['a.org', 'b.org', 'c.org:8080']);
    for (const [address, allowed] of [
      ['https://a.org/start', true],
      ['https://a.org/docs/x', true],
      ['http://b.org/docs/x', true],
      ['https://c.org:8080/docs/', true],
      ['https://c.org/docs/', false],
      ['https://a.org/docs/old/x', false],
      ['https://a.org/other', false],
      [`https://a.org/docs/${'x'.repeat(2100)}`, false],
    ] as const)
      assert.equal(scope.allows(address), allowed, address.slice(0, 40));
    assert.equal(scope.takes('https://a.org/start'), false);
  });
});
