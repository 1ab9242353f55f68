/** Returns true for an address that leads only to the machine on which it is opened. */
export function isOfThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
