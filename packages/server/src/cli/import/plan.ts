/**
 * Plans an import by comparing both services: what Quarry has already is left alone, so a second run makes nothing twice,
 * and completes one that was interrupted. Collections come before their connections, and webhooks last, because a webhook
 * would be told of everything that the import makes.
 */
import { type Collection, NewCollection } from '../../collections/schema.ts';
import type { SourceConnection } from '../../connections/schema.ts';
import { EVENT_TYPES } from '../../events/types.ts';
import type { SourceType } from '../../sources/schema.ts';
import { NewSubscription, type Subscription } from '../../webhooks/schema.ts';
import { refusalOf } from '../../webhooks/url.ts';
import type { ServiceFlags } from '../options.ts';
import type { AirweaveCollection, AirweaveContent, AirweaveWebhook } from './airweave-content.ts';
import { connectionStep } from './connection-step.ts';
import { faultsOf } from './faults.ts';
import { countOf, type ImportStep } from './steps.ts';
import { quarryShortName } from './translate-config.ts';

export interface QuarryContent {
  readonly collections: readonly Collection[];
  readonly connections: readonly SourceConnection[];
  readonly webhooks: readonly Subscription[];
  readonly sources: readonly SourceType[];
}

export function planImport(
  airweave: AirweaveContent,
  quarry: QuarryContent,
  where: ServiceFlags,
): ImportStep[] {
  const existing = new Set(quarry.collections.map(({ readable_id }) => readable_id));
  const collections = airweave.collections.map((theirs) => ({
    readableId: theirs.readable_id,
    step: collectionStep(theirs, existing),
  }));
  const isThere = collections.filter(({ step }) => step.action !== 'impossible');
  const context = {
    sources: new Map(quarry.sources.map((source) => [source.short_name, source])),
    collections: new Set([...existing, ...isThere.map(({ readableId }) => readableId)]),
    where,
  };
  const connected = countOf(quarry.connections, (one) => JSON.stringify(identityOf(one)));
  const connections = airweave.connections.map((theirs): ImportStep => {
    const identity = identityOf({ ...theirs, short_name: quarryShortName(theirs.short_name) });
    const found = connected.take(JSON.stringify(identity));
    if (!found) return connectionStep(theirs, context);
    const { name, short_name, readable_collection_id } = found;
    const thing = { kind: 'source_connection' as const, name, short_name, readable_collection_id };
    return { thing, notes: [], action: 'exists', found };
  });
  const subscribed = countOf(quarry.webhooks, ({ url, filter_types }) =>
    webhookIdentity(url, filter_types),
  );
  const webhooks = (airweave.webhooks ?? []).map((theirs) => webhookStep(theirs, subscribed.take));
  return [...collections.map(({ step }) => step), ...connections, ...webhooks];
}

const identityOf = ({
  readable_collection_id,
  short_name,
  name,
}: Pick<SourceConnection, 'readable_collection_id' | 'short_name' | 'name'>) => [
  readable_collection_id,
  short_name,
  name,
];

function collectionStep(
  { readable_id, name }: AirweaveCollection,
  existing: ReadonlySet<string>,
): ImportStep {
  const base = { thing: { kind: 'collection' as const, readable_id, name }, notes: [] };
  if (existing.has(readable_id)) return { ...base, action: 'exists', found: {} };
  const body = { readable_id, name };
  const faults = faultsOf(NewCollection, body);
  if (faults.length > 0) return { ...base, action: 'impossible', notes: faults };
  return { ...base, action: 'make', path: '/v1/collections', body };
}

const webhookIdentity = (url: string, types: readonly string[]): string =>
  JSON.stringify([url, types.toSorted()]);

function webhookStep(
  { url, filter_types, description, disabled }: AirweaveWebhook,
  takeExisting: (identity: string) => Subscription | undefined,
): ImportStep {
  // Without a filter, everything is delivered.
  const wanted = filter_types?.length ? filter_types : EVENT_TYPES;
  const event_types = EVENT_TYPES.filter((type) => wanted.includes(type));
  const unknown = wanted.filter((type) => !event_types.some((known) => known === type));
  const base = {
    thing: { kind: 'webhook' as const, url, event_types },
    notes: unknown.map((type) => `Quarry sends no ${type}.`),
  };
  const found = takeExisting(webhookIdentity(url, event_types));
  if (found) return { ...base, action: 'exists', found };
  const refusal = refusalOf(url, true);
  if (event_types.length === 0 || refusal !== undefined)
    return {
      ...base,
      action: 'impossible',
      notes: [
        ...base.notes,
        ...(refusal === undefined ? [] : [`Quarry refuses its url: ${refusal}.`]),
      ],
    };
  const body = {
    url,
    event_types,
    ...(description && { description }),
    ...(disabled && { disabled }),
  };
  const faults = faultsOf(NewSubscription, body);
  if (faults.length > 0) return { ...base, action: 'impossible', notes: faults };
  const notes = disabled ? [...base.notes, 'It is disabled, as in Airweave.'] : base.notes;
  return { ...base, action: 'make', path: '/v1/webhooks/subscriptions', body, notes };
}
