/** Makes the fields of a form from the JSON Schema of a configuration, and the configuration from what is typed. */

export interface Setting {
  /** The name in the configuration; null when the field is the whole configuration. */
  readonly name: string | null;
  readonly kind: 'choices' | 'lines' | 'text' | 'number' | 'flag' | 'json';
  readonly help: string | undefined;
  readonly isRequired: boolean;
  /** One can choose some of these, when the kind is `choices`. */
  readonly choices: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;
/** The texts of the fields, by the names of their settings. Choices and lines are one to a line. */
export type SettingTexts = Readonly<Record<string, string>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Returns the settings of a schema. A schema without properties of an object is one field of JSON. */
export function settingsOf(schema: Json): readonly Setting[] {
  const { properties, required } = schema;
  const names = isTextList(required) ? required : [];
  if (isObject(properties))
    return Object.entries(properties).map(([name, given]) => {
      const property = isObject(given) ? given : {};
      const { description } = property;
      return {
        name,
        ...kindOf(property),
        help: typeof description === 'string' ? description : undefined,
        isRequired: names.includes(name),
      };
    });
  if (schema.additionalProperties === false) return [];
  return [{ name: null, kind: 'json', help: undefined, isRequired: false, choices: [] }];
}

function kindOf({ type, items, enum: options }: Json): Pick<Setting, 'kind' | 'choices'> {
  const none = { choices: [] };
  if (options !== undefined) return { kind: 'json', ...none };
  if (type === 'array' && isObject(items)) {
    if (isTextList(items.enum)) return { kind: 'choices', choices: items.enum };
    if (items.type === 'string') return { kind: 'lines', ...none };
  }
  if (type === 'string') return { kind: 'text', ...none };
  if (type === 'number' || type === 'integer') return { kind: 'number', ...none };
  if (type === 'boolean') return { kind: 'flag', ...none };
  return { kind: 'json', ...none };
}

/** Returns the key of a setting in what is typed. */
export const keyOf = ({ name }: Setting): string => name ?? '';

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns the texts that show a configuration. */
export function textsOfConfig(settings: readonly Setting[], config: Json): SettingTexts {
  const texts = settings.map((setting) => {
    const value = setting.name === null ? config : config[setting.name];
    return [keyOf(setting), textOf(setting, value)] as const;
  });
  return Object.fromEntries(texts);
}

function textOf({ kind }: Setting, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return isTextList(value) ? value.join('\n') : String(value);
}

interface ReadSettings {
  readonly config: Json;
  /** These are the faults of the texts, by the names of their settings. */
  readonly faults: Readonly<Record<string, string>>;
}

/** Reads the configuration from what is typed. A setting that is empty is left out; a flag that is needed is false then. */
export function readTexts(settings: readonly Setting[], typed: SettingTexts): ReadSettings {
  const config: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const setting of settings) {
    const key = keyOf(setting);
    const text = (typed[key] ?? '').trim();
    if (text === '') {
      if (setting.isRequired && setting.kind === 'flag') config[key] = false;
      else if (setting.isRequired) faults[key] = 'This is needed.';
      continue;
    }
    try {
      const value = valueIn(setting, text);
      if (setting.name !== null) config[setting.name] = value;
      else if (isObject(value)) Object.assign(config, value);
      else faults[key] = 'A configuration is an object, such as {"limit": 3}.';
    } catch (error) {
      faults[key] = error instanceof Error ? error.message : String(error);
    }
  }
  return { config, faults };
}

function valueIn({ kind }: Setting, text: string): unknown {
  switch (kind) {
    case 'choices':
    case 'lines':
      return linesOf(text);
    case 'text':
      return text;
    case 'flag':
      return text === 'true';
    case 'number': {
      const number = Number(text);
      if (!Number.isFinite(number)) throw new Error('Write a number.');
      return number;
    }
    case 'json':
      return parsed(text);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('This is not JSON.', { cause: error });
  }
}
