/** A workspace is hosted in one region, which has addresses of its own. */
export const REGIONS = ['us', 'eu', 'au'] as const;
export type Region = (typeof REGIONS)[number];

const INFIX: Readonly<Record<Region, string>> = { us: '', eu: '.eu', au: '.au' };

export const apiOf = (region: Region): string => `https://api${INFIX[region]}.intercom.io`;
/** People work here. */
export const siteOf = (region: Region): string => `https://app${INFIX[region]}.intercom.com`;
