/** `quarry open` opens the dashboard in the browser of this machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { makeStartLink } from '../accounts/start-link.ts';
import { type Config, processEnvironment, publicOriginOf } from '../config.ts';
import { OWNER } from '../organizations/bootstrap.ts';
import { openLink } from './connect/open-link.ts';
import { withOwnDatabase } from './own-database.ts';
import { findService } from './service-client.ts';

/** A browser that has to start reads the file with the link within this time. */
const BROWSER_MS = 5_000;

/** The owner is signed in where the service runs with the data of this machine. Elsewhere a person signs in as usual. */
export async function openDashboard(
  config: Config,
  { browser }: { readonly browser: boolean },
): Promise<void> {
  const { address, isOwn } = findService(config);
  const link = isOwn ? await signedIn(config, address) : address;
  process.stdout.write(`${link}\n`);
  if (!browser) return;
  const { isOpened, close } = await openLink(link, processEnvironment());
  try {
    if (isOpened) await sleep(BROWSER_MS);
    else process.stderr.write('this machine shows no browser: open the link yourself\n');
  } finally {
    await close();
  }
}

async function signedIn(config: Config, address: string): Promise<string> {
  const origin = publicOriginOf(config, Number(new URL(address).port));
  const link = await withOwnDatabase(config, (db) =>
    makeStartLink(db, { email: OWNER, origin, endsOthers: false }),
  );
  return link?.url ?? address;
}
