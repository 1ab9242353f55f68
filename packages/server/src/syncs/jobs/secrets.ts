/** Finds records in which a searcher may find a secret, and makes the warning of their job. */
import type { Entity } from '../../model/entity.ts';
import { holdsKey } from '../../model/secret-forms.ts';
import { REDACTION } from '../../transformers/system.ts';
import type { JobWarning } from '../schema.ts';
import type { JobRow } from './job-store.ts';

/**
 * Tells whether the name, text or fields that are shown of a record hold a key of a usual provider, or a private key.
 */
export const holdsSecret = ({ name, text, fields }: Entity): boolean =>
  holdsKey(text) || holdsKey(name) || holdsKey(JSON.stringify(fields));

export function warningsOf(
  row: Pick<JobRow, 'connection_id' | 'secrets_found' | 'secret_examples'>,
): JobWarning[] {
  const { connection_id: id, secrets_found: count, secret_examples: examples } = row;
  if (count === 0) return [];
  const transformer = { transformer_id: REDACTION, config: { kinds: ['secret'] } };
  const path = `/v1/source-connections/${id}`;
  return [
    {
      code: 'secrets_found',
      message: `${count} ${count === 1 ? 'record holds' : 'records hold'} a key of a provider or a private key, and searches show it`,
      count,
      examples,
      hint: `To redact them, add ${JSON.stringify(transformer)} to the transformers of the connection (PATCH ${path}), then start POST ${path}/reprocess or a sync.`,
    },
  ];
}
