/** Finds the sites of an organization, and their libraries (https://learn.microsoft.com/graph/api/resources/site). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { FieldOption, OptionsRequest } from '../define.ts';
import { fail, lost, type SourceItem } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { NotFound } from '../kit/refusal.ts';
import {
  at,
  collection,
  eachAtOnce,
  encoded,
  text,
  wholeCollection,
} from '../microsoft/collection.ts';
import { type DrivePart, drivePart } from '../microsoft/drives.ts';
import { needs } from '../microsoft/entra.ts';

const isAddress = (text: string) => /^https:\/\/[^/?#]+(?:\/|$)/.test(text) && URL.canParse(text);
const NO_ADDRESS = 'is not the address of a site, such as https://acme.sharepoint.com/sites/sales';

export const SharePointConfig = z.strictObject({
  site_url: z
    .string()
    .max(2000)
    .refine((text) => text === '' || isAddress(text), NO_ADDRESS)
    .default('')
    .meta({
      title: 'Site',
      description:
        'Address of the site that is read with the sites below it, such as https://acme.sharepoint.com/sites/sales. Without a site, all sites are read that the account may see.',
      options: true,
    }),
  sites: z.array(z.string().max(2000).refine(isAddress, NO_ADDRESS)).max(500).default([]).meta({
    title: 'Further sites',
    description: 'Addresses of further sites that are read with the sites below them.',
    options: true,
  }),
  include_personal_sites: z.boolean().default(false).meta({
    title: 'Personal sites',
    description: 'Without chosen sites: also reads the personal sites of people (OneDrive).',
  }),
  groups: z.boolean().default(true).meta({
    title: 'Groups',
    description:
      'Reads the members of groups, so that a search on behalf of a person finds what is shared with their groups. It needs GroupMember.Read.All and User.ReadBasic.All.',
  }),
});
export type SharePointConfig = z.infer<typeof SharePointConfig>;

const SharePointSite = z.object({
  id: z.string(),
  name: text,
  displayName: text,
  webUrl: text,
});
type SharePointSite = z.infer<typeof SharePointSite>;
const Drive = z.object({ id: z.string(), name: text });
const SELECT = { $select: 'id,name,displayName,webUrl' };

const titleOf = ({ displayName, name, webUrl, id }: SharePointSite) =>
  displayName || name || webUrl || id;

/** People have their own sites below this path. */
const isPersonal = ({ webUrl = '' }: SharePointSite) =>
  /^https:\/\/[^/]+\/personal\//i.test(webUrl);

const chosenSites = ({ site_url, sites }: SharePointConfig): string[] => [
  ...new Set([...(site_url === '' ? [] : [site_url]), ...sites]),
];

