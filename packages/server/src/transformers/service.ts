/** This service implements what a caller may do with transformers. */
import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import { act, changedFields } from '../audit/act.ts';
import type { Ctx } from '../context.ts';
import { lockOrganization } from '../db/organization.ts';
import type { Db, Schema, Tx } from '../db/schema.ts';
import { AppError, conflict, forbidden, invalid, notFound } from '../errors.ts';
import type { Listed, Page } from '../http/lists.ts';
import { canonicalJson } from '../model/hash.ts';
import type { Source } from '../sources/define.ts';
import { definitionIds } from '../sources/definitions.ts';
import { must, newId } from '../util.ts';
import { compileSchema, SchemaRefused } from './config-schema.ts';
import { createFit, describeMisfits } from './fit.ts';
import { CallFailed, createFunctions } from './functions.ts';
import { ModuleRefused, modulePath } from './module-path.ts';
import type { TransformerRuntime } from './open.ts';
import { redactText } from './redact/text.ts';
import type { Configured, NewTransformer, Transformer, TransformerPatch } from './schema.ts';
import * as store from './store.ts';
import { systemTransformers } from './system.ts';
import { toSystemTransformer, toTransformer } from './view.ts';

/** Each check of a module starts a process, which may take as much memory as the process of a sync. */
const CHECKS_AT_ONCE = 2;

/** A change is tried this many times. A try fails only when another request has changed the transformer meanwhile. */
const MAX_ATTEMPTS = 5;

export interface TransformerDeps {
  readonly db: Kysely<Schema>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly runtime: TransformerRuntime;
}

/**
 * Maps the id of each transformer whose configuration was checked to the last change of the transformer before the
 * check, in milliseconds since 1970.
 */
export type CheckedTransformers = ReadonlyMap<string, number>;

export type Transformers = ReturnType<typeof createTransformers>;

type Code = Pick<NewTransformer, 'module_name' | 'method_name' | 'config_schema'>;

