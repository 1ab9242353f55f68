/**
 * Turns the name and the settings of an Airweave source into those of the source of Quarry that copies the same. Most have
 * one name and one meaning in both.
 */
import type { SourceType } from '../../sources/schema.ts';

type AirweaveSettings = Readonly<Record<string, unknown>>;

/** These sources have another name in Quarry. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  // Quarry has one source for both ways of signing in.
  sharepoint_online_app: 'sharepoint_online',
};

/** These sources of Quarry say the same in other settings. */
const SETTINGS: Readonly<Record<string, (config: AirweaveSettings) => AirweaveSettings>> = {
  github: ({ repo_name, sync_pull_requests, ...others }) => ({
    ...others,
    repositories: typeof repo_name === 'string' && repo_name !== '' ? [repo_name] : null,
    kinds: ['files', ...(sync_pull_requests === true ? ['pull_requests'] : [])],
  }),
  // Airweave stores 2025-01-31 as 2025/01/31.
  outlook_mail: ({ after_date, ...others }) => ({
    ...others,
    after_date: typeof after_date === 'string' ? after_date.replaceAll('/', '-') : after_date,
  }),
};

export const quarryShortName = (shortName: string): string => SHORT_NAMES[shortName] ?? shortName;

interface TranslatedConfig {
  readonly config: Record<string, unknown>;
  /** Names of settings that have a value and that the source of Quarry does not have. */
  readonly leftOut: readonly string[];
}

export function translateConfig(
  { short_name, config_fields }: SourceType,
  theirs: AirweaveSettings,
): TranslatedConfig {
  const translated = SETTINGS[short_name]?.(theirs) ?? theirs;
  const given = Object.entries(translated).filter(([, value]) => !isOpen(value));
  const isKnown = (name: string) => config_fields.fields.some((field) => field.name === name);
  return {
    config: Object.fromEntries(given.filter(([name]) => isKnown(name))),
    leftOut: given.map(([name]) => name).filter((name) => !isKnown(name)),
  };
}

/** Airweave stores an open setting as one of these. */
const isOpen = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length);
