/**
 * Describes for the log why a source refuses a connection: the error and its causes. The caller gets only the message of
 * the error, because the causes may name facts that the caller must not learn, such as the address to which a host
 * resolves. A cause may also quote the credentials. So their values are removed, as is everything else that has the form
 * of a secret.
 */
import { secretForms, withoutForms } from '../model/without-secrets.ts';
import type { Tokens } from '../sign-in/tokens.ts';
import type { Source } from '../sources/define.ts';
import { secretFields } from '../sources/describe.ts';
import { redactText } from '../transformers/redact/text.ts';

const MAX_CAUSES = 20;
const MAX_CHARACTERS = 500;

/**
 * Returns a text for the error and one for each of its causes, in this order: MAX_CAUSES texts at most, each shortened
 * to MAX_CHARACTERS. `secrets` are replaced, in the order given.
 */
export function describeWithCauses(error: unknown, secrets: readonly string[]): string[] {
  const found = new Set<unknown>();
  collect(error, found);
  return [...found].map((one) => {
    const text = withoutSecrets(describe(one), secrets);
    return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  });
}

function collect(error: unknown, found: Set<unknown>): void {
  if (error === undefined || error === null || found.has(error) || found.size >= MAX_CAUSES) return;
  found.add(error);
  // When a host name has several addresses, the AggregateError holds one error for each address.
  if (error instanceof AggregateError) for (const one of error.errors) collect(one, found);
  if (error instanceof Error) collect(error.cause, found);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const name = code === undefined ? error.name : `${error.name} ${code}`;
  return error.message === '' ? name : `${name}: ${error.message}`;
}

const withoutSecrets = (message: string, secrets: readonly string[]): string =>
  redactText(withoutForms(message, secrets), ['secret']);

/** Returns every form in which a message may contain a secret of the credentials or the tokens, the longest first. */
export function secretsOf(source: Source, credentials: unknown, tokens?: Tokens): string[] {
  const given = (credentials ?? {}) as Readonly<Record<string, unknown>>;
  const values = secretFields(source)
    .map((name) => given[name])
    .filter((value) => typeof value === 'string');
  const issued = [tokens?.accessToken, tokens?.refreshToken].filter((token) => token != null);
  return secretForms([...values.flatMap((value) => [value, ...partsOf(value)]), ...issued]);
}

/** Returns the secret part of a URL: the password, or else the user name, which may be a token. */
function partsOf(value: string): string[] {
  const url = URL.parse(value);
  return url ? [url.password || url.username] : [];
}
