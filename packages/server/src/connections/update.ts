/**
 * Changes a connection. Fields that the patch leaves out keep their value. New credentials and settings are checked with
 * the source first, unless it may not be asked because somebody has to sign in.
 */
import { act, changedFields } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { reachOf } from '../model/reach.ts';
import { needsSignIn } from '../sign-in/needed.ts';
import { openSource, openUnsaved } from '../sign-in/open-source.ts';
import { forget as forgetTokens } from '../sign-in/token-store.ts';
import type { AuthMethod } from '../sources/auth.ts';
import type { Source } from '../sources/define.ts';
import { movedField } from '../sources/servers.ts';
import type { SignIn } from './authentication.ts';
import { secretsOf } from './causes.ts';
import {
  checkSource,
  checkTransformable,
  isSameConfig,
  newSignIn,
  parseConfig,
  requireSameServer,
  selectsSame,
} from './check.ts';
import type { ConnectionDeps } from './deps.ts';
import { nextRun, planFullEvery, planSchedule, scheduleOf } from './schedule.ts';
import type { SourceConnectionPatch } from './schema.ts';
import { type PreparedSignIn, prepareSignIn, sealedSignIn } from './sign-in.ts';
import * as store from './store.ts';

export interface ConnectionToChange {
  readonly row: store.ConnectionRow;
  readonly source: Source;
}

export async function updateConnection(
  deps: ConnectionDeps,
  ctx: Ctx,
  { row, source, patch }: ConnectionToChange & { readonly patch: SourceConnectionPatch },
): Promise<void> {
  const { db, vault } = deps;
  const { id } = row;
  const signIn = newSignIn(source, row.auth_method, patch);
  const config = patch.config === undefined ? undefined : parseConfig(source, patch.config);
  if (config && !signIn) requireSameServer(source, row, config);
  const now = new Date();
  const after = config ?? row.config;
  const renewed =
    signIn && (await prepareSignIn(source, signIn, { deps, ctx, now, config: after }));
  const current = scheduleOf(row);
  const schedule = patch.schedule && planSchedule(source, patch.schedule, { now, current });
  const fullEvery = planFullEvery(source, patch.full_every, row.full_every);
  checkTransformable(source, patch.transformers ?? []);
  const checked = await deps.transformers.checkConfigured(ctx, patch.transformers ?? []);
  const account = await checkChange(deps, ctx, { row, source, renewed, signIn, config });
  await act(db, ctx, async (tx, on) => {
    if (renewed?.provider) await deps.authProviders.lock(tx, renewed.provider);
    await deps.transformers.lockChecked(tx, ctx.organization.id, checked);
    // The row is read again with a lock, because another request may have changed it.
    const before = await store.lockRow(tx, reachOf(ctx), id);
    if (!before) throw notFound('source connection', id);
    if (config || renewed) requireCheckedPair(source, [row, before]);
    // This time must differ from the earlier one even when the clock was set back, because a sync recognizes a
    // changed configuration by it.
    const configuredAt = Math.max(now.getTime(), before.configured_at + 1);
    // The stored tokens were issued for the earlier credentials.
    if (renewed) await forgetTokens(tx, id);
    await store.update(tx, id, {
      ...(patch.name !== undefined && { name: patch.name }),
      ...(patch.description !== undefined && { description: patch.description }),
      ...(patch.full_every !== undefined && { full_every: fullEvery }),
      ...(patch.transformers && { transformers: JSON.stringify(patch.transformers) }),
      ...(config && !isSameConfig(config, before.config) && { config: JSON.stringify(config) }),
      // The cursor is dropped, because it belongs to the records that the old configuration selected.
      ...(config &&
        !selectsSame(source, config, before.config) && {
          configured_at: configuredAt,
          cursor: null,
        }),
      ...(renewed && {
        ...sealedSignIn(vault, id, renewed),
        // This time must differ from the earlier one, because it tells other requests that the credentials are new.
        authenticated_at: Math.max(now.getTime(), (before.authenticated_at ?? 0) + 1),
        account,
        refused_at: null,
        // New credentials may lead to another account or database.
        configured_at: configuredAt,
        cursor: null,
      }),
      ...(schedule && {
        cron: schedule.cron,
        continuous: schedule.continuous,
        cursor_field: schedule.cursorField,
        next_run_at: nextRun(schedule.cron, now),
        ...(schedule.cursorField !== before.cursor_field && { cursor: null }),
      }),
      modified_at: Math.max(now.getTime(), before.modified_at + 1),
      modified_by_email: ctx.account.email,
    });
    on({ id, name: patch.name ?? before.name, details: changedFields(patch) });
  });
}

/**
 * Throws a 409 when another request has changed the server or the credentials since they were read and checked, because
 * the one of this request would be used together with the other one of that request.
 */
function requireCheckedPair(
  source: Source,
  [read, now]: readonly [store.ConnectionRow, store.ConnectionRow],
): void {
  const moved = movedField(source, now.auth_method as AuthMethod, [read.config, now.config]);
  if (moved !== undefined || read.authenticated_at !== now.authenticated_at)
    throw conflict(
      'another request has changed the server or the credentials of this connection at the same moment: look at it and send the change again',
    );
}

interface ChangeToCheck extends ConnectionToChange {
  readonly signIn: SignIn | undefined;
  readonly renewed: PreparedSignIn | undefined;
  readonly config: Record<string, unknown> | undefined;
}

/** Returns the account of new credentials. */
async function checkChange(
  deps: ConnectionDeps,
  ctx: Ctx,
  { row, source, signIn, renewed, config }: ChangeToCheck,
): Promise<string | null> {
  const after = { ...row, config: config ?? row.config };
  if (signIn && renewed?.toCheck) {
    const { toCheck } = renewed;
    const place = { organizationId: ctx.organization.id, connectionId: row.id };
    const unsaved = { ...place, source, config: after.config, ...toCheck };
    return checkSource(ctx, {
      source,
      secrets: secretsOf(source, toCheck.credentials),
      loc: signIn.loc,
      open: (call) => openUnsaved(deps, unsaved, call),
    });
  }
  if (!config || needsSignIn(row)) return null;
  const loc = ['body', 'config'];
  const open = (call: Parameters<typeof openSource>[2]) => openSource(deps, after, call);
  return checkSource(ctx, { source, secrets: [], loc, open });
}
