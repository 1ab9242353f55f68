/**
 * Finds the site of Atlassian's cloud that a connection reads. An API token is used at the site itself. A token of OAuth
 * is used at Atlassian's gateway, where each site has an id (https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/).
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { FieldOption } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { some, text } from '../kit/lenient.ts';
import { ServiceUrl } from '../service-url.ts';

export const GATEWAY = 'https://api.atlassian.com';

export type AtlassianProduct = 'jira' | 'confluence';

/** The configuration of a source of Atlassian has this field. */
export const AtlassianConfig = z.strictObject({
  site: ServiceUrl.optional().meta({
    title: 'Site',
    description:
      'Address of the site, such as https://acme.atlassian.net. It is needed with an API token, and in the browser only when several sites were granted.',
    options: true,
    // Tokens of OAuth go to the gateway of Atlassian, whatever the site is.
    address: 'direct',
  }),
});
export type AtlassianConfig = z.infer<typeof AtlassianConfig>;

/** A source reads its site with this part of its context. */
export interface AtlassianContext {
  readonly http: Http;
  readonly isDirect: boolean;
  readonly config: Partial<AtlassianConfig>;
}

/**
 * Returns the address that an API token is used at. People copy addresses of pages, so only the address of the gateway,
 * at which tokens with scopes are used, keeps its path.
 */
export function siteAddress({ site = GATEWAY }: AtlassianConfig): string {
  const { origin, pathname } = new URL(site);
  return pathname.startsWith('/ex/') ? site : origin;
}

/**
 * Returns the host of the site, to which groups belong. `told` returns the address that the site says of itself. With an
 * API token the host comes from the configuration instead, because another server could claim to be the site, and its
 * groups would then open what belongs to the groups of the site. Answers of the gateway are those of Atlassian.
 */
export async function groupHost(
  { isDirect, config }: Pick<AtlassianContext, 'isDirect' | 'config'>,
  told: () => Promise<string>,
): Promise<string> {
  const own = isDirect && config.site !== undefined ? new URL(config.site) : undefined;
  if (own && own.origin !== GATEWAY) return own.host;
  const host = URL.parse(await told())?.host;
  if (!host)
    throw new SourceError('transient', 'the service does not tell the address of its site');
  return host;
}

const Sites = z.array(
  z.object({ id: z.string().min(1), name: text, url: text, scopes: some(z.string()) }),
);

/**
 * Returns what paths of the product begin with: '' at the site, and `ex/<product>/<id>/` at the gateway. Throws a
 * SourceError 'config' when it is not clear which site is meant.
 */
export async function pathToSite(
  { http, isDirect, config }: AtlassianContext,
  product: AtlassianProduct,
): Promise<string> {
  if (isDirect && config.site !== undefined) return '';
  if (isDirect)
    throw new SourceError('config', 'the site is missing: enter its address in `site`', {
      hint: 'It is the address at which people open it, such as https://acme.atlassian.net.',
    });
  const granted = await sitesOf(http, product);
  const origin = config.site === undefined ? undefined : new URL(config.site).origin;
  const found = granted.filter(({ url }) => origin === undefined || originOf(url) === origin);
  const [site] = found;
  if (site && found.length === 1) return `ex/${product}/${encodeURIComponent(site.id)}/`;
  const urls = granted.map(({ url }) => url).join(', ');
  if (granted.length === 0)
    throw new SourceError('config', `the sign-in has granted no site with ${product}`);
  throw new SourceError(
    'config',
    origin === undefined
      ? `the sign-in has granted several sites: choose one of them in \`site\`: ${urls}`
      : `the sign-in has not granted ${origin}, but ${urls}`,
  );
}

/** Each site is listed once for each product, with the scopes of that product. */
async function sitesOf(http: Http, product: AtlassianProduct) {
  const { value } = await http.json({ path: 'oauth/token/accessible-resources' }, Sites);
  const sites = value.filter(({ scopes }) => scopes.some((scope) => scope.includes(product)));
  return [...new Map(sites.map((site) => [site.id, site])).values()];
}

const originOf = (url: string) => URL.parse(url)?.origin;

/** Lists the sites that a sign-in in the browser has granted. */
export const siteOptions = async (
  { http, isDirect }: AtlassianContext,
  product: AtlassianProduct,
): Promise<FieldOption[]> =>
  isDirect
    ? []
    : (await sitesOf(http, product)).map(({ name, url }) => ({ value: url, title: name || url }));
