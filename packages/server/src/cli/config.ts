/**
 * `quarry config` prints all settings with their descriptions and values. The text is made from the schema of the
 * settings.
 */
import { readConfig, Settings } from '../config.ts';
import { fileSettingOf, SECRET_SETTINGS } from '../secret-settings.ts';

export function printConfig(env: NodeJS.ProcessEnv): void {
  const config: Readonly<Record<string, unknown>> = { ...readConfig(env) };
  for (const [name, schema] of Object.entries(Settings.shape)) {
    const fallback = Settings.shape[name as keyof typeof Settings.shape].safeParse(undefined);
    const preset = fallback.success ? show(fallback.data) : 'none';
    const isSecret = SECRET_SETTINGS.has(name);
    const now = isSecret && config[name] ? '(set)' : show(config[name]);
    const file = isSecret ? `    or the path of a file with it in ${fileSettingOf(name)}\n` : '';
    process.stdout.write(
      `${name}\n    ${schema.description}\n${file}    default ${preset}, now ${now}\n`,
    );
  }
}

function show(value: unknown): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return 'none';
  return String(value);
}
