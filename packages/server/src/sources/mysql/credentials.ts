/** The credentials of a MySQL or MariaDB server: fields, or a URL as MySQL's own tools read it. */
import type { z } from 'zod';
import { credentialsOf, nameFor } from '../sql/credentials.ts';
import type { UrlForm } from '../sql/url.ts';

/** https://dev.mysql.com/doc/refman/8.4/en/connecting-using-uri-or-key-value-pairs.html */
export const MYSQL_URL: UrlForm = {
  product: 'MySQL',
  schemes: ['mysql', 'mariadb'],
  defaultPort: 3306,
  tlsParameter: 'ssl-mode',
  tlsModes: new Map([
    ['disabled', 'disable'],
    ['preferred', 'prefer'],
    ['required', 'require'],
    ['verify_ca', 'verify'],
    ['verify_identity', 'verify'],
  ]),
};

export const MysqlCredentials = credentialsOf({
  form: MYSQL_URL,
  host: 'Name or address of the server, or the path of its socket.',
  user: 'A user with the privilege SELECT on the tables, and no other.',
  schema: nameFor(MYSQL_URL).optional().meta({
    title: 'Schema',
    description:
      'Another word for the database. When both are given, tables that are named without a database are read from here.',
  }),
});
export type MysqlCredentials = z.infer<typeof MysqlCredentials>;
