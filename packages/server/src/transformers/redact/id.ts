/** This is the id of the transformer that redacts. */
export const REDACTION = '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d02';
