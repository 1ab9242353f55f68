/** The text of docs/settings.md is made from the schema of the settings. */
import { z } from 'zod';
import { ADDRESS_SETTINGS } from '../packages/server/src/address-settings.ts';
import { Settings } from '../packages/server/src/config.ts';
import { MAIL_SETTINGS } from '../packages/server/src/mail-settings.ts';
import { MODEL_SETTINGS } from '../packages/server/src/model-settings.ts';
import { OAUTH_SETTINGS } from '../packages/server/src/oauth-settings.ts';
import { OCR_SETTINGS } from '../packages/server/src/ocr-settings.ts';
import { SECRET_SETTINGS } from '../packages/server/src/secret-settings.ts';
import { SETTING_ROLES } from '../packages/server/src/setting-roles.ts';
import { THREAD_SETTINGS } from '../packages/server/src/thread-settings.ts';

export const SETTINGS_PAGE = 'docs/settings.md';

type SettingName = keyof typeof Settings.shape;

const GROUPS: readonly [title: string, settings: Readonly<Record<string, unknown>>][] = [
  ['Address', ADDRESS_SETTINGS],
  ['Models', MODEL_SETTINGS],
  ['Text in pictures', OCR_SETTINGS],
  ['Sign-in by OAuth', OAUTH_SETTINGS],
  ['Mail', MAIL_SETTINGS],
  ['Threads and memory', THREAD_SETTINGS],
];

/** The defaults of these settings depend on the machine. */
const OF_MACHINE: Readonly<Partial<Record<SettingName, string>>> = {
  QUARRY_SEARCH_THREADS: 'half of the processors, at least 1 and at most 4',
  QUARRY_SYNC_THREADS: 'the processors without two, at least 1 and at most 4; 0 on one processor',
};

const HEAD = `<!-- This page is made from the code by \`npm run settings-page\`. -->
# Settings

Quarry is set up by environment variables. \`quarry config\` prints all of them with their present values, and a name that does not exist stops the start.

A **secret** setting may be in a file instead: the same name with \`_FILE\` behind it names the file, such as \`DATABASE_URL_FILE=/run/secrets/database-url\`. The file holds the
secret alone, in one line. One newline at its end is not a part of the secret. A file that is missing, empty, larger than 64 KiB or not readable stops the start with a message that says
what to do, and so does a secret that is given in both ways. A file is read once, when the process starts: restart the process after a change.

The column *role* says which processes use a setting where \`QUARRY_ROLES\` splits the service: \`api\`, \`worker\`, \`all\` (both, and the commands that work on the database), or the
\`commands\` that ask a service. Give every process the settings of \`all\` with the same values. A role ignores the settings of another one, but still refuses wrong values.
`;

export function settingsPage(): string {
  const grouped = new Set(GROUPS.flatMap(([, settings]) => Object.keys(settings)));
  const names = Object.keys(Settings.shape) as SettingName[];
  return [
    HEAD,
    section(
      'Service and data',
      names.filter((name) => !grouped.has(name)),
    ),
    ...GROUPS.map(([title, settings]) => section(title, Object.keys(settings) as SettingName[])),
  ].join('\n');
}

const section = (title: string, names: readonly SettingName[]): string =>
  `## ${title}\n\n| setting | what it does | default | role |\n|---|---|---|---|\n${names.map(row).join('')}`;

function row(name: SettingName): string {
  const secret = SECRET_SETTINGS.has(name) ? '<br>**secret**' : '';
  const { description = '' } = Settings.shape[name];
  const preset = OF_MACHINE[name] ?? shown(defaultOf(Settings.shape[name]));
  return `| \`${name}\`${secret} | ${cell(description)} | ${cell(preset)} | ${SETTING_ROLES[name]} |\n`;
}

const shown = (preset: unknown): string =>
  preset === undefined || preset === '' ? 'none' : `\`${String(preset)}\``;

/** Returns the default as one would write it, before it is checked and changed; undefined without one. */
function defaultOf(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  if (schema instanceof z.ZodPipe) return defaultOf(schema.def.in);
  if (schema instanceof z.ZodOptional) return defaultOf(schema.def.innerType);
  return undefined;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
