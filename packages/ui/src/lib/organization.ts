/** The organization in which requests act. The browser keeps the choice of a person who belongs to several. */
const KEY = 'quarry.organization';

export const currentOrganization = (): string | null => localStorage.getItem(KEY);

export function chooseOrganization(id: string | null): void {
  if (id === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, id);
}
