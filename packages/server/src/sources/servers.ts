/**
 * This file knows to which server a source sends its credentials. Fields of its configuration that say so are marked by
 * `.meta({ …, address: true })`, or by `address: 'direct'` when credentials of other methods go elsewhere. Whoever may
 * change such a field could otherwise have credentials sent to a server of their own.
 */
import { z } from 'zod';
import type { AuthMethod } from './auth.ts';
import type { Source } from './define.ts';

type ConfigValues = Readonly<Record<string, unknown>>;

/** Returns the field in which the second configuration leads to another server, or undefined. */
export function movedField(
  source: Source,
  method: AuthMethod,
  [before, after]: readonly [ConfigValues, ConfigValues],
): string | undefined {
  return addressFields(source, method).find(
    (field) => serverOf(before[field]) !== serverOf(after[field]),
  );
}

/**
 * Returns the field that leads to a server which neither the source nor the operator names, or undefined. Only the
 * credentials of the user who has set the field may be sent there.
 */
export function strangeField(source: Source, method: AuthMethod, config: ConfigValues) {
  const { tokenUrl } = source.operator ?? {};
  return addressFields(source, method).find((field) => {
    const server = serverOf(config[field]);
    const usual = serverOf(source.config.shape[field]?.safeParse(undefined).data);
    return server !== usual && (tokenUrl === undefined || server !== serverOf(tokenUrl));
  });
}

function addressFields({ config }: Source, method: AuthMethod): string[] {
  const { properties = {} } = z.toJSONSchema(config, { io: 'input' });
  return Object.entries(properties).flatMap(([name, property]) => {
    const { address } = property as { readonly address?: true | 'direct' };
    return address === true || (address === 'direct' && method === 'direct') ? name : [];
  });
}

/** All addresses of a server have one name. An address of another form, such as user@host:path, is one of its own. */
function serverOf(address: unknown): string {
  const url = URL.parse(String(address ?? ''));
  return url ? `${url.protocol}//${url.host}` : String(address ?? '');
}
