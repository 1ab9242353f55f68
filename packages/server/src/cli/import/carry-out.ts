/** Carries out the steps of an import that make something. Each is one request, so an interruption leaves no half of it. */
import { type ServiceClient, ServiceRefused } from '../service-client.ts';
import type { ImportStep, MadeAnswer, StepToMake } from './steps.ts';

export type StepResult =
  | { readonly step: ImportStep; readonly outcome: 'made' | 'exists'; readonly answer: MadeAnswer }
  | { readonly step: ImportStep; readonly outcome: 'failed'; readonly reason: string }
  | { readonly step: ImportStep; readonly outcome: 'planned' | 'by_hand' | 'impossible' };

/** These answers refuse one thing; after any other error the next thing would fare no better. */
const REFUSALS: readonly number[] = [404, 409, 422];

/** `tell` gets each result when it is there. Throws an Error with a message for users when the service fails. */
export async function carryOut(
  service: ServiceClient,
  steps: readonly ImportStep[],
  tell: (result: StepResult) => void,
): Promise<void> {
  for (const step of steps)
    tell(step.action === 'make' ? await make(service, step) : withoutWork(step));
}

export const withoutWork = (step: ImportStep): StepResult =>
  step.action === 'exists'
    ? { step, outcome: 'exists', answer: step.found }
    : { step, outcome: step.action === 'make' ? 'planned' : step.action };

async function make(service: ServiceClient, step: StepToMake): Promise<StepResult> {
  try {
    const answer = await service.call<MadeAnswer>('POST', step.path, step.body);
    return { step, outcome: 'made', answer };
  } catch (error) {
    if (error instanceof ServiceRefused && REFUSALS.includes(error.status))
      return { step, outcome: 'failed', reason: error.message };
    throw new Error(
      `${(error as Error).message}. What was imported stays: run the command again to complete it`,
      { cause: error },
    );
  }
}
