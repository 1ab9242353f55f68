/** Evaluates a filter of Linear, which compares values and filters the records that a record refers to. */
export function matches(filter: unknown, value: any): boolean {
  return Object.entries((filter ?? {}) as Record<string, any>).every(([key, wanted]) => {
    if (wanted === null || wanted === undefined) return true;
    switch (key) {
      case 'or':
        return wanted.some((one: unknown) => matches(one, value));
      case 'and':
        return wanted.every((one: unknown) => matches(one, value));
      case 'some':
        return value.some((one: unknown) => matches(wanted, one));
      case 'eq':
        return value === wanted;
      case 'in':
        return wanted.includes(value);
      case 'gt':
        return value !== null && value > wanted;
      case 'gte':
        return value !== null && value >= wanted;
      case 'containsIgnoreCase':
        return value.toLowerCase().includes(wanted.toLowerCase());
      default:
        return Boolean(value) && matches(wanted, value[key]);
    }
  });
}
