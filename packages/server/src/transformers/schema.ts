/** These are the wire shapes of transformers. */
import { z } from 'zod';
import { characters } from '../http/text.ts';

const Config = z.record(z.string(), z.unknown());
const Definitions = z.array(z.uuid()).max(1000);

/** A source connection lists its transformers in the order in which they run. */
export const Transformers = z
  .array(z.strictObject({ transformer_id: z.uuid(), config: Config.default({}) }))
  .max(20);
export type Configured = z.infer<typeof Transformers>[number];

const fields = {
  name: characters(1, 255),
  description: characters(0, 2000).nullable().optional(),
  method_name: z
    .string()
    .regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]{0,127}$/u, 'is not the name of a function')
    .describe('An exported async function of the module that takes exactly two parameters.'),
  module_name: z
    .string()
    .min(1)
    .max(512)
    .describe('Path with extension, below QUARRY_TRANSFORMERS_DIR.'),
  input_entity_definition_ids: Definitions.describe(
    'Definitions of the entities on which it acts. It does not get any others.',
  ),
  output_entity_definition_ids: Definitions.describe(
    'Definitions of the entities that it may return.',
  ),
  config_schema: Config.describe('JSON Schema of its configuration.'),
};

export const NewTransformer = z.strictObject(fields).meta({ id: 'NewTransformer' });
export type NewTransformer = z.infer<typeof NewTransformer>;

export const TransformerPatch = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'TransformerPatch', description: 'Fields that are left out keep their value.' });
export type TransformerPatch = z.infer<typeof TransformerPatch>;

export const Transformer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    method_name: z.string(),
    module_name: z.string(),
    input_entity_definition_ids: z.array(z.uuid()),
    output_entity_definition_ids: z.array(z.uuid()),
    config_schema: Config,
    organization_id: z.uuid().nullable().describe('Null for the transformers of the system.'),
    created_at: z.iso.datetime(),
    modified_at: z.iso.datetime(),
    created_by_email: z.string(),
    modified_by_email: z.string(),
  })
  .meta({ id: 'Transformer' });
export type Transformer = z.infer<typeof Transformer>;
