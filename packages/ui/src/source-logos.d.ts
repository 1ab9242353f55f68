/** tools/logos.ts makes this module: the addresses of logos by the short names of their sources. */
declare module 'virtual:source-logos' {
  export const logos: Readonly<Record<string, string>>;
}
