/** Opens the websites of a connection for a pull. */
import type { SourceContext } from '../define.ts';
import { scopeOf } from './address.ts';
import { openClient, type WebCredentials } from './client.ts';
import type { WebConfig } from './config.ts';
import type { Site } from './visit.ts';

export type SiteContext = Pick<
  SourceContext<WebConfig, WebCredentials>,
  'config' | 'credentials' | 'send' | 'meter' | 'signal' | 'downloads'
>;

/** A listing gives this to the hydration, which then shares its pauses and its knowledge of robots.txt. */
export interface Carry {
  readonly site: Site;
  readonly lastmod: string | null;
  /** The name under which a document is read. */
  readonly name?: string;
  readonly modified?: string | null;
}

export const openSite = (ctx: SiteContext): Site => ({
  client: openClient({ ...ctx, startUrls: ctx.config.start_urls }),
  scope: scopeOf(ctx.config),
  startHosts: new Set(ctx.config.start_urls.map((start) => new URL(start).host)),
  signal: ctx.signal,
  prints: new Map(),
  goneAt: 0,
});
