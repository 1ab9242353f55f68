/** Reads what an Airweave has: its collections, source connections and webhooks. Nothing secret is asked for. */
import { z } from 'zod';
import type { AirweaveApi } from './airweave-api.ts';

/** These are the parts that Quarry keeps of the vendor's answers (@airweave/sdk 0.7.20, and schemas/ of its server). */
const AirweaveCollection = z.object({
  id: z.string(),
  name: z.string(),
  readable_id: z.string(),
});
const ListedConnection = z.object({ id: z.string() });
const AirweaveConnection = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  short_name: z.string(),
  readable_collection_id: z.string(),
  auth: z.object({ method: z.string(), provider_readable_id: z.string().nullish() }),
  config: z.record(z.string(), z.unknown()).nullish(),
  schedule: z.object({ cron: z.string().nullish() }).nullish(),
});
const AirweaveWebhook = z.object({
  id: z.string(),
  url: z.string(),
  filter_types: z.array(z.string()).nullish(),
  description: z.string().nullish(),
  disabled: z.boolean().default(false),
});

export type AirweaveCollection = z.infer<typeof AirweaveCollection>;
export type AirweaveConnection = z.infer<typeof AirweaveConnection>;
export type AirweaveWebhook = z.infer<typeof AirweaveWebhook>;

export interface AirweaveContent {
  readonly collections: readonly AirweaveCollection[];
  readonly connections: readonly AirweaveConnection[];
  /** It is null when this Airweave has no webhooks, as older versions do not. */
  readonly webhooks: readonly AirweaveWebhook[] | null;
}

/** `show` gets the progress. Airweave lists the newest first, and what is oldest is made first. */
export async function readAirweave(
  api: AirweaveApi,
  show: (text: string) => void,
): Promise<AirweaveContent> {
  const collections = await api.list('/collections', AirweaveCollection);
  const listed = await api.list('/source-connections', ListedConnection);
  const connections: AirweaveConnection[] = [];
  for (const [i, { id }] of listed.entries()) {
    show(`reading connection ${i + 1} of ${listed.length}`);
    const path = `/source-connections/${encodeURIComponent(id)}`;
    const connection = await api.get(path, AirweaveConnection);
    // It may have been deleted since the list was read.
    if (connection) connections.push(connection);
  }
  const webhooks = await api.get('/webhooks/subscriptions', z.array(AirweaveWebhook));
  return {
    collections: collections.toReversed(),
    connections: connections.toReversed(),
    webhooks: webhooks ?? null,
  };
}
