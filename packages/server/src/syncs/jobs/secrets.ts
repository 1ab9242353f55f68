/**
 * Decides whether a record contains a secret that searches would show, and makes the warning of a job from the number
 * of such records.
 */
import type { Entity } from '../../model/entity.ts';
import { holdsKey } from '../../model/secret-forms.ts';
import { REDACTION } from '../../transformers/redact/id.ts';
import type { JobWarning } from '../schema.ts';
import type { JobRow } from './job-store.ts';

/**
 * Returns true when the name, the text or a field of the record contains a private key or the API key of a known
 * provider.
 */
export const holdsSecret = ({ name, text, fields }: Entity): boolean =>
  holdsKey(text) || holdsKey(name) || holdsKey(unescaped(JSON.stringify(fields)));

/**
 * Replaces the escapes of JSON by spaces and line breaks. The letter at the end of an escape such as `\n` would
 * otherwise look like the first letter of the word after it.
 */
const unescaped = (json: string): string =>
  json.replace(/\\(?:u[0-9a-f]{4}|.)/g, (found) => (found === '\\n' ? '\n' : ' '));

export function secretWarnings(
  row: Pick<JobRow, 'connection_id' | 'secrets_found' | 'secret_examples'>,
): JobWarning[] {
  const { connection_id: id, secrets_found: count, secret_examples: examples } = row;
  if (count === 0) return [];
  const transformer = { transformer_id: REDACTION, config: { kinds: ['secret'] } };
  const path = `/v1/source-connections/${id}`;
  return [
    {
      code: 'secrets_found',
      message: `${count} ${count === 1 ? 'record contains' : 'records contain'} a private key or a provider's API key, and searches show it`,
      count,
      examples,
      hint: `To redact them, add ${JSON.stringify(transformer)} to the transformers of the connection (PATCH ${path}), then start POST ${path}/reprocess or a sync.`,
    },
  ];
}
