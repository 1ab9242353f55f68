/** Reads the values in the query of an address, which anybody may have written. */

type Given = Readonly<Record<string, unknown>>;

/** Returns a function that reads these texts, and leaves out what is missing or is not a text. */
export const texts =
  <Name extends string>(...names: readonly Name[]) =>
  (given: Given): { [name in Name]?: string } =>
    read(given, names, textOf);

/** Returns a function that reads these lists of texts. One text is a list of one. */
export const lists =
  <Name extends string>(...names: readonly Name[]) =>
  (given: Given): { [name in Name]?: string[] } =>
    read(given, names, (value) => {
      const list = (Array.isArray(value) ? value : [value]).flatMap((one) => textOf(one) ?? []);
      return list.length > 0 ? list : undefined;
    });

/** Returns a function that reads these values as they are. The page that asks for them must look at their form. */
export const values =
  <Name extends string>(...names: readonly Name[]) =>
  (given: Given): { [name in Name]?: unknown } =>
    read(given, names, (value) => value);

function read<Name extends string, Value>(
  given: Given,
  names: readonly Name[],
  readValue: (value: unknown) => Value | undefined,
): { [name in Name]?: Value } {
  const values: { [name in Name]?: Value } = {};
  for (const name of names) {
    const value = readValue(given[name]);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** The router reads 12 in an address as a number. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
