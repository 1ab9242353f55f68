/** The credentials of a PostgreSQL server: fields, or a URL as in libpq. */
import type { z } from 'zod';
import { credentialsOf, nameFor } from '../sql/credentials.ts';
import type { UrlForm } from '../sql/url.ts';

/** https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS */
export const POSTGRES_URL: UrlForm = {
  product: 'PostgreSQL',
  schemes: ['postgres', 'postgresql'],
  defaultPort: 5432,
  tlsParameter: 'sslmode',
  tlsModes: new Map([
    ['disable', 'disable'],
    ['allow', 'prefer'],
    ['prefer', 'prefer'],
    ['require', 'require'],
    ['verify-ca', 'verify'],
    ['verify-full', 'verify'],
  ]),
};

export const Credentials = credentialsOf({
  form: POSTGRES_URL,
  host: 'Name or address of the server, or the folder of its socket.',
  user: 'A role that may read the tables.',
  schema: nameFor(POSTGRES_URL).default('public').meta({
    title: 'Schema',
    description: 'Schema of the tables that are named without one, and where queries look first.',
  }),
});
export type Credentials = z.infer<typeof Credentials>;
