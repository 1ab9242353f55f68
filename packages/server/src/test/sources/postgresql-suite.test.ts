/** Runs the suite that every source passes for the postgresql source on a real server. */
import { postgresql } from '../../sources/catalog/postgresql.ts';
import { testSource } from './harness.ts';
import { openPeer } from './postgres-peer.ts';

testSource(postgresql, async () => {
  const peer = await openPeer();
  const credentials = await peer.schema(`
    create table notes (id int primary key, title text, body text, updated_at timestamptz);
    insert into notes select i, 'note ' || i, 'about ' || i, now() - i * interval '1 day'
      from generate_series(1, 1200) i;
    create table tags (note int, tag text, primary key (note, tag));
    insert into tags values (1, 'a'), (1, 'b');
    create table loose (a int);`);
  return {
    credentials,
    config: { tables: ['notes', 'tags'] },
    cursorField: 'updated_at',
    wrong: [
      {
        name: 'password',
        credentials: { ...credentials, password: 'not-this-one' },
        kind: 'auth',
        says: /^PostgreSQL answered: password authentication failed for user "[^"]+"$/,
      },
      {
        name: 'role',
        credentials: { ...credentials, user: 'nobody-here' },
        kind: 'auth',
        says: /^PostgreSQL answered: password authentication failed for user "nobody-here"$/,
      },
      {
        name: 'database',
        credentials: { ...credentials, database: 'atlantis' },
        kind: 'config',
        says: /^PostgreSQL answered: database "atlantis" does not exist$/,
      },
      {
        name: 'port',
        credentials: { ...credentials, port: 1 },
        kind: 'transient',
        says: /^PostgreSQL at \S+:1 cannot be reached: .*ECONNREFUSED/,
      },
      {
        name: 'schema',
        credentials: { ...credentials, schema: 'nowhere' },
        config: {},
        kind: 'config',
        says: /^the schema nowhere does not exist in this database$/,
      },
      {
        name: 'table',
        config: { tables: ['notes', 'nothing'] },
        kind: 'config',
        says: /^the table nothing does not exist in the schema quarry_test_/,
      },
      {
        name: 'table of another schema',
        config: { tables: ['notes', 'elsewhere.nothing'] },
        kind: 'config',
        says: /^the table elsewhere\.nothing does not exist in this database$/,
      },
      {
        name: 'one of several schemas',
        config: { schemas: [credentials.schema, 'elsewhere'] },
        kind: 'config',
        says: /^the schema elsewhere does not exist in this database$/,
      },
      {
        name: 'table under both of its names',
        config: { tables: ['notes', `${credentials.schema}.notes`] },
        kind: 'config',
        says: /^the configuration names the table quarry_test_\S+\.notes twice$/,
      },
      {
        name: 'table without a key',
        config: { tables: ['loose'] },
        kind: 'config',
        says: /^the table loose has no primary key, .*: give it one, or read it by a query with a key$/,
      },
      {
        name: 'query with a wrong column',
        config: { queries: [{ name: 'q', query: 'select nope from notes' }] },
        kind: 'config',
        says: /^the query q cannot be read: PostgreSQL answered: column "nope" does not exist$/,
      },
      {
        name: 'query without its key',
        config: { queries: [{ name: 'q', query: 'select title from notes' }] },
        kind: 'config',
        says: /^the query q cannot be read: the query q has no column id, which its key names$/,
      },
      {
        name: 'query with parameters',
        config: { queries: [{ name: 'q', query: 'select id from notes where id = $1' }] },
        kind: 'config',
        says: /^the query q cannot be read: PostgreSQL answered: bind message supplies 0/,
      },
      {
        name: 'two columns of one name',
        config: { queries: [{ name: 'q', query: 'select id, id from notes' }] },
        kind: 'config',
        says: /two columns id: name one of them otherwise, with AS$/,
      },
      {
        name: 'statement that writes',
        config: { queries: [{ name: 'q', query: 'delete from notes returning id' }] },
        kind: 'config',
        says: /^the query q cannot be read: PostgreSQL answered: syntax error/,
      },
      {
        name: 'two statements',
        config: { queries: [{ name: 'q', query: 'select id from notes) r; select (1' }] },
        kind: 'config',
        says: /cannot insert multiple commands into a prepared statement$/,
      },
    ],
    close: () => peer.close(),
  };
});
