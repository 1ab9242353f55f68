/** Says whether a file is an archive of the package of another version than the one that was just made. */
export const isOtherArchive = (file: string, made: string): boolean =>
  /^quarry-\d.*\.tgz$/.test(file) && file !== made;
