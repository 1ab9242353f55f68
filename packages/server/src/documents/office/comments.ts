import { inOneLine } from '../../util.ts';

/** A note or a comment that stands beside the text. */
export interface Aside {
  readonly text: string;
  /** This is empty for a note, and for a comment whose author is unknown. */
  readonly author: string;
}

/** Returns one line that says who has written the comment. `place` is where it stands, such as ` on B2`. */
export const commentLine = ({ author, text }: Aside, place = ''): string =>
  `Comment${place}${author === '' ? '' : ` by ${author}`}: ${inOneLine(text)}`;
