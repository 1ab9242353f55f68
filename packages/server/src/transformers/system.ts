/** These transformers are a part of Quarry. They act on entities of every definition. */

import { setImmediate } from 'node:timers/promises';
import type { Entity } from '../model/entity.ts';
import { canonicalJson, sha256 } from '../model/hash.ts';
import { compileSchema, explainFaults } from './config-schema.ts';
import { withHeader } from './header.ts';
import { redactEntity } from './redact/entity.ts';
import { REDACTION } from './redact/id.ts';
import { KINDS, type RedactionKind } from './redact/text.ts';
import { StepFailed, type TransformStep } from './step.ts';

export interface SystemTransformer {
  /** The id is the same in every installation. */
  readonly id: string;
  /** The version is part of the recipe: entities are transformed again when it changes. */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly module: string;
  readonly method: string;
  readonly configSchema: Readonly<Record<string, unknown>>;
  /** The caller must check `config` against the schema. */
  readonly transform: (entity: Entity, config: Readonly<Record<string, unknown>>) => Entity;
}

const header: SystemTransformer = {
  id: '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01',
  version: 'header-1',
  name: 'Contextual chunk header',
  description:
    'Puts a header above each chunk of an entity that says where it comes from. The header is embedded, indexed and shown with the headings.',
  module: 'quarry/header',
  method: 'addHeader',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      parts: {
        type: 'array',
        description: 'Parts of the header in order; breadcrumbs and name when omitted.',
        items: { type: 'string', pattern: '^(breadcrumbs|name|type|metadata\\..+)$' },
        minItems: 1,
        maxItems: 10,
      },
    },
  },
  transform: (entity, { parts = ['breadcrumbs', 'name'] }) =>
    withHeader(entity, parts as readonly string[]),
};

const redaction: SystemTransformer = {
  id: REDACTION,
  version: 'redact-4',
  name: 'Redaction',
  description:
    'Takes secrets, e-mail addresses, phone numbers, IBANs and card numbers out of texts, names, addresses, breadcrumbs and metadata.',
  module: 'quarry/redact',
  method: 'redact',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      kinds: {
        type: 'array',
        description: 'Kinds to redact; all when omitted.',
        items: { enum: KINDS },
        minItems: 1,
        uniqueItems: true,
      },
    },
  },
  transform: (entity, { kinds = KINDS }) => redactEntity(entity, kinds as readonly RedactionKind[]),
};

export const systemTransformers: ReadonlyMap<string, SystemTransformer> = new Map(
  [header, redaction].map((one) => [one.id, one]),
);

/** The thread does nothing else for this long. */
const AT_ONCE_MS = 20;

export function systemStep(
  system: SystemTransformer,
  config: Record<string, unknown>,
): TransformStep {
  const faults = compileSchema(system.configSchema)(config);
  return {
    id: system.id,
    name: system.name,
    digest: sha256(canonicalJson([system.id, system.version, config])),
    accepts: () => true,
    outputDefinitions: [],
    async run(entities) {
      if (faults.length > 0)
        throw new StepFailed(`its configuration does not fit: ${explainFaults(faults)}`, {
          hint: 'Correct it in the transformers of the source connection.',
          isForAll: true,
        });
      const made = new Map<string, readonly Entity[]>();
      let since = performance.now();
      for (const one of entities) {
        made.set(one.id, [system.transform(one, config)]);
        // Long texts take seconds, and the worker must tell meanwhile that it is alive.
        if (performance.now() - since < AT_ONCE_MS) continue;
        await setImmediate();
        since = performance.now();
      }
      return made;
    },
  };
}
