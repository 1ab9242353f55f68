/** Turns a transformer into the shape that the API shows. */
import { instant } from '../util.ts';
import type { Transformer } from './schema.ts';
import type { TransformerRow } from './store.ts';
import type { SystemTransformer } from './system.ts';

export const toTransformer = (row: TransformerRow): Transformer => ({
  id: row.id,
  name: row.name,
  description: row.description,
  method_name: row.method_name,
  module_name: row.module_name,
  input_entity_definition_ids: row.input_definitions,
  output_entity_definition_ids: row.output_definitions,
  config_schema: row.config_schema,
  organization_id: row.organization_id,
  created_at: instant(row.created_at),
  modified_at: instant(row.modified_at),
  created_by_email: row.created_by_email,
  modified_by_email: row.modified_by_email,
});

/** This is when the first transformer of the system was added. */
const SINCE = '2026-11-21T00:00:00.000Z';
const QUARRY = 'system@localhost';

/** `definitions` holds the ids of all existing definitions. */
export const toSystemTransformer = (
  system: SystemTransformer,
  definitions: readonly string[],
): Transformer => ({
  id: system.id,
  name: system.name,
  description: system.description,
  method_name: system.method,
  module_name: system.module,
  input_entity_definition_ids: [...definitions],
  output_entity_definition_ids: [...definitions],
  config_schema: { ...system.configSchema },
  organization_id: null,
  created_at: SINCE,
  modified_at: SINCE,
  created_by_email: QUARRY,
  modified_by_email: QUARRY,
});
