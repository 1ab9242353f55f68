/** `quarry sign-in-link` makes a link that signs somebody in once, directly in the database. The service may run meanwhile. */
import { makeStartLink } from '../accounts/start-link.ts';
import { type Config, publicOriginOf } from '../config.ts';
import { OWNER } from '../organizations/bootstrap.ts';
import { withOwnDatabase } from './own-database.ts';
import { ownAddress, portIn } from './service-client.ts';

export interface LinkFlags {
  readonly email?: string;
  readonly forgetPassword?: boolean;
}

/** Returns the port that a setting names, or else that of the service that runs with the data of this machine. */
function portOf(config: Config): number {
  const own = config.isAddressSet && config.QUARRY_PORT !== 0 ? undefined : ownAddress(config);
  const port = own === undefined ? config.QUARRY_PORT : portIn(own);
  if (config.QUARRY_PUBLIC_URL === undefined && port === 0)
    throw new Error(
      'the service takes a free port, which this command does not know: give the port with --port',
    );
  return port;
}

/** Prints the link to standard output, and whom it signs in to standard error, so that a script can read the link. */
export async function printSignInLink(
  config: Config,
  { email = OWNER, forgetPassword = false }: LinkFlags,
): Promise<void> {
  const origin = publicOriginOf(config, portOf(config));
  const link = await withOwnDatabase(config, (db) =>
    makeStartLink(db, {
      email: email.toLowerCase(),
      origin,
      endsOthers: false,
      forgetsPassword: forgetPassword,
    }),
  );
  if (!link)
    throw new Error(
      `no organization has the member ${email}: name another one with --email; GET /v1/members lists them`,
    );
  process.stderr.write(
    `This link signs ${email} in. It works once, and for 24 hours.${forgetPassword ? ' The account has no password and no session now.' : ''}\n`,
  );
  process.stdout.write(`${link.url}\n`);
}
