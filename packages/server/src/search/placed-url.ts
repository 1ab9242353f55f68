/** The address of a document leads to the page or the time of a passage, where the format of the document knows how. */

/** These are the extensions of formats that browsers play. */
const PLAYED = /\.(?:mp3|mp4|m4a|m4v|ogg|oga|ogv|opus|wav|webm)$/i;

/**
 * Adds the fragment for a page (`#page=12`, RFC 8118) or a time (`#t=00:12:04`, W3C Media Fragments). Any other address
 * stays as it is, and so does one that has a fragment.
 */
export function placedUrl(url: string, place: string | null): string {
  const [, kind, where] = /^(page|time) ([\d:]+)$/.exec(place ?? '') ?? [];
  if (where === undefined || !URL.canParse(url)) return url;
  const { pathname, hash } = new URL(url);
  if (hash !== '') return url;
  if (kind === 'page') return /\.pdf$/i.test(pathname) ? `${url}#page=${where}` : url;
  return PLAYED.test(pathname) ? `${url}#t=${where}` : url;
}
