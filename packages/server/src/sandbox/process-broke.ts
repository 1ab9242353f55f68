/** The process could not be started, ended during its work, took too long, or gave an answer that cannot be used. */
export class ProcessBroke extends Error {
  override readonly name = 'ProcessBroke';
  /** `gone` means that the process could not be started, or that somebody ended it; the request is not the reason. */
  readonly by: 'time' | 'memory' | 'exit' | 'gone';

  constructor(by: ProcessBroke['by'], message: string, cause?: unknown) {
    super(message, { cause });
    this.by = by;
  }
}
