import type { WatchBudget } from '../../sources/watching.ts';

export function createBudget(most: number): WatchBudget {
  let taken = 0;
  return {
    take() {
      if (taken >= most) return false;
      taken++;
      return true;
    },
    giveBack() {
      taken--;
    },
  };
}
