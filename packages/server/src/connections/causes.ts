/**
 * What the log says of a refused check: the error with all its causes, which name what an answer must not,
 * such as the address that a host leads to. A source may quote in them what it was given, so what is
 * secret of the credentials is taken out by its value, and the rest of what looks secret by its form.
 */

import type { Source } from '../sources/define.ts';
import { secretFields } from '../sources/describe.ts';
import { redactText } from '../transformers/redact/text.ts';

const MOST_CAUSES = 20;
const MOST_CHARACTERS = 500;
const LABEL = '[secret]';

/** One sentence for each error, the outermost first. */
export function causesOf(error: unknown, secrets: readonly string[]): string[] {
  const found = new Set<unknown>();
  collect(error, found);
  return [...found].map((one) => {
    const said = withoutSecrets(sentenceOf(one), secrets);
    return said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS)}…` : said;
  });
}

function collect(error: unknown, found: Set<unknown>): void {
  if (error === undefined || error === null || found.has(error) || found.size >= MOST_CAUSES)
    return;
  found.add(error);
  // Of a name with several addresses, each one has failed with an error of its own.
  if (error instanceof AggregateError) for (const one of error.errors) collect(one, found);
  if (error instanceof Error) collect(error.cause, found);
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const name = code === undefined ? error.name : `${error.name} ${code}`;
  return error.message === '' ? name : `${name}: ${error.message}`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const withoutValues = secrets.reduce((left, value) => left.replaceAll(value, LABEL), text);
  return redactText(withoutValues, ['secret']);
}

/** Every form in which a message may have what is secret of these credentials, the longest first. */
export function secretsOf(source: Source, credentials: unknown): string[] {
  const given = (credentials ?? {}) as Readonly<Record<string, unknown>>;
  const values = secretFields(source)
    .map((name) => given[name])
    .filter((value) => typeof value === 'string');
  const forms = values.flatMap((value) => [value, ...partsOf(value)]).flatMap(formsOf);
  return [...new Set(forms)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
}

/** What is secret of an address: the password, or else the user, who may be a token. */
function partsOf(value: string): string[] {
  const url = URL.parse(value);
  return url ? [url.password || url.username] : [];
}

const formsOf = (text: string): string[] => [
  text,
  decoded(text),
  encodeURIComponent(text.toWellFormed()),
  JSON.stringify(text).slice(1, -1),
];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It is not percent-encoded, so nobody decodes it.
    return text;
  }
}