export function createTransformers({ db, sources, runtime }: TransformerDeps) {
  const definitions = [...sources.values()].flatMap(definitionIds);
  const system = [...systemTransformers.values()].map((one) =>
    toSystemTransformer(one, definitions),
  );

  const known = new Set(definitions);
  const limitChecks = pLimit(CHECKS_AT_ONCE);

  /** Throws a 422 unless all ids are ids of definitions, because a transformer never acts on another id. */
  function checkDefinitions(given: TransformerPatch): void {
    const faults = DEFINITION_FIELDS.flatMap((field) =>
      (given[field] ?? []).flatMap((id, i) =>
        known.has(id)
          ? []
          : [
              {
                loc: ['body', field, i],
                msg: `entity definition '${id}' does not exist: GET /v1/entity-definitions lists them`,
                type: 'value_error',
              },
            ],
      ),
    );
    if (faults.length > 0)
      throw new AppError(422, 'the definitions are invalid', { code: 'invalid', faults });
  }

  async function ownRow(ctx: Ctx, id: string): Promise<store.TransformerRow> {
    if (systemTransformers.has(id))
      throw forbidden('a transformer of the system cannot be changed');
    const row = await store.find(db, ctx.organization.id, id);
    if (!row) throw notFound('transformer', id);
    return row;
  }

  /** Throws a 422 when the schema is not valid or the module does not have the function. */
  async function check(code: Code, signal: AbortSignal): Promise<void> {
    const { module_name: module, method_name: method, config_schema: schema } = code;
    let loc = ['body', 'config_schema'];
    try {
      compileSchema(schema);
      loc = ['body', 'module_name'];
      const path = await modulePath(runtime.folder, module);
      loc = ['body', 'method_name'];
      await limitChecks(async () => {
        const functions = createFunctions({ ...runtime, folder: must(runtime.folder) });
        try {
          await functions.requireFunction(path, method, signal);
        } finally {
          await functions.close();
        }
      });
    } catch (error) {
      const isOurs =
        error instanceof SchemaRefused ||
        error instanceof ModuleRefused ||
        error instanceof CallFailed;
      throw isOurs ? invalid(redactText(error.message), { loc }) : error;
    }
  }

  /**
   * Returns a check that throws a 409 when a connection has a configuration that does not satisfy the schema of `next`.
   * Returns null when the schema stays the same.
   */
  function fitOf(ctx: Ctx, row: store.TransformerRow, next: Code) {
    if (canonicalJson(next.config_schema) === canonicalJson(row.config_schema)) return null;
    const misfitsAmong = createFit(row.id, next.config_schema);
    return async (from: Db) => {
      const users = store.usersOf(from, ctx.organization.id, row.id);
      const misfits = await misfitsAmong(users, ctx.signal);
      if (misfits.length > 0) throw conflict(describeMisfits(misfits));
    };
  }

  async function get(ctx: Ctx, id: string): Promise<Transformer> {
    const ofSystem = system.find((one) => one.id === id);
    return ofSystem ?? toTransformer(await ownRow(ctx, id));
  }

  return {
    async list(ctx: Ctx, { skip, limit }: Page): Promise<Listed<Transformer>> {
      const first = system.slice(skip, skip + limit);
      const { total, rows } = await store.list(db, ctx.organization.id, {
        skip: Math.max(0, skip - system.length),
        limit: limit - first.length,
      });
      return { total: system.length + total, rows: [...first, ...rows.map(toTransformer)] };
    },

    get,

    async create(ctx: Ctx, input: NewTransformer): Promise<Transformer> {
      checkDefinitions(input);
      await check(input, ctx.signal);
      const id = newId();
      const now = Date.now();
      await act(db, ctx, async (tx, on) => {
        if (!(await lockOrganization(tx, ctx.organization.id)))
          throw notFound('organization', ctx.organization.id);
        await store.insert(tx, {
          id,
          organization_id: ctx.organization.id,
          name: input.name,
          description: input.description ?? null,
          ...columnsOf(input),
          created_at: now,
          modified_at: now,
          created_by_email: ctx.account.email,
          modified_by_email: ctx.account.email,
        });
        on({ id, name: input.name });
      });
      return get(ctx, id);
    },

    /** Fields that are left out keep their value, even when another request changes them meanwhile. */
    async update(ctx: Ctx, id: string, patch: TransformerPatch): Promise<Transformer> {
      checkDefinitions(patch);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const row = await ownRow(ctx, id);
        const next = { ...toTransformer(row), ...withoutUndefined(patch) };
        await check(next, ctx.signal);
        const checkFit = fitOf(ctx, row, next);
        await checkFit?.(db);
        // The check starts a process, which takes time. So the change is stored only if no other request has changed
        // the row since the check.
        const changed = await act(db, ctx, async (tx, on) => {
          const isAsChecked = await store.update(tx, row, {
            name: next.name,
            description: next.description ?? null,
            ...columnsOf(next),
            modified_at: Math.max(Date.now(), row.modified_at + 1),
            modified_by_email: ctx.account.email,
          });
          // A connection may have begun to use the transformer since the check, so the configurations are checked
          // again. From here on a connection that begins to use it waits for this transaction.
          if (!isAsChecked) return false;
          await checkFit?.(tx);
          on({ id, name: next.name, details: changedFields(patch) });
          return true;
        });
        if (changed) return get(ctx, id);
      }
      throw conflict('others keep changing this transformer; try again in a moment');
    },

    /**
     * Returns the deleted transformer. Throws a 409 while a connection uses it, because the stored entities of that
     * connection have passed it.
     */
    async remove(ctx: Ctx, id: string): Promise<Transformer> {
      const row = await ownRow(ctx, id);
      await act(db, ctx, async (tx, on) => {
        const locked = await store.lock(tx, ctx.organization.id, [id]);
        if (!locked.has(id)) throw notFound('transformer', id);
        const { value: users } = await store.usersOf(tx, ctx.organization.id, id).next();
        const user = users?.[0];
        if (user)
          throw conflict(
            `the source connection '${user.name}' uses this transformer: take it out of there first`,
          );
        await store.remove(tx, ctx.organization.id, id);
        on({ id, name: row.name });
      });
      return toTransformer(row);
    },

    /** Throws a 422 when a transformer does not exist or a configuration does not satisfy its schema. */
    async checkConfigured(
      ctx: Ctx,
      configured: readonly Configured[],
    ): Promise<CheckedTransformers> {
      const rows = await store.byIds(
        db,
        ctx.organization.id,
        configured.map((one) => one.transformer_id),
      );
      const faults = configured.flatMap(({ transformer_id: id, config }, i) => {
        const loc = ['body', 'transformers', i];
        const schema = systemTransformers.get(id)?.configSchema ?? rows.get(id)?.config_schema;
        if (!schema)
          return [
            {
              loc: [...loc, 'transformer_id'],
              msg: `transformer '${id}' does not exist: GET /v1/transformers lists them`,
              type: 'value_error',
            },
          ];
        return compileSchema(schema)(config).map(({ path, message }) => ({
          loc: [...loc, 'config', ...path],
          msg: message,
          type: 'value_error',
        }));
      });
      if (faults.length > 0)
        throw new AppError(422, 'the transformers are invalid', { code: 'invalid', faults });
      return new Map([...rows].map(([id, row]) => [id, row.modified_at]));
    },

    /**
     * Locks the transformers until the end of the transaction that begins to use them. Throws a 409 when one has
     * changed since `checked`.
     */
    async lockChecked(tx: Tx, organizationId: string, checked: CheckedTransformers): Promise<void> {
      const locked = await store.lock(tx, organizationId, [...checked.keys()]);
      for (const [id, modifiedAt] of checked) {
        if (!locked.has(id)) throw conflict('a transformer was deleted in the meantime');
        if (locked.get(id) !== modifiedAt)
          throw conflict('a transformer was changed in the meantime; try again');
      }
    },
  };
}

const DEFINITION_FIELDS = ['input_entity_definition_ids', 'output_entity_definition_ids'] as const;

const columnsOf = (
  input: Pick<
    NewTransformer,
    | 'method_name'
    | 'module_name'
    | 'config_schema'
    | 'input_entity_definition_ids'
    | 'output_entity_definition_ids'
  >,
) => ({
  method_name: input.method_name,
  module_name: input.module_name,
  config_schema: JSON.stringify(input.config_schema),
  input_definitions: JSON.stringify(input.input_entity_definition_ids),
  output_definitions: JSON.stringify(input.output_entity_definition_ids),
});

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
