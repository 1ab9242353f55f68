/** Makes words for people from names that programs use. */

/** "NotionPage" becomes "Notion page", and "postgres_row" becomes "Postgres row". */
export function typeName(type: string): string {
  const words = type
    .replaceAll('GitHub', 'Github')
    .replaceAll('_', ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word, i) => (i > 0 && /^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word));
  const joined = words.join(' ');
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}
