/**
 * Turns the patterns of left-out.ts into regular expressions. The comment at the top of left-out.ts explains the
 * patterns.
 */

const WILDCARDS: Readonly<Record<string, string>> = {
  '*': '[^/]*',
  '%': '[^/.]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
};

/**
 * Returns an expression that matches a path whose last parts are one of the patterns. Blanks separate the patterns.
 */
export function oneOf(patterns: string): RegExp {
  const all = patterns.trim().split(/\s+/).map(toSource);
  return new RegExp(`(?:^|/)(?:${all.join('|')})$`, 'i');
}

function toSource(pattern: string): string {
  return [...pattern]
    .map((one) => WILDCARDS[one] ?? one.replace(/[\\^$.|+()[\]]/, '\\$&'))
    .join('');
}
