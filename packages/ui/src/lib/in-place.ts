/** A navigation with these options only changes a setting of the page: it does not scroll, and Back leaves the page. */
export const IN_PLACE = { replace: true, resetScroll: false } as const;
