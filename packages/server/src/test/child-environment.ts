/** A program under test gets nothing of our environment but what it needs to start, and to start fast. */
export const childEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
});
