/** For a navigation that only changes a setting of the page: the page stays where it is, and Back leaves it. */
export const IN_PLACE = { replace: true, resetScroll: false } as const;
