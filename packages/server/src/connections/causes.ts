/**
 * When a source refuses a connection, the log has the error with all its causes. The causes name facts that an answer
 * must not name, such as the address to which a host resolves. They may also quote the credentials, so the values of
 * the credentials are removed from them, and so is everything else that has the form of a secret.
 */

import type { Source } from '../sources/define.ts';
import { secretFields } from '../sources/describe.ts';
import { redactText } from '../transformers/redact/text.ts';

const MOST_CAUSES = 20;
const MOST_CHARACTERS = 500;
const LABEL = '[secret]';

/** Returns one sentence for each error, the outermost first. */
export function causesOf(error: unknown, secrets: readonly string[]): string[] {
  const found = new Set<unknown>();
  collect(error, found);
  return [...found].map((one) => {
    const said = withoutSecrets(describe(one), secrets);
    return said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS)}…` : said;
  });
}

function collect(error: unknown, found: Set<unknown>): void {
  if (error === undefined || error === null || found.has(error) || found.size >= MOST_CAUSES)
    return;
  found.add(error);
  // When a name has several addresses, each address has failed with an error of its own.
  if (error instanceof AggregateError) for (const one of error.errors) collect(one, found);
  if (error instanceof Error) collect(error.cause, found);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const name = code === undefined ? error.name : `${error.name} ${code}`;
  return error.message === '' ? name : `${name}: ${error.message}`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const withoutValues = secrets.reduce((left, value) => left.replaceAll(value, LABEL), text);
  return redactText(withoutValues, ['secret']);
}

/** Returns every form in which a message may contain a secret of these credentials, the longest first. */
export function secretsOf(source: Source, credentials: unknown): string[] {
  const given = (credentials ?? {}) as Readonly<Record<string, unknown>>;
  const values = secretFields(source)
    .map((name) => given[name])
    .filter((value) => typeof value === 'string');
  const forms = values.flatMap((value) => [value, ...partsOf(value)]).flatMap(formsOf);
  return [...new Set(forms)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
}

/** Returns the secret part of a URL: the password, or else the user name, which may be a token. */
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
    // The text is not percent-encoded, so no message contains it in decoded form.
    return text;
  }
}
