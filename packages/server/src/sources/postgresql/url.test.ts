import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readUrl as read } from '../sql/url.ts';
import { POSTGRES_URL } from './credentials.ts';

const readUrl = (text: string) => read(POSTGRES_URL, text);

const ANN = {
  host: 'db.example',
  port: 5432,
  database: 'shop',
  user: 'ann',
  password: 'secret-pass',
};

describe('the URL of a PostgreSQL server', () => {
  it('contains host, port, database, user and password', () => {
    for (const scheme of ['postgres', 'postgresql', 'POSTGRES'])
      assert.deepEqual(readUrl(`${scheme}://ann:secret-pass@db.example/shop`), ANN);
    assert.deepEqual(readUrl('postgres://ann:secret-pass@db.example:6543/shop'), {
      ...ANN,
      port: 6543,
    });
  });

  it('has parts that are percent-decoded, each once', () => {
    assert.deepEqual(readUrl('postgres://a%40b:p%2Fq%3A%25%C3%BC%23%3F@h/d%20e%2Ff'), {
      host: 'h',
      port: 5432,
      database: 'd e/f',
      user: 'a@b',
      password: 'p/q:%ü#?',
    });
    assert.deepEqual(readUrl('postgres://a:p%252B+@h/d'), {
      host: 'h',
      port: 5432,
      database: 'd',
      user: 'a',
      password: 'p%2B+',
    });
  });

  it('may have an address or the folder of a socket as its host', () => {
    const hostOf = (text: string) => (readUrl(`postgres://a:p@${text}/d`) as { host: string }).host;
    assert.equal(hostOf('[::1]:5433'), '::1');
    assert.equal(hostOf('10.0.0.1'), '10.0.0.1');
    assert.equal(hostOf('%2Fvar%2Frun%2Fpostgresql'), '/var/run/postgresql');
  });

  it('has an sslmode that is at least as strict as in libpq', () => {
    const modes = {
      disable: 'disable',
      allow: 'prefer',
      prefer: 'prefer',
      require: 'require',
      'verify-ca': 'verify',
      'verify-full': 'verify',
    };
    for (const [mode, ssl] of Object.entries(modes))
      assert.deepEqual(readUrl(`postgres://ann:secret-pass@db.example/shop?sslmode=${mode}`), {
        ...ANN,
        ssl,
      });
  });

  for (const [what, url, wrong] of [
    ['another scheme', 'mysql://ann:secret-pass@h/d', /^it does not begin with postgres:/],
    ['no URL', 'host=h password=secret-pass', /^it does not begin with postgres:/],
    ['no user', 'postgres://:secret-pass@h/d', /^it names no user$/],
    ['no password', 'postgres://ann@h/secret-pass', /^it names no password$/],
    ['no host', 'postgres://h/secret-pass', /^it names no user$/],
    ['no database', 'postgres://ann:secret-pass@h', /^it names no database$/],
    ['an empty database', 'postgres://ann:secret-pass@h/', /^it names no database$/],
    ['several hosts', 'postgres://ann:secret-pass@h:1,g:2/d', /^it is not of the form .* one host/],
    ['a bare #', 'postgres://ann:secret-pass#x@h/d', /%23/],
    ['a bare # further on', 'postgres://ann:p@h/d#secret-pass', /%23/],
    ['a bare %', 'postgres://ann:secret-pass%zz@h/d', /%25/],
    ['half of a character', 'postgres://ann:secret-pass%C3@h/d', /%25/],
    ['a NUL', 'postgres://ann%00:secret-pass@h/d', /NUL/],
    ['port 0', 'postgres://ann:secret-pass@h:0/d', /port is 0/],
    ['a port too great', 'postgres://ann:secret-pass@h:65536/d', /^it is not of the form/],
    [
      'a parameter that is not known',
      'postgres://a:p@h/d?options=secret-pass',
      /parameter options/,
    ],
    ['an unknown sslmode', 'postgres://a:p@h/d?sslmode=secret-pass', /^its sslmode is not one of/],
    ['two of sslmode', 'postgres://a:p@h/d?sslmode=require&sslmode=disable', /^its sslmode/],
  ] as const)
    it(`is refused with ${what}, and no part of it is quoted`, () => {
      const refused = readUrl(url);
      assert.ok('wrong' in refused, JSON.stringify(refused));
      assert.match(refused.wrong, wrong);
      assert.doesNotMatch(refused.wrong, /secret-pass/);
    });
});
