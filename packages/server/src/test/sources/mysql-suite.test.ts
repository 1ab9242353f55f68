/** Runs the suite that every source passes for the mysql source on a real server. */
import { describe } from 'node:test';
import { mysql } from '../../sources/catalog/mysql.ts';
import { skipWithoutMariadb } from '../mariadb-server.ts';
import { testSource } from './harness.ts';
import { openPeer } from './mysql-peer.ts';

describe('mysql', { skip: skipWithoutMariadb }, () => {
  testSource(mysql, async () => {
    const peer = await openPeer();
    const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 1200)`;
    const credentials = await peer.database(
      `
      create table notes (id int primary key, title text, body text, updated_at datetime(6));
      set session cte_max_recursion_depth = 5000;
      insert into notes ${numbers}
        select i, concat('note ', i), concat('about ', i), now(6) - interval i day from n;
      create table tags (note int, tag varchar(20), primary key (note, tag));
      insert into tags values (1, 'a'), (1, 'b');
      create table loose (a int);
      create view seen as select * from notes;`.replace(
        /set session cte.*;/,
        peer.isMariaDb ? '' : '$&',
      ),
    );
    const q = (query: string) => ({ queries: [{ name: 'q', query }] });
    return {
      credentials,
      config: { tables: ['notes', 'tags'] },
      cursorField: 'updated_at',
      wrong: [
        {
          name: 'password',
          credentials: { ...credentials, password: 'not-this-one' },
          kind: 'auth',
          says: /^MySQL answered: Access denied for user 'root'@'[^']+' \(using password: YES\)$/,
        },
        {
          name: 'user',
          credentials: { ...credentials, user: 'nobody-here' },
          kind: 'auth',
          says: /^MySQL answered: Access denied for user 'nobody-here'/,
        },
        {
          name: 'database',
          credentials: { ...credentials, database: 'atlantis' },
          kind: 'config',
          says: /^MySQL answered: Unknown database 'atlantis'$/,
        },
        {
          name: 'port',
          credentials: { ...credentials, port: 1 },
          kind: 'transient',
          says: /^MySQL at \S+:1 cannot be reached: ECONNREFUSED$/,
        },
        {
          name: 'schema',
          credentials: { ...credentials, schema: 'nowhere' },
          config: {},
          kind: 'config',
          says: /^MySQL answered: Unknown database 'nowhere'$/,
        },
        {
          name: 'table',
          config: { tables: ['notes', 'nothing'] },
          kind: 'config',
          says: /^the table nothing does not exist in the database quarry_test_\S+, or the user may not read it$/,
        },
        {
          name: 'table of another database',
          config: { tables: ['notes', 'elsewhere.nothing'] },
          kind: 'config',
          says: /^the table elsewhere\.nothing does not exist on this server, or the user may not read it$/,
        },
        {
          name: 'one of several databases',
          config: { schemas: [credentials.database, 'elsewhere'] },
          kind: 'config',
          says: /^the database elsewhere does not exist on this server, or the user may not read it$/,
        },
        {
          name: 'database of the server',
          config: { schemas: ['mysql'] },
          kind: 'config',
          says: /^the database mysql belongs to the server itself: choose another one$/,
        },
        {
          name: 'table of the server',
          config: { tables: ['mysql.user'] },
          kind: 'config',
          says: /^the table mysql\.user does not exist on this server/,
        },
        {
          name: 'table under both of its names',
          config: { tables: ['notes', `${credentials.database}.notes`] },
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
          name: 'view',
          config: { tables: ['seen'] },
          kind: 'config',
          says: /^seen is a view or a foreign table and has no primary key: read it by a query with a key$/,
        },
        {
          name: 'query with a wrong column',
          config: q('select nope from notes'),
          kind: 'config',
          says: /^the query q cannot be read: MySQL answered: Unknown column 'nope' in/,
        },
        {
          name: 'query without its key',
          config: q('select title from notes'),
          kind: 'config',
          says: /^the query q cannot be read: the query q has no column id, which its key names$/,
        },
        {
          name: 'query with parameters',
          config: q('select id from notes where id = ?'),
          kind: 'config',
          says: /^the query q cannot be read: it has parameters \(\?\), for which there are no values/,
        },
        {
          name: 'two columns of one name',
          config: q('select id, id from notes'),
          kind: 'config',
          says: /Duplicate column name 'id'$/,
        },
        {
          name: 'statement that writes',
          config: q('delete from notes'),
          kind: 'config',
          says: /^the query q cannot be read: MySQL answered: Cannot execute statement in a READ ONLY/,
        },
        {
          name: 'statement that returns no rows of a table',
          config: q('show tables'),
          kind: 'config',
          says: /^the query q cannot be read: MySQL answered: You have an error in your SQL syntax/,
        },
        {
          name: 'two statements',
          config: q('select id from notes; select 1'),
          kind: 'config',
          says: /^the query q cannot be read: MySQL answered: You have an error in your SQL syntax/,
        },
        {
          name: 'query that ends the parenthesis around it',
          config: q('select id from notes) as r union all (select 1'),
          kind: 'config',
          says: /^the query q cannot be read: MySQL answered: You have an error in your SQL syntax/,
        },
      ],
      close: () => peer.close(),
    };
  });
});
