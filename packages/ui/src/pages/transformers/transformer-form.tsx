import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { DefinitionsField } from './definitions-field.tsx';

export type TransformerFields = Schemas['NewTransformer'];

interface TransformerFormProps {
  readonly transformer: TransformerFields;
  readonly action: string;
  readonly busy: string;
  /** This title stands above the reason when the service refuses. */
  readonly refused: string;
  readonly onSend: (transformer: TransformerFields) => Promise<void>;
}

/** The fields of a transformer, for a new one and for one that is changed. */
export function TransformerForm({
  transformer,
  action,
  busy,
  refused,
  onSend,
}: TransformerFormProps) {
  const [fields, setFields] = useState(transformer);
  const [schema, setSchema] = useState(JSON.stringify(transformer.config_schema, null, 2));
  const [schemaFault, setSchemaFault] = useState<string>();
  const set = (change: Partial<TransformerFields>) => setFields({ ...fields, ...change });
  const form = useSubmit(async () => {
    const config_schema = parsed(schema);
    setSchemaFault(config_schema ? undefined : 'This is not an object in JSON.');
    if (!config_schema) return;
    await onSend({
      ...fields,
      name: fields.name.trim(),
      description: fields.description?.trim() || null,
      config_schema,
    });
  });
  return (
    <form className="pad form" onSubmit={form.submit} noValidate>
      <TextField
        label="Name"
        value={fields.name}
        onValue={(name) => set({ name })}
        fault={form.faultOf('name')}
      />
      <TextField
        label="What it does"
        isOptional
        value={fields.description ?? ''}
        onValue={(description) => set({ description })}
        fault={form.faultOf('description')}
      />
      <TextField
        label="Module"
        help="The file with its ending, below the folder that QUARRY_TRANSFORMERS_DIR names on the machine of Quarry."
        placeholder="tickets.js"
        autoComplete="off"
        value={fields.module_name}
        onValue={(module_name) => set({ module_name })}
        fault={form.faultOf('module_name')}
      />
      <TextField
        label="Function"
        help="An exported async function of exactly two parameters: the records, and the settings."
        placeholder="triage"
        autoComplete="off"
        value={fields.method_name}
        onValue={(method_name) => set({ method_name })}
        fault={form.faultOf('method_name')}
      />
      <DefinitionsField
        label="Records that it gets"
        help="It does not get any others."
        ids={fields.input_entity_definition_ids}
        onIds={(ids) => set({ input_entity_definition_ids: ids })}
        fault={form.faultOf('input_entity_definition_ids')}
      />
      <DefinitionsField
        label="Records that it may return"
        ids={fields.output_entity_definition_ids}
        onIds={(ids) => set({ output_entity_definition_ids: ids })}
        fault={form.faultOf('output_entity_definition_ids')}
      />
      <Field
        label="Schema of its settings"
        help="JSON Schema. A connection that uses it gets a form with these settings."
        fault={schemaFault ?? form.faultOf('config_schema')}
      >
        {(ties) => (
          <textarea
            className="input code"
            rows={8}
            spellCheck={false}
            value={schema}
            {...ties}
            onChange={(event) => setSchema(event.target.value)}
          />
        )}
      </Field>
      <FormFault of={form} title={refused} />
      <div className="acts">
        <Button look="primary" type="submit" busy={form.isBusy && busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function parsed(text: string): Record<string, unknown> | null {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // The form says that it is not JSON.
    return null;
  }
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  return isObject ? (given as Record<string, unknown>) : null;
}
