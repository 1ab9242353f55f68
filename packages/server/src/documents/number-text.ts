/**
 * Returns true when the text of a cell is a number or a date. There may be signs around it and a short unit behind it, as
 * in `≈ 1,204.50 kg`.
 */
export const isNumber = (text: string): boolean => /^[^\p{L}\d]*\d[^\p{L}]*\p{L}{0,3}$/u.test(text);
