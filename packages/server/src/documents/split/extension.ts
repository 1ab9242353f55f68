/** Finds the extension by which the text of a file is cut. */

/** Returns the name of a file without its folders, and without the `.gz` of a file that is packed. */
export const unpackedName = (name: string): string =>
  name.slice(name.lastIndexOf('/') + 1).replace(/\.gz$/i, '');

/** Returns the extension in lower case and without its dot, or ''. */
export const extensionOf = (name: string): string =>
  /\.([a-z0-9]+)$/i.exec(unpackedName(name))?.[1]?.toLowerCase() ?? '';
