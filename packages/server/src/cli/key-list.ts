/** `quarry keys list` and `quarry keys revoke` ask the running service. */

import { ago } from '#quarry-text/time';
import type { Config } from '../config.ts';
import type { ApiKey } from '../organizations/key-schema.ts';
import { confirmed } from './confirm.ts';
import { didYouMean } from './did-you-mean.ts';
import { plain } from './live-line.ts';
import { allOf, runningService, type ServiceClient } from './service-client.ts';

const PATH = '/v1/api-keys';

const keysOf = (service: ServiceClient) => allOf<ApiKey>(service, PATH);

export async function listKeys(
  config: Config,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const keys = await keysOf(runningService(config));
  process.stdout.write(
    json ? `${JSON.stringify(keys, null, 2)}\n` : keys.map((key) => lineOf(key, keys)).join(''),
  );
}

function lineOf({ id, name, role, collections, last_used_at }: ApiKey, keys: readonly ApiKey[]) {
  const width = Math.max(...keys.map((key) => plain(key.name).length));
  const used =
    last_used_at === null ? 'never used' : `used ${ago(Date.parse(last_used_at), Date.now())}`;
  const reach = collections === null ? 'all collections' : collections.join(', ');
  return `${id}  ${plain(name).padEnd(width)}  ${role.padEnd(6)}  ${used}  ${plain(reach)}\n`;
}

/**
 * The text is the id or the name of a key. Returns false when the person does not confirm. Throws an Error with a message
 * for users when it is not exactly one key.
 */
export async function revokeKey(
  config: Config,
  text: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<boolean> {
  const service = runningService(config);
  const keys = await keysOf(service);
  const found = keys.filter(({ id, name }) => id === text || name === text);
  const [key] = found;
  if (!key)
    throw new Error(
      `no key is called '${text}'${didYouMean(
        text,
        keys.map(({ name }) => name),
      )}: 'quarry keys list' shows all`,
    );
  if (found.length > 1)
    throw new Error(`${found.length} keys are called '${text}': give the id ('quarry keys list')`);
  // A program has decided already, and a person may have meant another key.
  const question = `Revoke '${plain(key.name)}' (${key.role})? What uses it is refused at once.`;
  if (
    process.stdin.isTTY &&
    !yes &&
    !(await confirmed(question, { input: process.stdin, output: process.stderr }))
  ) {
    process.stderr.write('nothing was revoked\n');
    return false;
  }
  await service.call('DELETE', `${PATH}/${key.id}`);
  process.stdout.write(`revoked '${plain(key.name)}' (${key.id})\n`);
  return true;
}
