/**
 * Finds the original name of a copy, because a copy of a secret is a secret too. Editors, file managers and people
 * derive the name of a copy from the name of the file: `.env~` is a copy of `.env`, and `id_rsa (1).bak` is a copy of
 * `id_rsa`.
 */

/** In these expressions, group 1 is the name of the original, and group 2 is its extension. */
const COPIES = [
  /^#([^/]+)#$/,
  /^\.#([^/]+)$/,
  /^([^/]*[^/~])~+$/,
  /^([^/]+)\.~\d+~$/,
  /^([^/]+)\.sw[a-p]$/i,
  /^\.([^/]+)\.sw[a-p]$/i,
  /^([^/]+)[._-](?:bak|bkp|backup|old|orig|original|save|saved|copy|tmp|temp|new|prev|previous|disabled|off)$/i,
  /^([^/]+)[._-](?:b64|base64|asc|enc|quarry-backup|dpkg-\w+|rpm\w+|\d{1,20})$/i,
  // A name without a dot before `.txt` may be the name of any text.
  /^([^/]*\.[^/]+)\.txt$/i,
  /^([^/]*[^/ _-])[ _-]*\(\d+\)(\.[^/.]*)?$/,
  /^([^/]*[^/ _-])[ _-]+(?:copy|kopie|copie|copia)(?: \d+)?(\.[^/.]*)?$/i,
  /^(?:copy|kopie|copie|copia) (?:\(\d+\) )?(?:of|von|de|di) ([^/]+)$/i,
];
const MAX_STEPS = 4;

/**
 * Returns the name, the name without invisible characters, and the names of all possible originals. A copy may be the
 * copy of a copy.
 */
export function nameAndOriginals(name: string): Set<string> {
  const names = new Set([name, readable(name)]);
  let newest = [...names];
  for (let step = 0; step < MAX_STEPS && newest.length > 0; step++) {
    newest = newest.flatMap(originals).filter((one) => !names.has(one));
    for (const one of newest) names.add(one);
  }
  return names;
}

const originals = (name: string): string[] =>
  COPIES.flatMap((copy) => {
    const found = copy.exec(name);
    return found ? readable((found[1] ?? '') + (found[2] ?? '')) : [];
  });

/** Normalizes a name, and removes what people overlook in it: control characters, spaces around it, dots at its end. */
const readable = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{C}/gu, '')
    .trim()
    .replace(/(?<=[^.])\.+$/, '');
