/** Returns the text that a file stores. Some characters are written as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export const textOf = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
