/**
 * `quarry config` prints all settings with their descriptions and values. The text is made from the schema of the
 * settings.
 */
import { readConfig, SECRET_SETTINGS, Settings } from '../config.ts';

export function printConfig(env: NodeJS.ProcessEnv): void {
  const config: Readonly<Record<string, unknown>> = { ...readConfig(env) };
  for (const [name, schema] of Object.entries(Settings.shape)) {
    const fallback = Settings.shape[name as keyof typeof Settings.shape].safeParse(undefined);
    const preset = fallback.success ? show(fallback.data) : 'none';
    const now = SECRET_SETTINGS.has(name) && config[name] ? '(set)' : show(config[name]);
    process.stdout.write(`${name}\n    ${schema.description}\n    default ${preset}, now ${now}\n`);
  }
}

function show(value: unknown): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return 'none';
  return String(value);
}
