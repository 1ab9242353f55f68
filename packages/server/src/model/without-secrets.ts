/** Removes secret values from texts that others wrote, such as an error message that repeats a request. */

const REPLACEMENT = '[secret]';

/** Returns every form in which a text may contain these values, the longest first. */
export const secretForms = (values: readonly string[]): string[] =>
  [...new Set(values.flatMap(formsOf))]
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length);

/**
 * `forms` must come from `secretForms`, which sorts them: a long form is removed before the shorter forms that are
 * parts of it.
 */
export const withoutForms = (text: string, forms: readonly string[]): string =>
  forms.reduce((safe, form) => safe.replaceAll(form, REPLACEMENT), text);

const formsOf = (value: string): string[] => [
  value,
  decoded(value),
  encodeURIComponent(value.toWellFormed()),
  new URLSearchParams({ '': value }).toString().slice(1),
  JSON.stringify(value).slice(1, -1),
];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not valid percent-encoding, so it has no decoded form.
    return text;
  }
}