/** Returns the site with this address, which Graph writes as `host:/path`. */
async function siteAt(http: Http, url: string): Promise<SharePointSite> {
  const { hostname, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  const id = path === '' ? hostname : `${hostname}:${path}`;
  return (await http.json({ path: `v1.0/sites/${id}`, query: SELECT }, SharePointSite)).value;
}

/** Throws a SourceError 'config' when a chosen site does not exist. */
export async function checkSites(http: Http, config: SharePointConfig): Promise<void> {
  for (const url of chosenSites(config))
    try {
      await siteAt(http, url);
    } catch (error) {
      throw isUnseen(error) ? unseen(url, error) : error;
    }
}

const isUnseen = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.kind === 'skip';

const unseen = (url: string, cause: SourceError) =>
  new SourceError(
    'config',
    `the account does not see the site '${url}' (${cause.message}): give the app access to it, or remove it from the sites`,
    { cause },
  );

interface FoundParts {
  readonly parts: readonly DrivePart[];
  /** These are chosen sites that the account does not see any more, and sites whose libraries it may not list. */
  readonly unseen: readonly SourceItem[];
}

export async function partsOf(http: Http, config: SharePointConfig): Promise<FoundParts> {
  const { sites, missing } = await sitesOf(http, config);
  const found = await eachAtOnce(sites, async (site) => {
    try {
      return { parts: await librariesOf(http, site), unseen: [] };
    } catch (error) {
      if (!isUnseen(error)) throw error;
      return { parts: [], unseen: [lost(encoded(site.id), error)] };
    }
  });
  return {
    parts: found.flatMap(({ parts }) => parts),
    unseen: [...missing, ...found.flatMap(({ unseen: items }) => items)],
  };
}

async function librariesOf(http: Http, site: SharePointSite): Promise<DrivePart[]> {
  const request = { path: at`sites/${site.id}/drives`, query: { $select: 'id,name' } };
  const drives = await wholeCollection(http, request, Drive);
  return drives.map(({ id, name }) =>
    drivePart(id, {
      name: `${titleOf(site)}/${name || id}`,
      partition: `${encoded(site.id)}/${encoded(id)}`,
      above: [
        { id: site.id, name: titleOf(site), type: 'SharePointOnlineSite' },
        { id, name: name || id, type: 'SharePointOnlineDrive' },
      ],
    }),
  );
}

async function sitesOf(http: Http, config: SharePointConfig) {
  const urls = chosenSites(config);
  if (urls.length > 0) return findSites(http, urls);
  const all = await wholeCollection(http, searched('*'), SharePointSite);
  const sites = config.include_personal_sites ? all : all.filter((site) => !isPersonal(site));
  return { sites: unique(sites), missing: [] };
}

/** A site may be below another chosen one, and a search may list a site twice. */
const unique = (sites: readonly SharePointSite[]): SharePointSite[] => [
  ...new Map(sites.map((site) => [site.id, site])).values(),
];

async function findSites(http: Http, urls: readonly string[]) {
  const sites: SharePointSite[] = [];
  const missing: SourceItem[] = [];
  for (const url of urls)
    try {
      for await (const site of withSubsites(http, await siteAt(http, url))) sites.push(site);
    } catch (error) {
      // A site that may not be read any more still exists, so nothing of it may be deleted.
      if (!(error instanceof NotFound)) throw isUnseen(error) ? unseen(url, error) : error;
      missing.push(fail(url, 'SharePointOnlineSite', unseen(url, error)));
    }
  return { sites: unique(sites), missing };
}

async function* withSubsites(
  http: Http,
  site: SharePointSite,
): AsyncGenerator<SharePointSite, void, void> {
  const met = new Set([site.id]);
  const left = [site];
  for (let one = left.pop(); one; one = left.pop()) {
    yield one;
    for (const below of await sitesBelow(http, one)) {
      // A site that lists itself below itself would never end.
      if (!met.has(below.id)) left.push(below);
      met.add(below.id);
    }
  }
}

/** A site that was deleted after it had been listed has none. The sites beside it are still there. */
async function sitesBelow(http: Http, { id }: SharePointSite): Promise<SharePointSite[]> {
  try {
    return await wholeCollection(
      http,
      { path: at`sites/${id}/sites`, query: SELECT },
      SharePointSite,
    );
  } catch (error) {
    if (error instanceof NotFound) return [];
    throw error;
  }
}

const searched = (text: string) => ({ path: at`sites`, query: { search: text, ...SELECT } });

export async function siteOptions(
  http: Http,
  { query, limit }: OptionsRequest,
): Promise<FieldOption[]> {
  const found: FieldOption[] = [];
  for await (const site of collection(http, searched(query || '*'), SharePointSite)) {
    const { webUrl } = site;
    if (webUrl !== undefined)
      found.push({ value: webUrl, title: titleOf(site), description: webUrl });
    if (found.length >= limit) break;
  }
  return found;
}

/**
 * Returns the host of the sites, of which an organization has one. A person need not see the site at the root, and an app
 * that may read only some sites sees neither that one nor a search.
 */
export async function tenantOf(http: Http, config: SharePointConfig): Promise<string> {
  const [chosen] = chosenSites(config);
  const url = chosen ?? (await rootOf(http)) ?? (await anySiteOf(http));
  if (url !== undefined) return new URL(url).hostname;
  throw new SourceError(
    'config',
    'the account sees no site: give the app Sites.Read.All, or access to some sites whose addresses you set',
  );
}

async function rootOf(http: Http): Promise<string | undefined> {
  try {
    return (await http.json({ path: at`sites/root`, query: SELECT }, SharePointSite)).value.webUrl;
  } catch (error) {
    if (isUnseen(error)) return undefined;
    throw error;
  }
}

async function anySiteOf(http: Http): Promise<string | undefined> {
  const all = needs('Sites.Read.All', wholeCollection(http, searched('*'), SharePointSite));
  const urls = (await all)
    .filter((site) => !isPersonal(site))
    .flatMap(({ webUrl }) => webUrl ?? []);
  return urls.toSorted()[0];
}
