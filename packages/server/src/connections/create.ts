/**
 * Creates a connection. The request is validated, and the source is asked whether it accepts the settings; then the
 * connection and its first job are saved in one transaction. When a person still has to sign in with a browser, the
 * source is not asked, and the job starts after the sign-in.
 */
import { act } from '../audit/act.ts';
import { type Ctx, causeOf } from '../context.ts';
import type { Tx } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import { emit } from '../events/store.ts';
import { reachOf } from '../model/reach.ts';
import { sealTokens } from '../sign-in/keeper.ts';
import { openUnsaved } from '../sign-in/open-source.ts';
import { replace as storeTokens } from '../sign-in/token-store.ts';
import { must, newId } from '../util.ts';
import { signInOf } from './authentication.ts';
import { secretsOf } from './causes.ts';
import { checkSource, checkTransformable, parseConfig } from './check.ts';
import type { ConnectionDeps } from './deps.ts';
import { nextRun, planFullEvery, planSchedule } from './schedule.ts';
import type { NewSourceConnection } from './schema.ts';
import { type PreparedSignIn, prepareSignIn, sealedSignIn } from './sign-in.ts';
import * as store from './store.ts';
import { connectionEvent } from './view.ts';

/** `authUrl` is the link with which a person signs in; null when nobody has to. */
export interface CreatedConnection {
  readonly id: string;
  readonly authUrl: string | null;
}

export async function createConnection(
  deps: ConnectionDeps,
  ctx: Ctx,
  input: NewSourceConnection,
): Promise<CreatedConnection> {
  const { db, syncs, vault } = deps;
  const source = deps.sources.get(input.short_name);
  if (!source) throw notFound('source', input.short_name);
  const collection = await deps.collections.resolve(ctx, input.readable_collection_id);
  const signIn = signInOf(source, input);
  const config = parseConfig(source, input.config);
  const now = new Date();
  const prepared = await prepareSignIn(source, signIn, { deps, ctx, now, config });
  const schedule = planSchedule(source, input.schedule, { now });
  const fullEvery = planFullEvery(source, input.full_every, undefined);
  const transformers = input.transformers ?? [];
  checkTransformable(source, transformers);
  const checked = await deps.transformers.checkConfigured(ctx, transformers);
  const { toCheck, provider } = prepared;
  const account =
    toCheck &&
    (await checkSource(ctx, {
      source,
      secrets: secretsOf(source, toCheck.credentials, toCheck.tokens),
      loc: signIn.loc,
      open: (call) =>
        openUnsaved(
          deps,
          { organizationId: ctx.organization.id, connectionId: null, source, config, ...toCheck },
          call,
        ),
    }));

  const id = newId();
  const startsSync = input.sync_immediately !== false;
  const authUrl = await act(db, ctx, async (tx, on) => {
    // Another request may have deleted the collection while the source made its check.
    if (!(await store.lockCollection(tx, collection.id)))
      throw notFound('collection', input.readable_collection_id);
    if (provider) await deps.authProviders.lock(tx, provider);
    await deps.transformers.lockChecked(tx, ctx.organization.id, checked);
    await store.insert(tx, {
      id,
      organization_id: ctx.organization.id,
      collection_id: collection.id,
      name: input.name,
      description: input.description ?? null,
      short_name: source.shortName,
      config: JSON.stringify(config),
      auth_method: prepared.method,
      ...sealedSignIn(vault, id, prepared),
      authenticated_at: toCheck && now.getTime(),
      account,
      configured_at: now.getTime(),
      cron: schedule.cron,
      continuous: schedule.continuous,
      cursor_field: schedule.cursorField,
      next_run_at: nextRun(schedule.cron, now),
      full_every: fullEvery,
      transformers: JSON.stringify(transformers),
      sync_id: newId(),
      generation: 0,
      total_runs: 0,
      successful_runs: 0,
      failed_runs: 0,
      created_at: now.getTime(),
      modified_at: now.getTime(),
      created_by_email: ctx.account.email,
      modified_by_email: ctx.account.email,
    });
    await keepTokens(deps, tx, { id, prepared, now });
    const row = must(await store.find(tx, reachOf(ctx), id));
    const cause = causeOf(ctx);
    await emit(tx, { ...connectionEvent('source_connection.created', row), cause });
    on({ id, name: input.name, details: { source: source.shortName } });
    const { email } = ctx.account;
    if (prepared.browser)
      return deps.links.make(tx, { connectionId: id, ...prepared.browser, startsSync, email });
    if (source.pull && startsSync)
      await syncs.start(tx, row, { trigger: 'creation', email, cause });
    return null;
  });
  syncs.wake();
  return { id, authUrl };
}

interface TokensToKeep {
  readonly id: string;
  readonly prepared: PreparedSignIn;
  /** The remaining life of the tokens was computed at this time. */
  readonly now: Date;
}

async function keepTokens(
  { vault, kind }: ConnectionDeps,
  tx: Tx,
  { id, prepared: { tokens }, now }: TokensToKeep,
): Promise<void> {
  if (!tokens) return;
  const sealed = sealTokens(vault, id, { ...tokens, ageMs: Date.now() - now.getTime() });
  await storeTokens(tx, kind, { connectionId: id, ...sealed });
}
