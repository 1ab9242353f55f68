/** Names of connections have at least 4 and at most 42 characters. */
const LENGTH = { shortest: 4, longest: 42 };

/** Returns a name of an allowed length; a short one gets the noun. */
export const longEnough = (name: string, noun: string): string =>
  (name.length < LENGTH.shortest ? `${name} ${noun}` : name).slice(0, LENGTH.longest);
