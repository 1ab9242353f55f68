/** Says what the groups of RTF contain, going by the control word with which a group begins. */

export type RtfPlace =
  | 'body'
  | 'left out'
  | 'fonts'
  | 'styles'
  | 'lists'
  | 'uses of lists'
  | 'marker'
  | 'format of marker'
  | 'note'
  | 'box'
  | 'name of property'
  | 'property'
  | 'info'
  | 'title'
  | 'author'
  | 'made'
  | 'changed';

/** The text in these groups is content; other groups that begin with `\*` are left out (RTF 1.9.1, "Destinations"). */
const PLACES: ReadonlyMap<string, RtfPlace> = new Map([
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['listtable', 'lists'],
  ['listoverridetable', 'uses of lists'],
  ['listtext', 'marker'],
  ['pntext', 'marker'],
  ['pn', 'format of marker'],
  ['footnote', 'note'],
  ['title', 'title'],
  ['author', 'author'],
  ['creatim', 'made'],
  ['revtim', 'changed'],
  ['info', 'info'],
  ...listOf(
    `annotation atnauthor atndate atnid atnref atrfend atrfstart background bkmkend bkmkstart blipuid
    colortbl comment company datafield datastore defchp defpap docvar doccomm factoidname falt
    filetbl fldinst fldtype fname fontemb fontfile footer footerf footerl footerr ftncn ftnsep ftnsepc
    generator gridtbl header headerf headerl headerr htmltag keywords latentstyles levelnumbers
    leveltext listname listpicture manager mhtmltag mmathPr nextfile
    nonshppict objalias objclass objdata objname objsect objtime oldcprops oldpprops oldsprops
    oldtprops operator panose password passwordhash pgdsctbl pgp pgptbl picprop pict pnseclvl
    printim private protusertbl revtbl rsidtbl rxe shprslt sn subject sv tc template themedata
    txe userprops wgrffmtfilter windowcaption xe xmlattrname xmlattrvalue xmlnstbl`,
  ).map((word) => [word, 'left out'] as const),
]);

function listOf(words: string): string[] {
  return words.split(/\s+/);
}

/** These groups are left out, except for one group in them, which belongs to the place around them. */
const CARRIERS = new Set(['upr', 'shpinst', 'do']);
/** A shape may be in a group of shapes, and has properties. */
const SHAPES = new Set(['shp', 'shpgrp', 'shpinst', 'sp']);
/** These groups have the text of a shape, and its properties. The second one is from before Word 97. */
const IN_SHAPES: ReadonlyMap<string, RtfPlace> = new Map([
  ['shptxt', 'box'],
  ['dptxbxtext', 'box'],
  ['sn', 'name of property'],
  ['sv', 'property'],
]);

interface GroupPlace {
  readonly place: RtfPlace;
  readonly around: RtfPlace;
}

/**
 * Returns the place of a group that begins with this word, within a group of the place `outer`. `isOptional` says that
 * the group is left out by readers that do not know the word.
 */
export function groupIn(outer: GroupPlace, word: string, isOptional: boolean): GroupPlace {
  if (outer.place === 'left out') return inLeftOut(outer, word);
  if (CARRIERS.has(word)) return { place: 'left out', around: outer.place };
  const place = placeOf(word, isOptional) ?? outer.place;
  // Only a paragraph of the body is an item by its marker.
  const isUnused = (place === 'marker' || place === 'format of marker') && outer.place !== 'body';
  return { place: isUnused ? 'left out' : place, around: 'left out' };
}

function inLeftOut({ around }: GroupPlace, word: string): GroupPlace {
  if (word === 'ud') return { place: around, around: 'left out' };
  const place = IN_SHAPES.get(word);
  if (place && around !== 'left out') return { place, around: 'left out' };
  return { place: 'left out', around: SHAPES.has(word) ? around : 'left out' };
}

const placeOf = (word: string, isOptional: boolean): RtfPlace | undefined =>
  PLACES.get(word) ?? (isOptional ? 'left out' : undefined);
