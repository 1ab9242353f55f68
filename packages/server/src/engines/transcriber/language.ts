/** Whisper of OpenAI names a language in English, such as `german`, and other servers give its tag, such as `de`. */

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

let tags: ReadonlyMap<string, string> | undefined;

/** Returns the language tag (BCP 47), or undefined for an unknown language. */
export function tagOf(language: string): string | undefined {
  tags ??= namedTags();
  const known = language.trim().toLowerCase();
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(known) ? known : tags.get(known);
}

/** The names come from Unicode's CLDR, which is a part of Node. */
function namedTags(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const found = new Map<string, string>();
  for (const first of LETTERS)
    for (const second of LETTERS) {
      const tag = first + second;
      const name = names.of(tag);
      if (name !== undefined) found.set(name.toLowerCase(), tag);
    }
  return found;
}
