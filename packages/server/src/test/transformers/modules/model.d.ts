interface Given {
  readonly entity_id: string;
  readonly name: string;
  readonly text: string;
}

export function become(
  one: Given,
  rules: {
    readonly word: string;
    readonly drops: boolean;
    readonly splits: boolean;
    readonly fails: boolean;
  },
): { readonly entity_id: string; readonly text: string }[];
