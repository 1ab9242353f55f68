/** Finds the calendars of the account: from the address to the person, to the home of the calendars (RFC 6764). */
import { SourceError, shown } from '../../errors.ts';
import type { FieldOption } from '../define.ts';
import type { Http } from '../kit/http.ts';
import type { CalDavConfig } from './config.ts';
import { type DavResource, described, isGone, listedIn, pathOf, refusalIn } from './dav.ts';

const WELL_KNOWN = '/.well-known/caldav';

export interface Calendar {
  readonly path: string;
  readonly name: string;
  /** It changes with each change in the calendar. It is null when the server has no such token. */
  readonly token: string | null;
  readonly ctag: string | null;
}

/** There may be a calendar at this path, or several below it, but the server refuses to tell. */
interface RefusedPath {
  readonly path: string;
  readonly error: SourceError;
}

interface FoundCalendars {
  readonly calendars: readonly Calendar[];
  readonly refused: readonly RefusedPath[];
}

export const isAtOrBelow = (path: string, refused: FoundCalendars['refused']): boolean =>
  refused.some((one) => path.startsWith(one.path));

interface CalendarPlace {
  readonly principal: string | null;
  readonly homes: readonly string[];
  readonly itself: DavResource | null;
}

/** Returns a name for the account by which people recognize it. */
export async function accountOf(http: Http, config: CalDavConfig): Promise<string> {
  const { principal } = await placeOf(http, config);
  if (principal === null) return pathOf(config.url);
  const { properties } = await described(http, principal);
  return properties.displayname || principal;
}

/** Returns all calendars that the account sees, or those that the configuration names. */
export async function calendarsOf(http: Http, config: CalDavConfig): Promise<FoundCalendars> {
  const all = await allCalendars(http, config);
  if (!config.calendars) return all;
  const chosen = config.calendars.map((path) => asFolder(pathOf(path)));
  const refused = all.refused.filter((one) => chosen.some((path) => isAtOrBelow(path, [one])));
  const calendars = chosen.flatMap((path) => {
    const found = all.calendars.find((one) => one.path === path);
    if (!found && !isAtOrBelow(path, refused))
      throw new SourceError('config', `the account sees no calendar '${shown(path)}'`, {
        hint: `It sees ${all.calendars.map((one) => one.path).join(', ') || 'none at all'}.`,
      });
    return found ?? [];
  });
  return { calendars, refused };
}

export async function calendarOptions(http: Http, config: CalDavConfig): Promise<FieldOption[]> {
  const { calendars } = await allCalendars(http, config);
  return calendars.map(({ path, name }) => ({ value: path, title: name, description: path }));
}

async function allCalendars(http: Http, config: CalDavConfig): Promise<FoundCalendars> {
  const { homes, itself } = await placeOf(http, config);
  const found = new Map<string, Calendar>();
  const refused = new Map<string, RefusedPath>();
  for (const resource of itself && isCalendar(itself) ? [itself] : await inHomes(http, homes)) {
    const { path, status, properties } = resource;
    if (isGone(status)) continue;
    const at = asFolder(path);
    const error = refusalIn(resource, 'resourcetype');
    if (error) refused.set(at, { path: at, error });
    if (!isCalendar(resource)) continue;
    found.set(at, {
      path: at,
      name: properties.displayname?.trim() || (at.split('/').at(-2) ?? at),
      token: properties['sync-token'] || null,
      ctag: properties.getctag || null,
    });
  }
  return { calendars: [...found.values()], refused: [...refused.values()] };
}

async function inHomes(http: Http, homes: readonly string[]): Promise<DavResource[]> {
  const all: DavResource[] = [];
  for (const home of homes) all.push(...(await listedIn(http, home)));
  return all;
}

const isCalendar = ({ properties }: DavResource): boolean =>
  (properties.resourcetype?.calendar.length ?? 0) > 0;

const asFolder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

async function placeOf(http: Http, { url }: CalDavConfig): Promise<CalendarPlace> {
  const start = pathOf(url);
  const itself = await (start === '/'
    ? unlessAbsent(() => described(http, start))
    : unlessUnable(() => described(http, start, 'resourcetype')));
  const isOne = itself !== null && isCalendar(itself);
  const begin = isOne || hrefsIn(itself).length > 0 ? itself : null;
  const own = (begin ?? (await unlessAbsent(() => described(http, WELL_KNOWN))))?.properties;
  const homesHere = own?.['calendar-home-set']?.href ?? [];
  const [href] = own?.['current-user-principal']?.href ?? [];
  const principal = href === undefined ? null : placeAt(href, url);
  if (principal === null && homesHere.length === 0 && !isOne)
    throw new SourceError('config', 'there is no CalDAV at this address: it names no principal', {
      hint: WHICH_ADDRESS,
    });
  const homes =
    homesHere.length > 0 || principal === null ? homesHere : await homesOf(http, principal);
  if (homes.length === 0 && !isOne)
    throw new SourceError('config', 'the account has no calendars: its principal names no home', {
      hint: WHICH_ADDRESS,
    });
  return { principal, homes: homes.map((home) => placeAt(home, url)), itself };
}

async function homesOf(http: Http, principal: string): Promise<readonly string[]> {
  const { properties } = await described(http, principal, 'calendar-home-set');
  return properties['calendar-home-set']?.href ?? [];
}

/** Some providers keep the calendars of each person at another host than that of the service. */
function placeAt(href: string, url: string): string {
  const found = URL.parse(href.trim(), url);
  if (found && found.hostname !== new URL(url).hostname)
    throw new SourceError('config', `the calendars of this account are at ${shown(found.origin)}`, {
      hint: `Put ${shown(found.href)} into url.`,
    });
  return pathOf(href);
}

const hrefsIn = (itself: DavResource | null): readonly string[] =>
  (['current-user-principal', 'calendar-home-set'] as const).flatMap(
    (name) => itself?.properties[name]?.href ?? [],
  );

const WHICH_ADDRESS = 'Give the address of the server, of your principal, or of one calendar.';

/**
 * A path at which there is nothing is an error: the rest of the account must not come in place of one calendar that was
 * deleted, or whose address is wrong. A server that does not know the method there may have its calendars elsewhere.
 */
async function unlessUnable<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.kind === 'fatal') return null;
    if (error.kind !== 'skip') throw error;
    throw new SourceError('config', `the account sees nothing at this address: ${error.message}`, {
      hint: WHICH_ADDRESS,
      cause: error,
    });
  }
}

/** A server that has nothing at an address may refuse the method or the resource. */
async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SourceError && ['skip', 'fatal'].includes(error.kind)) return null;
    throw error;
  }
}
