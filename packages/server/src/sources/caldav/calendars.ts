/** Finds the calendars of the account: from the address to the person, to the home of the calendars (RFC 6764). */
import { SourceError, shown } from '../../errors.ts';
import type { FieldOption } from '../define.ts';
import type { Http } from '../kit/http.ts';
import type { CalDavConfig } from './config.ts';
import { type DavAnswer, type DavResource, pathOf, propfind } from './dav.ts';

const WELL_KNOWN = '/.well-known/caldav';

export interface Calendar {
  readonly path: string;
  readonly name: string;
  /** It changes with each change in the calendar. It is null when the server has no such token. */
  readonly token: string | null;
  readonly ctag: string | null;
}

interface CalendarPlace {
  readonly principal: string | null;
  readonly homes: readonly string[];
  readonly itself: DavResource | undefined;
}

/** Returns a name for the account by which people recognize it. */
export async function accountOf(http: Http, config: CalDavConfig): Promise<string> {
  const { principal } = await placeOf(http, config);
  if (principal === null) return pathOf(config.url);
  const { resources } = await propfind(http, principal, 0);
  return resources[0]?.properties.displayname || principal;
}

/** Returns all calendars that the account sees, or those that the configuration names. */
export async function calendarsOf(http: Http, config: CalDavConfig): Promise<Calendar[]> {
  const all = await allCalendars(http, config);
  const { calendars: chosen } = config;
  if (!chosen) return all;
  return chosen.map((path) => {
    const found = all.find((one) => one.path === asFolder(pathOf(path)));
    if (!found)
      throw new SourceError('config', `the account sees no calendar '${shown(path)}'`, {
        hint: `It sees ${all.map((one) => one.path).join(', ') || 'none at all'}.`,
      });
    return found;
  });
}

export async function calendarOptions(http: Http, config: CalDavConfig): Promise<FieldOption[]> {
  const all = await allCalendars(http, config);
  return all.map(({ path, name }) => ({ value: path, title: name, description: path }));
}

async function allCalendars(http: Http, config: CalDavConfig): Promise<Calendar[]> {
  const { homes, itself } = await placeOf(http, config);
  const found = new Map<string, Calendar>();
  for (const resource of itself && isCalendar(itself) ? [itself] : await inHomes(http, homes)) {
    const { path, properties } = resource;
    if (!isCalendar(resource)) continue;
    const at = asFolder(path);
    found.set(at, {
      path: at,
      name: properties.displayname?.trim() || (at.split('/').at(-2) ?? at),
      token: properties['sync-token'] || null,
      ctag: properties.getctag || null,
    });
  }
  return [...found.values()];
}

async function inHomes(http: Http, homes: readonly string[]): Promise<DavResource[]> {
  const all: DavResource[] = [];
  for (const home of homes) all.push(...(await propfind(http, home, 1)).resources);
  return all;
}

const isCalendar = ({ properties }: DavResource): boolean =>
  (properties.resourcetype?.calendar.length ?? 0) > 0;

const asFolder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

async function placeOf(http: Http, { url }: CalDavConfig): Promise<CalendarPlace> {
  const start = pathOf(url);
  const first = await (start === '/'
    ? unlessAbsent(() => propfind(http, start, 0))
    : unlessUnable(() => propfind(http, start, 0)));
  const itself = first?.resources[0];
  const begin = hrefsIn(first).length > 0 || (itself && isCalendar(itself)) ? first : null;
  const found = begin ?? (await unlessAbsent(() => propfind(http, WELL_KNOWN, 0)));
  const own = found?.resources[0]?.properties;
  const homesHere = own?.['calendar-home-set']?.href ?? [];
  const [href] = own?.['current-user-principal']?.href ?? [];
  const principal = href === undefined ? null : placeAt(href, url);
  if (principal === null && homesHere.length === 0 && !(itself && isCalendar(itself)))
    throw new SourceError('config', 'there is no CalDAV at this address: it names no principal', {
      hint: WHICH_ADDRESS,
    });
  const homes =
    homesHere.length > 0 || principal === null
      ? homesHere
      : ((await propfind(http, principal, 0)).resources[0]?.properties['calendar-home-set']?.href ??
        []);
  return { principal, homes: homes.map((home) => placeAt(home, url)), itself };
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

const hrefsIn = (answer: DavAnswer | null): string[] => {
  const { properties = {} } = answer?.resources[0] ?? {};
  return ['current-user-principal', 'calendar-home-set'].flatMap(
    (name) => properties[name as 'calendar-home-set']?.href ?? [],
  );
};

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
