/** Says what the groups of RTF contain, going by the control word with which a group begins. */

export type RtfPlace =
  | 'body'
  | 'left out'
  | 'fonts'
  | 'styles'
  | 'marker'
  | 'note'
  | 'title'
  | 'author'
  | 'made'
  | 'changed';

/** The text in these groups is content; other groups that begin with `\*` are left out (RTF 1.9.1, "Destinations"). */
const PLACES: ReadonlyMap<string, RtfPlace> = new Map([
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['listtext', 'marker'],
  ['pntext', 'marker'],
  ['footnote', 'note'],
  ['title', 'title'],
  ['author', 'author'],
  ['creatim', 'made'],
  ['revtim', 'changed'],
  // This group has the Unicode form of a text whose other form is left out.
  ['ud', 'body'],
  ...listOf(
    `annotation atnauthor atndate atnid atnref atrfend atrfstart background bkmkend bkmkstart blipuid
    colortbl comment company datafield datastore defchp defpap do docvar doccomm factoidname falt
    filetbl fldinst fldtype fname fontemb fontfile footer footerf footerl footerr ftncn ftnsep ftnsepc
    generator gridtbl header headerf headerl headerr htmltag info keywords latentstyles levelnumbers
    leveltext listname listoverridetable listpicture listtable manager mhtmltag mmathPr nextfile
    nonshppict objalias objclass objdata objname objsect objtime oldcprops oldpprops oldsprops
    oldtprops operator panose password passwordhash pgdsctbl pgp pgptbl picprop pict pn pnseclvl
    printim private protusertbl revtbl rsidtbl rxe shpinst shprslt sn subject sv tc template themedata
    txe upr userprops wgrffmtfilter windowcaption xe xmlattrname xmlattrvalue xmlnstbl`,
  ).map((word) => [word, 'left out'] as const),
]);

function listOf(words: string): string[] {
  return words.split(/\s+/);
}

/** Returns the place that begins with this word, or undefined when it begins none. */
export const placeOf = (word: string): RtfPlace | undefined => PLACES.get(word);
