export const exceedsTokens = (text: string, limit: number) => text.length > limit * 4;
