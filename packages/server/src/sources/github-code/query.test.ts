import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isWithin, Scope, searchText } from './query.ts';

describe('the query for GitHub', () => {
  const asks = (query: string, text: string | null, scope?: string) =>
    assert.equal(searchText(query, scope), text);

  it('has each word once, without common words, and the scope', () => {
    asks('How do I retry a webhook?', 'retry webhook');
    asks('retry Webhook retry', 'retry webhook org:acme', 'org:acme');
    asks('new HttpClient().send_all(x)', 'new httpclient send_all x');
    asks('größe 日本語', 'größe 日本語');
    asks('retry', 'retry org:acme repo:a/b.c', ' org:acme  repo:a/b.c ');
  });

  it('lets the query change neither the scope nor the excluded places', () => {
    for (const [query, text] of [
      ['secret repo:evil/x', 'secret repo evil x'],
      ['secret REPO:evil/x org:evil user:evil', 'secret repo evil x org user'],
      ['repo\u003aevil/x', 'repo evil x'],
      ['repo\uff1aevil', 'repo evil'],
      ['-org:acme secret', 'org acme secret'],
      ['secret NOT org:acme', 'secret org acme'],
      ['secret OR repo:evil/x', 'secret repo evil x'],
      ['secret) OR (repo:evil/x', 'secret repo evil x'],
      ['"secret" repo:"evil/x"', 'secret repo evil x'],
      ['secret\nrepo:evil/x', 'secret repo evil x'],
      ['/sec.*/ path:/x', 'sec path x'],
    ] as const)
      asks(query, `${text} org:acme`, 'org:acme');
  });

  it('treats operators as words when they are the only words', () => {
    asks('NOT', 'not');
    asks('AND OR', 'and or');
  });

  it('is null without words', () => {
    for (const query of ['', '?!', '"" :', '🦊']) asks(query, null, 'org:acme');
  });

  it('is not longer than GitHub allows, and has only whole words', () => {
    const long = Array.from({ length: 100 }, (_, i) => `word${i}`).join(' ');
    const text = searchText(long, undefined)!;
    assert.ok(text.length <= 256 && text.length > 240, text);
    for (const word of text.split(' ')) assert.match(word, /^word\d+$/);
    asks(`${'a'.repeat(100)} ${'b'.repeat(155)}`, `${'a'.repeat(100)} ${'b'.repeat(155)}`);
    asks(`${'a'.repeat(100)} ${'b'.repeat(156)}`, 'a'.repeat(100));
    asks(`${'x'.repeat(257)} short`, 'short');
    asks('x'.repeat(257), null);
  });
});

describe('the scope of a connection', () => {
  it('is made of org, user and repo', () => {
    for (const scope of ['org:acme', 'user:a-b', 'repo:acme/x.y_z', 'org:acme  repo:a/b'])
      assert.ok(Scope.safeParse(scope).success, scope);
    for (const scope of ['', ' ', 'acme', 'org:', 'org:a/b', 'repo:a', 'path:x', 'org:a OR org:b'])
      assert.ok(!Scope.safeParse(scope).success, scope);
  });

  it('tells which repositories it contains', () => {
    const inside = (scope: string | undefined, repository: string, is: boolean) =>
      assert.equal(isWithin(scope, repository), is, `${repository} in ${scope}`);
    inside(undefined, 'any/thing', true);
    inside('org:acme', 'Acme/x', true);
    inside('org:Acme', 'acme/x', true);
    inside('org:acme', 'acme-evil/x', false);
    inside('org:acme', 'evil/acme', false);
    inside('repo:acme/x', 'acme/x', true);
    inside('repo:acme/x', 'acme/xy', false);
    inside('repo:acme/x user:me', 'me/any', true);
  });
});
