/** Turns the patterns of left-out.ts, which says what they mean, into regular expressions. */

const WILDCARDS: Readonly<Record<string, string>> = {
  '*': '[^/]*',
  '%': '[^/.]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
};

/** Gives an expression that matches a path whose last parts are one of the patterns, which blanks separate. */
export function oneOf(patterns: string): RegExp {
  const all = patterns.trim().split(/\s+/).map(toSource);
  return new RegExp(`(?:^|/)(?:${all.join('|')})$`, 'i');
}

function toSource(pattern: string): string {
  return [...pattern]
    .map((one) => WILDCARDS[one] ?? one.replace(/[\\^$.|+()[\]]/, '\\$&'))
    .join('');
}
