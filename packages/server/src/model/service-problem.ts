/** The service can serve, but something keeps it from doing its whole work. */
export interface ServiceProblem {
  readonly problem: string;
  /** It says what an operator does about the problem. */
  readonly remedy: string;
}
