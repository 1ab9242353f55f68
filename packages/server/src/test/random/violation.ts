/** A violation is a broken rule. The rule is a constant sentence, so that two failures can be compared. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly rule: string;

  constructor(rule: string, details: string) {
    super(`${rule}: ${details}`);
    this.rule = rule;
  }
}

export function hold(isTrue: unknown, rule: string, details: () => string): asserts isTrue {
  if (!isTrue) throw new Violation(rule, details());
}

/** Checks that two numbers or two texts are equal. */
export function same(actual: unknown, expected: unknown, rule: string, where = ''): void {
  hold(actual === expected, rule, () => `${where} is ${actual} and should be ${expected}`);
}
